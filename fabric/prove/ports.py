"""Whether ports, gateways and sessions of the files are those of the design."""

from __future__ import annotations

from collections import defaultdict
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from fabric.observe.configuration.model import BITS, is_address
from fabric.prove.breach import Breach
from fabric.prove.policies import undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.design.model import BgpNeighbour, DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.observe.configuration import Configured, ConfiguredPort
    from fabric.prove.routes import Tables
    from fabric.prove.sessions import Session
    from fabric.prove.wiring import Network


def leftovers(network: Network) -> Iterator[Breach]:
    """Yield what no reader knows: lines, defaults of absent ones, routes over the other family."""
    for name, configured in network.switches.items():
        for item in configured.leftovers:
            message = f"this line was not understood: {item.text}"
            yield Breach("BAT001", name, "", item.line, message)
        for item in configured.undecided:
            yield Breach("BAT001", name, "", item.line, f"not judged: {item.text}")
        for peer in configured.bgp.peers.values() if configured.bgp else ():
            is_far = is_address(peer.session) and (":" in peer.session) != network.is_ipv6
            if is_far and (peer.activated6 if network.is_ipv6 else peer.activated):
                family = "IPv6" if network.is_ipv6 else "IPv4"
                message = f"not judged: {family} routes over the session {peer.session}"
                yield Breach("BAT001", name, "", peer.line, message)


def ports(network: Network, devices: Mapping[str, DeviceDesign]) -> Iterator[Breach]:
    """Yield the ports and gateways that are not as designed."""
    for name, configured in network.switches.items():
        design = devices[name]
        for reason in configured.no_routing:
            yield Breach("BAT002", name, "", 0, reason)
        if not network.is_ipv6 and loopback_of(design) not in _all_addresses(configured):
            yield Breach(
                "BAT002", name, "", 0, f"no port that works has the loopback {design.loopback}"
            )
        for port in design.ports:
            yield from _port(configured, port, port.ipv6 if network.is_ipv6 else port.address)
        for vlan in design.vlans:
            yield from _gateway(configured, vlan.vlan, vlan.gateway_interface, vlan.mtu_bytes)


def _port(configured: Configured, design: PortDesign, address: str) -> Iterator[Breach]:
    port = configured.ports.get(design.name)
    where = configured.name, design.name, port.line if port else 0
    if port is None:
        if design.enabled:
            yield Breach("BAT002", *where, "the file does not configure this port")
        return
    if port.enabled != design.enabled:
        state = ("shut down", "enabled")
        message = f"the port is {state[port.enabled]}, planned is {state[design.enabled]}"
        yield Breach("BAT002", *where, message)
    if not design.enabled:
        return
    if design.vlan is not None and port.vlan != design.vlan:
        has = f"in VLAN {port.vlan}" if port.vlan is not None else "in no VLAN"
        yield Breach("BAT002", *where, f"the port is {has}, planned is VLAN {design.vlan}")
    if address and port.routed is False:
        yield Breach("BAT002", *where, "the port is switched, planned is a routed port")
    elif address and address not in _addresses(port):
        has = ", ".join(_addresses(port)) or "no address"
        yield Breach("BAT002", *where, f"the port has {has}, planned is {address}")
    yield from _mtu(configured, port, design.mtu_bytes)


def _gateway(configured: Configured, vlan: int, address: str, mtu_bytes: int) -> Iterator[Breach]:
    gateways = [port for port in configured.ports.values() if port.gateway_vlan == vlan]
    if not any(_addresses(port) for port in gateways):
        yield Breach("BAT002", configured.name, "", 0, f"VLAN {vlan} has no gateway address")
        return
    for port in gateways:
        if address not in _addresses(port):
            has = ", ".join(_addresses(port))
            message = f"the gateway of VLAN {vlan} is {has}, planned is {address}"
            yield Breach("BAT002", configured.name, port.name, port.line, message)
        yield from _mtu(configured, port, mtu_bytes)


def _mtu(configured: Configured, port: ConfiguredPort, planned_bytes: int) -> Iterator[Breach]:
    if port.mtu_bytes is not None and port.mtu_bytes < planned_bytes:
        message = f"the MTU is {port.mtu_bytes} bytes, planned is {planned_bytes}"
        yield Breach("BAT009", configured.name, port.name, port.line, message)


