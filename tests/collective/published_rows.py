"""The table of published figures, as docs/bandwidth.md has it."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.collective.published import LEAST, PUBLISHED, USUAL, Published, bus_gbyte_s
from fabric.qos.path import line_rate_efficiency

#: GPUs of a host in all sources: 8.
GPUS = 8


def ceiling(figure: Published) -> float:
    gbps = figure.nics * figure.nic_gbps
    return bus_gbyte_s(figure.kind, figure.nodes, GPUS, gbps, line_rate_efficiency(4096))


def rows() -> Iterator[str]:
    for one in PUBLISHED:
        top = ceiling(one)
        error = top * USUAL / one.gbyte_s - 1
        inside = "yes" if LEAST[one.kind] <= one.gbyte_s / top <= 1 else "no"
        yield (
            f"| {one.system} | {one.kind.value} | {one.nodes} x {one.nics} x {one.nic_gbps:g}G "
            f"| {one.gbyte_s:g} | {top * USUAL:.1f} | {error:+.0%} "
            f"| {top * LEAST[one.kind]:.0f} to {top:.0f} | {inside} | {one.source} |"
        )
