"""show buffer --observed: what lossless groups and pools held at most, and the slack of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.units import share_to_percent
from fabric.design.pool import lossless_pool_bytes, pause_threshold, shared_headroom_bytes
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.observe import Snapshot
    from fabric.observe.state import PoolUse, QueueCounters

_HEADERS = tuple(
    (
        "device port group headroom_bytes headroom_peak_bytes slack_bytes xoff_threshold_bytes "
        "shared_peak_bytes verdict"
    ).split()
)
_NONE, _UNKNOWN = "-", "unknown"
#: Pool of lossless traffic (sonic-net/sonic-buildimage, buffers_defaults_t1.j2 of every model).
LOSSLESS_POOL = "ingress_lossless_pool"


@dataclass(frozen=True)
class Peaks:
    """Watermarks of one switch; ``problem`` says why they, or a part of them, are not there.

    Parameters
    ----------
    failed : bool
        Whether the problem is one of the device or the file, and not of what rocefab can read.
    """

    device: str
    snapshot: Snapshot | None
    problem: str = ""
    failed: bool = False


def buffer_use(designs: Designs, peaks: Sequence[Peaks]) -> Table:
    """Return one row for each lossless group, and one for the pool, of every switch.

    Slack is the headroom that was never used. A group without any use of its headroom never sent a
    pause that frames followed.
    """
    rows = [row for item in peaks for row in _rows(designs.devices[item.device], item)]
    return Table(_HEADERS, tuple(rows))


def _rows(device: DeviceDesign, item: Peaks) -> Iterator[tuple[object, ...]]:
    if item.problem:
        yield (device.name, *[_NONE] * (len(_HEADERS) - 2), item.problem)
    if item.snapshot is None:
        return
    groups, pools = item.snapshot.priority_groups, item.snapshot.buffer_pools
    for port in device.ports if groups is not None else ():
        if port.headroom and port.qos:
            for number in sorted(one.priority_group for one in port.qos.classes):
                seen = groups.get((port.name, number)) if groups else None
                yield (device.name, port.name, number, *_group(device, port, seen))
    if pools is not None and LOSSLESS_POOL in pools:
        yield (device.name, LOSSLESS_POOL, _NONE, *_pool(device, pools[LOSSLESS_POOL]))


def _group(
    device: DeviceDesign, port: PortDesign, seen: QueueCounters | None
) -> tuple[object, ...]:
    assert port.headroom
    have, threshold = port.headroom.headroom_bytes, pause_threshold(device, port.headroom)
    xoff = threshold.group_bytes(len(port.lossless_groups)) if threshold else None
    peak = seen.watermark_bytes if seen else None
    shared = seen.shared_watermark_bytes if seen else None
    return (
        _value(have),
        _value(peak),
        _UNKNOWN if have is None or peak is None else have - peak,
        _value(None if xoff is None else round(xoff)),
        _value(shared),
        _verdict(have, peak, seen.dropped_packets if seen else None),
    )


def _verdict(have: int | None, peak: int | None, dropped: int | None) -> str:
    lost = f"; {counted(dropped, 'packet')} dropped" if dropped else ""
    if peak is None:
        return f"headroom not reported{lost}"
    if peak == 0:
        return f"headroom not used{lost}"
    if have is None:
        return f"headroom used; its size is not known{lost}"
    if peak >= have:
        return f"headroom full: too small, or the peer does not stop in time{lost}"
    return f"{share_to_percent(peak / have):.1f} % of the headroom used{lost}"


def _pool(device: DeviceDesign, seen: PoolUse) -> tuple[object, ...]:
    size, room = lossless_pool_bytes(device), shared_headroom_bytes(device)
    peak, used = seen.watermark_bytes, seen.headroom_watermark_bytes
    slack: object = _NONE
    if room:
        slack = _UNKNOWN if used is None else room - used
    if peak is None or not size:
        verdict = "use of the pool not known"
    else:
        verdict = f"{share_to_percent(peak / size):.1f} % of {size:,} used"
    return (room or _NONE, _value(used), slack, _NONE, _value(peak), verdict)


def _value(value: int | None) -> object:
    return _UNKNOWN if value is None else value
