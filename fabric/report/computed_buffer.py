"""show buffer --computed: what a switch takes from its buffer, and the pools that it comes to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.design.pool import computed_buffer
from fabric.report.buffer import alike
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile

_HEADERS = ("switches", "first", "item", "ports", "bytes", "how")


def computed(designs: Designs, only: Collection[str] | None = None) -> Table:
    """Return the sum of the buffer manager, part by part, for each kind of switch that has one.

    Raises
    ------
    InputError
        When no switch computes its buffers.
    """
    rows = [
        (count, device.name, *row)
        for device, count in alike(designs, only)
        if device.buffer_model == "dynamic"
        for row in _rows(device)
    ]
    if not rows:
        raise InputError(
            "no switch computes its buffers; set buffer_model to dynamic, or use "
            "`rocefab show buffer`"
        )
    return Table(_HEADERS, tuple(rows))


def _rows(device: DeviceDesign) -> Iterator[tuple[object, ...]]:
    yield from _groups(device)
    pool = computed_buffer(device)
    if pool is None:
        yield "pools", "-", "unknown", f"a figure of {device.sku.name} is not known"
        return
    for part in pool.parts:
        yield part.name, part.count, part.amount_bytes, "taken from the buffer"
    how = f"the rest of {pool.buffer_bytes:,}"
    yield "left for pools", "-", pool.left_bytes, how
    yield "ingress_lossless_pool size", "-", pool.pool_bytes, "half; the other is for lossy traffic"
    if pool.shared_headroom_bytes:
        xoff = f"promised headroom / {device.headroom_over_subscription}"
        yield "ingress_lossless_pool xoff", "-", pool.shared_headroom_bytes, xoff


def _groups(device: DeviceDesign) -> Iterator[tuple[object, ...]]:
    """Return one row for each computed profile, as `show buffer information` names its fields."""
    used = Counter((id(p.headroom), len(p.lanes)) for p in device.ports if p.headroom)
    by_id = {id(p.headroom): p.headroom for p in device.ports if p.headroom}
    for (key, lanes), ports in used.items():
        group = by_id[key]
        name = f"{group.speed_gbps}G, {group.cable_m} m, {counted(lanes, 'lane')}"
        yield f"profile of {name}", ports, *_profile(group)


def _profile(group: HeadroomProfile) -> tuple[object, str]:
    law = group.law
    if law is None or law.size_bytes is None or law.xon_threshold_bytes is None:
        return "unknown", group.no_law
    xon, room = int(law.xon_threshold_bytes), int(law.headroom_bytes)
    return int(law.size_bytes), f"size; xon {xon:,}, xoff {room:,}"
