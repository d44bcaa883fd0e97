"""What the lines of a Comware 7 configuration come to, together with the defaults.

PFC is off until ``priority-flow-control enable``, and ``auto`` follows DCBX, so that PFC is not
judged; lines of a port win over those of the system view [CMD, PFC]. PFC goes by 802.1p: a DSCP
becomes a priority by ``dscp-dot1p``, and a priority a queue by ``dot1p-lp``, whose default is not
the identity [CMD]. Where ``dscp-lp`` sends a DSCP to another queue, it is of the class of that
queue. Without a WRED table a queue drops at its tail [CMD]. Deadlocks are found where the port
enables it and an interval is set for the class [PFC]. ARP lives 20 minutes, and a routed port has
an MTU of 1500 bytes [CMD].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import min_to_s
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.lossless import Value, Watchdog
from fabric.qos.dscps import DSCPS
from fabric.systems.comware7.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from fabric.systems.comware7.reading_lossless.switch import ComwarePort, Switch

_DEFAULT_ARP_S, _DEFAULT_MTU = Value(min_to_s(20), 0), Value(1_500, 0)
#: Queue of each 802.1p priority by default ([CMD] display qos map-table).
_DEFAULT_QUEUES = {0: 2, 1: 0, 2: 1, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}
#: Speed in Gbit/s by the name of a port ([CMD] interface names).
_SPEEDS_GBPS = {
    "GigabitEthernet": 1,
    "Ten-GigabitEthernet": 10,
    "Twenty-FiveGigE": 25,
    "FortyGigE": 40,
    "FiftyGigE": 50,
    "HundredGigE": 100,
    "TwoHundredGigE": 200,
    "FourHundredGigE": 400,
}


def complete(switch: Switch) -> None:
    """Resolve the tables of a switch and set what it does where no line says anything."""
    switch.arp_timeout_s = switch.arp_timeout_s or _DEFAULT_ARP_S
    _join(switch)
    queues = {**_DEFAULT_QUEUES, **switch.maps.get("dot1p-lp", {})}
    classes, lines = _classes(switch, queues), switch.map_lines
    for port in switch.front.values():
        port.class_to_queue, port.dscp_to_class = dict(queues), dict(classes)
        port.dscp_lines = {**lines.get("dscp-dot1p", {}), **lines.get("dscp-lp", {})}
        _complete(switch, port)
    switch.ports.update(switch.front)


def _join(switch: Switch) -> None:
    """Give members what their aggregation says."""
    for kind in ("Bridge", "Route"):
        members = {
            name: f"{kind}-Aggregation{port.group}"
            for name, port in switch.front.items()
            if port.group
        }
        for port, bundle in join(switch.front, members):
            port.mode = port.mode or bundle.mode
            port.table = port.table or bundle.table
            port.deadlock = port.deadlock or bundle.deadlock
            port.frame_bytes = bundle.frame_bytes or port.frame_bytes
    for name in [name for name in switch.front if "-Aggregation" in name]:
        switch.front.pop(name)  # one without members carries no traffic


def _complete(switch: Switch, port: ComwarePort) -> None:
    mode = port.mode or switch.every.mode
    port.pfc_on = mode == "enable"
    port.negotiated = port.line if mode == "auto" else None
    port.trust_lines = ("qos trust dscp",) if port.trusts_dscp is False else ()
    if port.routed is None and (port.mode or port.pfc):
        port.routed = port.link_mode == "route"
    port.pfc = port.pfc or dict(switch.every.pfc)
    if port.table:
        switch.used.append(port.table)
        port.markings = {**switch.tables.get(port.table.name, {}), **port.markings}
    port.watchdog = _watchdog(switch, port)
    port.mtu_bytes = _mtu(port)
    port.speed_gbps = port.speed_gbps or _SPEEDS_GBPS.get(port.name.rstrip("0123456789/:"))


def _classes(switch: Switch, queues: dict[int, int]) -> dict[int, int]:
    """Return the class of every DSCP; none where some of them are left to the model."""
    by_dscp = switch.maps.get("dscp-dot1p", {})
    if len(by_dscp) < DSCPS:
        return {}
    owners = {queue: priority for priority, queue in queues.items()}
    sent = switch.maps.get("dscp-lp", {})
    return {
        dscp: priority
        if sent.get(dscp, queues[priority]) == queues[priority]
        else owners.get(sent[dscp], priority)
        for dscp, priority in by_dscp.items()
    }


def _watchdog(switch: Switch, port: ComwarePort) -> Watchdog | None:
    """Return the detection of deadlocks of a port; its times have a unit that nobody publishes."""
    if not port.deadlock:
        return None
    watched = {port.class_to_queue[priority] for priority in port.pfc}
    fatal = [switch.fatal[queue] for queue in watched if queue in switch.fatal]
    return Watchdog(
        fatal[0] if fatal else port.deadlock,
        enabled=watched <= set(switch.intervals),
        action="error-down" if fatal else switch.action,
    )


def _mtu(port: ComwarePort) -> Value | None:
    """Return the longest packet: that of the MTU where the port routes, and of the frame."""
    limits = [port.mtu_bytes or _DEFAULT_MTU] if port.routed else []
    if port.frame_bytes:
        longest = port.frame_bytes.value - FRAME_EXTRA_BYTES
        limits.append(Value(longest, port.frame_bytes.line))
    return min(limits, key=lambda one: one.value, default=None)
