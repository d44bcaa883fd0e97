"""State by the models of OpenConfig, as gNMI tells it: ``[[path, value], ...]`` as JSON.

Leaves: https://github.com/openconfig/public, release/models: interfaces/openconfig-interfaces.yang,
lldp/openconfig-lldp.yang, bgp/openconfig-bgp-neighbor.yang, system/openconfig-system.yang. What a
target does not tell is unknown; a value of another type than that of its leaf makes a reading
unreadable.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fabric.observe.leaves import grouped, number_of, text_of
from fabric.observe.parsers import UnreadableError
from fabric.observe.state import BgpPeer, InterfaceState, LldpNeighbour, SystemFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading

_NAME = r"\[name=([^\]]*)\]"
_INTERFACE = re.compile(rf"/interfaces/interface{_NAME}/state/(.+)")
_NEIGHBOUR = re.compile(
    rf"/lldp/interfaces/interface{_NAME}/neighbors/neighbor\[id=([^\]]*)\]/state/(.+)"
)
_PEER = re.compile(r"/network-instances/.*/neighbor\[neighbor-address=([^\]]*)\]/state/(.+)")
_SYSTEM = re.compile(r"/system/state/(.+)")
#: Leaves of ``counters`` by the names of a snapshot: all are counter64 (yang:counter64).
_COUNTERS = {
    "in-octets": "in_bytes",
    "in-pkts": "in_packets",
    "in-errors": "in_errors",
    "in-discards": "in_discards",
    "out-octets": "out_bytes",
    "out-pkts": "out_packets",
    "out-errors": "out_errors",
    "out-discards": "out_discards",
    "carrier-transitions": "carrier_transitions",
}
_UP = {"UP": True, "DOWN": False, "LOWER_LAYER_DOWN": False, "NOT_PRESENT": False}
_STATES = ("IDLE", "CONNECT", "ACTIVE", "OPENSENT", "OPENCONFIRM", "ESTABLISHED")
_NS_PER_S = 1e9


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Return ports from ``/interfaces/interface/state``, or raise UnreadableError."""
    by_port = grouped(text, _INTERFACE)
    return {
        port: InterfaceState(
            up=_UP.get(text_of(leaves, "oper-status")),
            enabled=_UP.get(text_of(leaves, "admin-status")),
            mtu_bytes=number_of(leaves, "mtu"),
            description=text_of(leaves, "description"),
            counters={
                name: value
                for leaf, name in _COUNTERS.items()
                if (value := number_of(leaves, f"counters/{leaf}")) is not None
            },
        )
        for (port,), leaves in by_port.items()
    }


def lldp(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Return LLDP neighbours by port, or raise UnreadableError."""
    by_port: dict[str, tuple[LldpNeighbour, ...]] = {}
    for (port, _), leaves in grouped(text, _NEIGHBOUR).items():
        name, port_id = text_of(leaves, "system-name"), text_of(leaves, "port-id")
        neighbour = LldpNeighbour(name, port_id, text_of(leaves, "port-description"))
        by_port[port] = (*by_port.get(port, ()), neighbour)
    return by_port


def bgp(text: str) -> dict[str, BgpPeer]:
    """Return BGP sessions by the address of the peer, or raise UnreadableError."""
    peers = {}
    for (address,), leaves in grouped(text, _PEER).items():
        state, asn = text_of(leaves, "session-state"), number_of(leaves, "peer-as")
        if state not in _STATES or asn is None:
            raise UnreadableError(f"the session with {address[:80]!r} has no state or no AS")
        peers[address] = BgpPeer(state == "ESTABLISHED", state.capitalize(), asn)
    return peers


def facts(text: str) -> SystemFacts:
    """Return who the system says it is, or raise UnreadableError."""
    leaves = grouped(text, _SYSTEM)[()]
    if not (hostname := text_of(leaves, "hostname")):
        raise UnreadableError("the system reports no host name")
    version = text_of(leaves, "software-version")
    return SystemFacts(hostname, version=version, uptime_s=_uptime_s(leaves))


def _uptime_s(leaves: Mapping[str, Any]) -> float | None:
    """Return the time since ``boot-time`` by the clock of the system; None without both."""
    boot_ns, now = number_of(leaves, "boot-time"), text_of(leaves, "current-datetime")
    if boot_ns is None or not now:
        return None
    try:
        uptime_s = datetime.fromisoformat(now).timestamp() - boot_ns / _NS_PER_S
    except (ValueError, OverflowError) as error:
        raise UnreadableError(f"{now[:80]!r} is not a time") from error
    return uptime_s if uptime_s >= 0 else None


_EVERY = "[name=*]"
_BGP = f"/network-instances/network-instance{_EVERY}/protocols/protocol[identifier=*]{_EVERY}/bgp"
#: Paths, and field and parser of each. A list has its keys: a target answers nothing without them
#: (openconfig/reference rpc/gnmi/gnmi-path-conventions.md, wildcards in paths).
READINGS: Mapping[str, tuple[str, Reading]] = {
    "/system/state": ("facts", facts),
    f"/interfaces/interface{_EVERY}/state": ("interfaces", interfaces),
    f"/lldp/interfaces/interface{_EVERY}/neighbors/neighbor[id=*]/state": ("lldp", lldp),
    f"{_BGP}/neighbors/neighbor[neighbor-address=*]/state": ("bgp", bgp),
}
