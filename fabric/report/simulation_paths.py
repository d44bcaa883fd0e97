"""simulate: who sends to whom, and on which paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.designs import Designs
    from fabric.report.simulation_settings import Load
    from fabric.topology.sample_path import Sampler, Step


@dataclass(frozen=True, slots=True)
class Traffic:
    """Paths of the incast, of each traffic of ``--also``, and of what may be dropped."""

    paths: list[tuple[Step, ...]]
    also: list[list[tuple[Step, ...]]] = field(default_factory=list)
    lossy: list[tuple[Step, ...]] = field(default_factory=list)


def traffic_of(
    designs: Designs, sampler: Sampler, receivers: list[int], load: Load, *, far: bool
) -> Traffic:
    """Return who sends to whom: further senders are the NICs after those before them."""
    more = [also.senders for also in load.also] + [int(load.lossy_gbps > 0)]
    if not receivers:
        if any(more):
            raise InputError("--permutation takes `--also CLASS:ring` alone: others need --to")
        paths = _permutation(designs, sampler, load.senders)
        return Traffic(paths, [_ring(sampler, paths) for _ in load.also])
    counts = [load.senders, *more]
    parts: list[list[tuple[Step, ...]]] = [[] for _ in counts]
    for receiver in receivers:
        _refuse_quarantined(designs, receiver)
        senders = _incast(designs, sampler, receiver, sum(counts), far=far)
        if len(senders) < sum(counts):
            raise _too_few(sum(counts), len(senders), has_more=any(more))
        drawn = iter(senders)
        for part, count in zip(parts, counts, strict=True):
            part.extend(islice(drawn, count))
    rings = [part or _ring(sampler, parts[0]) for part in parts[1:-1]]
    return Traffic(parts[0], rings, parts[-1])


def _ring(sampler: Sampler, paths: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """Return paths from each NIC of some paths to the next, and from the last to the first."""
    rows = sorted({step.row for path in paths for step in (path[0], path[-1])})
    ring = [sampler.path(*ends) for ends in zip(rows, rows[1:] + rows[:1], strict=True)]
    if not all(ring):
        raise InputError("--also: the NICs make no ring, as some do not reach the next")
    return ring


def nic_row(designs: Designs, word: str) -> int:
    """Return the row of ``HOST:INTERFACE``.

    Raises
    ------
    InputError
        When there is no such NIC.
    """
    host, _, interface = word.partition(":")
    design = designs.hosts.get(host)
    names = [nic.interface for nic in design.nics] if design else []
    if interface not in names:
        known = f"the NICs of {host} are {', '.join(names)}" if names else f"no host is {host!r}"
        raise InputError(f"unknown NIC {word!r}: {known}; write HOST:INTERFACE")
    return int(designs.fabric.nics_of_host(designs.fabric.host_row[host])[names.index(interface)])


def _incast(
    designs: Designs, sampler: Sampler, receiver: int, senders: int, *, far: bool
) -> list[tuple[Step, ...]]:
    """Return paths from NICs of the same rail: the next hosts, or those of other units first."""
    nics, hosts = designs.fabric.nics, designs.fabric.hosts
    same = (nics.rail == nics.rail[receiver]) & (nics.nic_port == nics.nic_port[receiver])
    if (tenants := designs.fabric.tenants) is not None:
        same = same & tenants.reached(nics.leaf, receiver)
    rows = np.flatnonzero(same & nics.enabled & (nics.host != nics.host[receiver]))
    after = (nics.host[rows] - nics.host[receiver]) % len(hosts)
    own_unit = hosts.unit[nics.host[rows]] == hosts.unit[nics.host[receiver]]
    order = np.lexsort((after, own_unit)) if far else np.argsort(after, kind="stable")
    paths: list[tuple[Step, ...]] = []
    for row in rows[order].tolist():
        if path := sampler.path(row, receiver):
            paths.append(path)
        if len(paths) == senders:
            return paths
    return paths


def _refuse_quarantined(designs: Designs, nic: int) -> None:
    """Raise InputError for a NIC in quarantine, to which nothing sends."""
    fabric = designs.fabric
    if fabric.tenants is None or not fabric.tenants.quarantined[nic]:
        return
    host = fabric.hosts.names[int(fabric.nics.host[nic])]
    name = nic_names(fabric, host)[nic % fabric.nics_per_host].interface
    raise InputError(
        f"{host} {name} is in quarantine, so that no NIC reaches it; name a NIC of a tenant with "
        "--to"
    )


def _too_few(senders: int, nics: int, *, has_more: bool) -> InputError:
    with_others = ", with --also and --lossy-gbps" if has_more else ""
    return InputError(
        f"{counted(senders, 'sender is', 'senders are')} needed{with_others}; only "
        f"{counted(nics, 'NIC')} of the rail {'reaches' if nics == 1 else 'reach'} the receiver; "
        "use a smaller --incast"
    )


def _permutation(designs: Designs, sampler: Sampler, pairs: int) -> list[tuple[Step, ...]]:
    """Return paths from NICs of rail 0 to those half of the fabric away, each to another one.

    Where there are tenants, half of the tenant away.

    Raises
    ------
    InputError
        When the rail has too few NICs with another leaf at that distance.
    """
    nics, tenants = designs.fabric.nics, designs.fabric.tenants
    rows = np.flatnonzero((nics.rail == 0) & (nics.nic_port == 0) & nics.enabled)
    groups = tenants.groups(rows) if tenants else [rows]
    pairs_of = (zip(group, np.roll(group, -(len(group) // 2)), strict=True) for group in groups)
    drawn = (
        sampler.path(source, target)
        for source, target in sorted((int(a), int(b)) for ends in pairs_of for a, b in ends)
        if nics.leaf[source] != nics.leaf[target] and not (tenants and tenants.is_local)
    )
    paths = [path for path in islice(drawn, pairs) if path]
    if len(paths) < pairs:
        raise InputError(
            f"--permutation is {pairs}; rail 0 has {counted(len(paths), 'NIC')} with a receiver at "
            "another leaf"
        )
    return paths
