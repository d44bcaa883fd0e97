"""What the design expects a running device to see, and how an observation compares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.device_names import is_same_device
from fabric.core.likeness import like_groups
from fabric.platforms import platforms
from fabric.qos.ecn.edge import step_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.observe.snapshot import Snapshot
    from fabric.observe.state import LldpNeighbour


#: Fields of a snapshot that expectations are about.
WATCHED = ("bgp", "lldp", "pfc_priorities", "daemons")


@dataclass(frozen=True, slots=True)
class Expectation:
    """Sessions, neighbours, PFC and daemons of one device.

    Parameters
    ----------
    bgp : dict
        AS number by session: the address of the peer, or the own port.
    lldp : dict
        (system name, accepted port ids) by local port.
    pfc : dict
        Paused priorities by port; empty where the platform has no such reading.
    quantum_bytes : int
        Step in which the ASIC keeps marking thresholds.
    daemons : tuple of str
        Daemons that are to run: what keeps the MAC addresses of silent NICs known.
    """

    bgp: dict[str, int] = field(default_factory=dict)
    lldp: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    pfc: dict[str, tuple[int, ...]] = field(default_factory=dict)
    quantum_bytes: int = 1
    daemons: tuple[str, ...] = ()

    def sessions_over_ports(self) -> set[str]:
        """Return the ports with a session of their own, which any cable brings up."""
        return self.bgp.keys() & self.lldp.keys()


@dataclass(frozen=True, slots=True)
class Deviation:
    """One observation that is not as expected; ``unknown`` when it could not be read."""

    device: str
    subject: str
    item: str
    message: str
    unknown: bool = False

    def __str__(self) -> str:
        return f"{self.device}: {self.subject} {self.item}: {self.message}"


def of_switch(design: DeviceDesign, aliases: dict[tuple[str, str], str]) -> Expectation:
    """Return what a switch is to see.

    Parameters
    ----------
    aliases : dict
        Second name of a port by (device, port): SONiC announces the alias by LLDP.
    """
    cabled = [port for port in design.ports if port.enabled and port.kind != "unused"]
    daemon = platforms[design.platform].neighbour_refresh.daemon
    return Expectation(
        bgp={peer.session: peer.asn for peer in design.sessions},
        lldp={
            port.name: (port.peer, _names(port.peer, port.peer_port, aliases)) for port in cabled
        },
        pfc={
            port.name: port.qos.paused
            for port in cabled
            if port.qos and platforms[design.platform].reads_pfc
        },
        quantum_bytes=step_bytes(design.sku),
        daemons=(daemon,) if daemon and design.vlans else (),
    )


def of_host(design: HostDesign, aliases: dict[tuple[str, str], str]) -> Expectation:
    """Return what a host is to see: its leaves."""
    return Expectation(
        lldp={
            nic.interface: (nic.leaf, _names(nic.leaf, nic.leaf_port, aliases))
            for nic in design.nics
            if nic.enabled
        }
    )


def _names(device: str, port: str, aliases: dict[tuple[str, str], str]) -> tuple[str, ...]:
    alias = aliases.get((device, port))
    return (port, alias) if alias else (port,)


def deviations(expected: Expectation, seen: Snapshot) -> list[Deviation]:
    """Return everything in a snapshot that is not as expected."""
    looks = (_bgp, _lldp, _pfc, _daemons)
    return [deviation for look in looks for deviation in look(expected, seen)]


def grouped(items: Iterable[Deviation]) -> list[str]:
    """Return deviations as texts; those of one subject that say the same are one."""
    same = like_groups(items, lambda item: (item.subject, item.message))
    return [f"{one[0]}{f' (and {len(one) - 1} more)' if one[1:] else ''}" for one in same]


def _bgp(expected: Expectation, seen: Snapshot) -> Iterator[Deviation]:
    if not expected.bgp:
        return
    if seen.bgp is None:
        yield Deviation(seen.device, "bgp", "", "the output could not be parsed", unknown=True)
        return
    for address, asn in expected.bgp.items():
        peer = seen.bgp.get(address)
        if peer is None:
            yield Deviation(seen.device, "bgp", address, "no such session")
        elif not peer.established:
            yield Deviation(
                seen.device, "bgp", address, f"state is {peer.state}, expected Established"
            )
        elif peer.asn != asn:
            yield Deviation(seen.device, "bgp", address, f"AS {peer.asn}, expected {asn}")


def _lldp(expected: Expectation, seen: Snapshot) -> Iterator[Deviation]:
    if not expected.lldp:
        return
    if seen.lldp is None:
        yield Deviation(seen.device, "lldp", "", "the output could not be parsed", unknown=True)
        return
    up = sessions_up(expected, seen)
    for port, (name, ids) in expected.lldp.items():
        neighbours = seen.lldp.get(port, ())
        if not neighbours:
            message = f"no neighbour; {name} {ids[0]} expected"
            if port in up:
                message += ", and its session, which needs no address, is up over whatever cable"
            yield Deviation(seen.device, "lldp", port, message, unknown=port not in up)
        elif not any(is_neighbour(item, name, ids) for item in neighbours):
            others = ", ".join(f"{item.system_name} {item.port_id}" for item in neighbours)
            message = f"{others}, expected {name} {ids[0]}"
            yield Deviation(seen.device, "lldp", port, message)


def sessions_up(expected: Expectation, seen: Snapshot) -> set[str]:
    """Return the ports whose own session is up: LLDP alone tells whether the cable is right."""
    peers = seen.bgp or {}
    return {
        port for port in expected.sessions_over_ports() if port in peers and peers[port].established
    }


def is_neighbour(seen: LldpNeighbour, name: str, ids: tuple[str, ...]) -> bool:
    """Return whether what LLDP saw is a device, on a port of one of the names or by its MAC."""
    if not is_same_device(seen.system_name, name):
        return False
    is_mac = seen.port_id.count(":") == 5 or seen.port_id.count(".") == 2  # noqa: PLR2004
    names = {item.lower() for item in ids}
    return is_mac or seen.port_id.lower() in names or seen.description.lower() in names


def _pfc(expected: Expectation, seen: Snapshot) -> Iterator[Deviation]:
    if not expected.pfc:
        return
    if seen.pfc_priorities is None:
        yield Deviation(seen.device, "pfc", "", "the output could not be parsed", unknown=True)
        return
    for port, priorities in expected.pfc.items():
        running = seen.pfc_priorities.get(port)
        if running is None:
            yield Deviation(seen.device, "pfc", port, "not in the output", unknown=True)
        elif running != priorities:
            message = f"priorities {_list(running)}, expected {_list(priorities)}"
            yield Deviation(seen.device, "pfc", port, message)


def _daemons(expected: Expectation, seen: Snapshot) -> Iterator[Deviation]:
    states = seen.daemons or {}
    for name in expected.daemons:
        state = states.get(name)
        if state is None:
            message = "its state could not be read"
            yield Deviation(seen.device, "daemon", name, message, unknown=True)
        elif state != "RUNNING":
            message = (
                f"state is {state}, expected RUNNING: the switch does not refresh the MAC "
                "addresses of silent NICs"
            )
            yield Deviation(seen.device, "daemon", name, message)


def _list(priorities: tuple[int, ...]) -> str:
    return ",".join(str(priority) for priority in priorities) or "none"