def _addresses(port: ConfiguredPort) -> list[str]:
    return [entry.text for entry in port.addresses]


def loopback_of(design: DeviceDesign) -> tuple[int, int]:
    """Return the planned loopback of a switch as its address and prefix length."""
    return int(IPv4Address(design.loopback)), BITS


def _all_addresses(configured: Configured) -> set[tuple[int, int]]:
    working = [port for port in configured.ports.values() if port.enabled]
    return {entry[:2] for port in working for entry in port.addresses}


def loopbacks(
    network: Network, devices: Mapping[str, DeviceDesign], tables: Tables
) -> Iterator[Breach]:
    """Yield the loopbacks that a switch has, and a neighbour with a session does not know."""
    pairs = zip(tables.prefixes.network.tolist(), tables.prefixes.length.tolist(), strict=True)
    columns = {pair: column for column, pair in enumerate(pairs)}
    strangers: dict[str, list[str]] = defaultdict(list)
    for link in tables.sessions:
        column = columns.get(loopback_of(devices[link.peer]))
        if column is not None and not tables.known[network.row[link.switch], column]:
            strangers[link.peer].append(link.switch)
    for name, others in strangers.items():
        names = sorted(set(others))
        words = f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not know its loopback"
        message = f"{words} {devices[name].loopback}: it is not announced, or not accepted"
        yield Breach("BAT004", name, "", 0, message)


def bgp(
    network: Network, devices: Mapping[str, DeviceDesign], sessions: Iterable[Session]
) -> Iterator[Breach]:
    """Yield the sessions that are missing, do not come up, or were not planned."""
    by_switch: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        by_switch[session.switch].append(session)
    family = "ipv6" if network.is_ipv6 else "ipv4"
    for name in network.switches:
        planned = {
            key: peer
            for peer in devices[name].bgp.neighbours
            if (name, peer.port) in network.wiring.far and family in peer.families
            for key in (peer.port, peer.session)
        }
        present = set()
        for session in by_switch[name]:
            peer = planned.get(session.port) or planned.get(session.session)
            present.add(peer)
            yield from _session(session, peer)
        for peer in dict.fromkeys(planned.values()):
            if peer not in present:
                message = f"there is no BGP session with {peer.name}"
                yield Breach("BAT003", name, peer.port, 0, message)


def _session(session: Session, peer: BgpNeighbour | None) -> Iterator[Breach]:
    where = session.switch, session.port or (peer.port if peer else ""), session.line
    if peer is None:
        if session.peer or not session.port:
            message = f"the BGP session {session.session} is not planned"
            yield Breach("BAT003", *where, message)
    elif session.reason:
        message = f"the BGP session with {peer.name} does not come up: {session.reason}"
        yield Breach("BAT003", *where, message)


def identities(network: Network) -> Iterator[Breach]:
    """Yield router ids and addresses that stand on two switches, and names that do not exist."""
    router_ids: dict[str, list[str]] = defaultdict(list)
    owners: dict[tuple[str, str], list[tuple[str, str, int]]] = defaultdict(list)
    for name, configured in network.switches.items():
        if configured.bgp and configured.bgp.router_id:
            router_ids[configured.bgp.router_id].append(name)
        for port in configured.ports.values():
            for entry in port.addresses if port.enabled else ():
                address = entry.text.partition("/")[0]
                owners[port.vrf, address].append((name, port.name, entry.line))
        for line, words in undefined(configured):
            yield Breach("BAT011", name, "", line, f"{words} does not exist")
    for router_id, names in router_ids.items():
        if len(names) > 1:
            process = network.switches[names[-1]].bgp
            message = f"{', '.join(names)} have the same router id {router_id}"
            yield Breach("BAT010", names[-1], "", process.line if process else 0, message)
    for (_, address), ends in owners.items():
        if len(ends) > 1:
            where = ", ".join(f"{name} {port}" for name, port, _ in ends)
            message = f"address {address} is on {where}"
            yield Breach("BAT008", *ends[-1], message)
