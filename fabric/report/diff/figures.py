"""Figures of the lossless policy that differ, by role and value."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeAlias

from fabric.design.configured import headroom_state, no_pmax
from fabric.design.pool import pause_threshold
from fabric.intent.classes import THRESHOLDS
from fabric.platforms.features import is_rendered
from fabric.report.diff.model import Figure
from fabric.report.diff.same_class import class_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs
    from fabric.design.host_model import HostDesign
    from fabric.design.model import BgpDesign, DeviceDesign
    from fabric.design.pool import PauseThreshold
    from fabric.design.port_model import PortDesign
    from fabric.report.diff.same_class import Classes, Sizes

    #: Values by name; what has no value on a port is not in it.
    Values: TypeAlias = dict[str, str]
    #: Kind of a port, its lossless classes, where it pauses, and its other figures.
    Figures: TypeAlias = tuple[str, Classes, PauseThreshold | None, Values]
    Key: TypeAlias = tuple[str, str, str, str, str]

_QOS = tuple(("cnp_dscp pfc cnp_traffic_class cnp_queue dynamic_th mtu_bytes").split())
_WATCHDOG, _TIMES = ("enabled", "action"), ("detection_ms", "restoration_ms", "poll_ms")
_BUFFER = ("pause_threshold_bytes", "resume_threshold_bytes", "buffer_bytes")
_HOST = ("cnp_dscp", "cnp_priority", "traffic_class_byte")
_CLASS = tuple(
    (
        "roce_dscp pfc_priority traffic_class queue priority_group kmin_bytes kmax_bytes "
        "pmax_percent"
    ).split()
)
_CLASS_OF_HOST = ("roce_dscp", "pfc_priority")
#: What a figure has on a side where nothing sets it.
ABSENT = "-"
#: Ends the figure that tells whether a queue reaches a threshold of ECN before PFC pauses it.
BEFORE_PAUSE = "_before_pause"
#: Figures that the devices at both ends of a cable, or on a path, must have alike.
_AT_BOTH_ENDS = frozenset(("roce_dscp", "pfc_priority", "pfc", "mtu_bytes"))


def figures(before: Designs, after: Designs, changed: set[str]) -> list[Figure]:
    """Return the figures that differ on ports of both sides, counted by role and value.

    Parameters
    ----------
    changed : set of str
        Devices of both sides whose designs differ; no others are looked at.
    """
    ports: Counter[Key] = Counter()
    devices: dict[Key, set[str]] = defaultdict(set)
    for name in sorted(changed):
        for key in _differences(before, after, name):
            ports[key] += 1
            devices[key].add(name)
    return [Figure(*key, ports=ports[key], devices=len(devices[key])) for key in sorted(ports)]


def _differences(before: Designs, after: Designs, name: str) -> Iterator[Key]:
    """Yield what differs on each port of a device, as often as there are such ports."""
    if name in before.devices and name in after.devices:
        old, new = _by_port(before.devices[name]), _by_port(after.devices[name])
        device = after.devices[name]
        role, names = str(device.role), _CLASS[:-1] if no_pmax(device.sku) else _CLASS
    else:
        old, new = _by_nic(before.hosts[name]), _by_nic(after.hosts[name])
        role, names = "host", _CLASS_OF_HOST
    for port in old.keys() & new.keys():
        _, old_classes, old_pause, was = old[port]
        kind, new_classes, new_pause, now = new[port]
        classes = class_figures(old_classes, new_classes, names)
        classes[0].update(_marks_first(classes[0], old_pause, len(old_classes)))
        classes[1].update(_marks_first(classes[1], new_pause, len(new_classes)))
        apart = (*_apart(*map(_texts, classes)), *_apart(was, now))
        yield from ((role, kind, *one) for one in apart)


def _marks_first(sizes: Sizes, pause: PauseThreshold | None, classes: int) -> Sizes:
    """Return which thresholds of marking a queue reaches before PFC pauses, where that is known."""
    return {
        f"{name.removesuffix('_bytes')}{BEFORE_PAUSE}": not pause.pauses_first(size, classes)
        for name, size in sizes.items()
        if pause and isinstance(size, int) and name.rpartition(".")[2] in THRESHOLDS
    }


def _apart(old: Values, new: Values) -> Iterator[tuple[str, str, str]]:
    for figure in dict.fromkeys((*old, *new)):
        was, now = old.get(figure, ABSENT), new.get(figure, ABSENT)
        is_off = figure.startswith("watchdog.") and ABSENT in (was, now)
        if was != now and not is_off:
            yield figure, was, now


def _by_port(device: DeviceDesign) -> dict[str, Figures]:
    """Return kind, classes and figures of each port in use; ports of one policy share them."""
    known: dict[tuple[int, int], tuple[PauseThreshold | None, Values]] = {}
    values: dict[str, Figures] = {}
    for port in device.ports:
        if port.qos is None:
            continue
        key = id(port.qos), id(port.headroom)
        if key not in known:
            pause = pause_threshold(device, port.headroom) if port.headroom else None
            known[key] = pause, _values(device, port, pause)
        values[port.name] = port.kind, port.qos.classes, *known[key]
    return values


def _of_watchdog(device: DeviceDesign, port: PortDesign) -> tuple[str, ...]:
    """Return the figures of the watchdog that the switch gets; one that is off has no others."""
    assert port.qos is not None
    if not is_rendered("watchdog", device.sku):
        return ()
    if not port.qos.watchdog.enabled:
        return _WATCHDOG[:1]
    return _WATCHDOG + (_TIMES if is_rendered("watchdog_times", device.sku) else ())


def _values(device: DeviceDesign, port: PortDesign, pause: PauseThreshold | None) -> Values:
    assert port.qos is not None
    values: dict[str, object] = {name: getattr(port.qos, name) for name in _QOS}
    watchdog = port.qos.watchdog
    values |= {f"watchdog.{name}": getattr(watchdog, name) for name in _of_watchdog(device, port)}
    if port.qos.pause_buffer and is_rendered("pause_buffer", device.sku):
        buffer = port.qos.pause_buffer
        values |= {f"pause_buffer.{name}": getattr(buffer, name) for name in _BUFFER}
    headroom = port.headroom
    if headroom:
        size, state = headroom.headroom_bytes, headroom_state(headroom, device.sku, device.role)
        values["headroom_bytes"] = f"{size}{state.note}" if size else size
        values["dynamic_th"] = headroom.dynamic_th
        if headroom.row:
            values["xon_threshold_bytes"] = headroom.row.xon_threshold_bytes
        if pause:
            values["xoff_threshold_bytes"] = round(pause.group_bytes())
    return _texts(values)


def _by_nic(host: HostDesign) -> dict[str, Figures]:
    values: dict[str, Figures] = {}
    for nic in host.nics:
        own = {name: getattr(nic.qos, name) for name in _HOST}
        own["mtu_bytes"] = nic.mtu_bytes
        values[nic.interface] = "NIC", nic.qos.classes, None, _texts(own)
    return values


def _texts(values: dict[str, object]) -> Values:
    return {name: value_text(value) for name, value in values.items() if value is not None}


def value_text(value: object) -> str:
    """Return a value as the inventory has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_at_both_ends(figure: Figure) -> bool:
    """Tell whether packets can be lost while only some devices have the new value."""
    return figure.figure.rpartition(".")[2] in _AT_BOTH_ENDS


def sessions_differ(before: BgpDesign, after: BgpDesign) -> bool:
    """Tell whether a session of both has something else that its two ends have alike."""
    old, new = ({one.port: one for one in bgp.neighbours} for bgp in (before, after))
    return before.asn != after.asn or any(old[port] != new[port] for port in old.keys() & new)
