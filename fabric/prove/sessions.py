"""BGP sessions as both ends configure them, and why one does not come up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration.model import address_number, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import BgpPeer, Configured
    from fabric.prove.wiring import End, Network

#: Lengths of IPv4 subnets of two hosts: FRR computes the address of the peer from them
#: (sonic-net/sonic-buildimage #14955; batfish/batfish #5372).
_PAIRS = (30, 31)


class Session(NamedTuple):
    """One end of a BGP session.

    Parameters
    ----------
    port : str
        Own port that leads to the peer; empty where no port does.
    peer, peer_port : str
        The switch and port at the other end of the cable; empty where there is none.
    reason : str
        Why it does not come up; empty where it does.
    """

    switch: str
    session: str
    line: int
    port: str
    peer: str
    peer_port: str
    reason: str
    far: BgpPeer | None = None

    @property
    def established(self) -> bool:
        """Whether it comes up, with unicast routes of its family."""
        return not self.reason


def sessions(network: Network) -> list[Session]:
    """Return every session that a file configures, in the order of the files."""
    return [session for name in network.switches for session in sessions_of(network, name)]


def sessions_of(network: Network, name: str) -> Iterator[Session]:
    """Yield the sessions that the file of a switch configures; none where it has no file."""
    own = network.switches.get(name)
    if own is None or own.bgp is None:
        return
    connected = {
        (entry.address >> (network.bits - entry.prefix_length), entry.prefix_length): (
            port.name,
            entry.address,
        )
        for port in own.ports.values()
        if port.routed is not False and port.gateway_vlan is None
        for entry in port.addresses
    }
    lengths = sorted({length for _, length in connected}, reverse=True)
    for peer in own.bgp.peers.values():
        session = partial(Session, name, peer.session, peer.line)
        if not is_address(peer.session):
            yield _over(network, own, peer, session, peer.session, None)
            continue
        number = address_number(peer.session)
        port, address = "", 0
        for length in lengths:
            if way := connected.get((number >> (network.bits - length), length)):
                port, address = way
                break
        if not port and own.evpn and peer.session in own.evpn.peers and not peer.activated:
            continue  # between loopbacks: fabric.prove.overlay
        if not port:
            yield session("", "", "", "no port has an address in its network")
        else:
            yield _over(network, own, peer, session, port, (address, number))


def _over(
    network: Network,
    own: Configured,
    peer: BgpPeer,
    session: partial[Session],
    port: str,
    between: tuple[int, int] | None,
) -> Session:
    """Return the session over a port.

    ``between`` is the address of the port and that of the peer, None where unnumbered.
    """
    end = network.wiring.far.get((own.name, port))
    if end is None or end[0] not in network.switches:
        return session(port, "", "", "no cable leads to a switch that works")
    other = network.switches[end[0]]
    own_address = network.text(between[0]) if between else ""
    far = other.bgp.peers.get(own_address or end[1]) if other.bgp else None
    ends = own.ports.get(port), other.ports.get(end[1])
    is_up = bool(ends[0] and ends[1] and ends[0].enabled and ends[1].enabled)
    reason = "" if is_up else "the port, or the one at the other end of its cable, is shut down"
    reason = reason or _routing_reason(own, other, numbered=between is not None)
    reason = reason or (
        _address_reason(other, between[1], end)
        if between
        else _port_reason(network, (own.name, port), end)
    )
    reason = reason or _far_reason(own, other, peer, far, own_address, is_ipv6=network.is_ipv6)
    return session(port, end[0], end[1], reason, far)


def _routing_reason(own: Configured, other: Configured, *, numbered: bool) -> str:
    for switch in (own, other):
        reasons = switch.no_routing or switch.no_sessions
        if not reasons and not numbered:
            reasons = switch.no_routing_over_ipv6
        if reasons:
            return f"on {switch.name}, {reasons[0]}"
    return ""


def _address_reason(other: Configured, number: int, end: End) -> str:
    """Return why the port at the other end has not the address of a session."""
    addresses = other.ports[end[1]].addresses
    if any(entry.address == number for entry in addresses):
        return ""
    here = [entry.text.partition("/")[0] for entry in addresses]
    return f"the cable leads to {end[0]} {end[1]}, which has {', '.join(here) or 'no address'}"


def _port_reason(network: Network, near: End, far: End) -> str:
    """Return why two ports do not find each other by their link-local addresses."""
    for (name, port), (peer, _) in ((near, far), (far, near)):
        ports = network.switches[name].ports
        if not ports[port].ipv6_link:
            return f"{name} {port} is not set up for a session without addresses"
        bgp = network.switches[name].bgp
        pairs = [entry for entry in ports[port].addresses if entry.prefix_length in _PAIRS]
        if bgp and bgp.ipv4_first and pairs:
            return (
                f"{name} {port} has {pairs[0].text} too: FRR makes the session between IPv4 "
                "addresses"
            )
        for other, it in ports.items() if ports[port].shares_link_address else ():
            there = network.wiring.far.get((name, other), ("", ""))[0]
            if other != port and it.shares_link_address and there == peer:
                return f"{name} has one link-local address on {port} and {other}, both to {peer}"
    return ""


def far_reason(own: Configured, other: Configured, peer: BgpPeer, far: BgpPeer | None) -> str:
    """Return what keeps a session down whatever it is over: both ends name and take each other."""
    if far is None:
        return f"{other.name} has no session for it"
    if peer.enabled is False or far.enabled is False:
        return f"it is shut down on {own.name if peer.enabled is False else other.name}"
    here, there = own.bgp.asn if own.bgp else 0, other.bgp.asn if other.bgp else 0
    if (peer.asn, far.asn) == (there, here) and peer.asns is far.asns is None:
        return ""  # as almost all are
    for one, two, its_peer in ((own, other, peer), (other, own, far)):
        mine, asn = (here, there) if one is own else (there, here)
        if not its_peer.names_as:
            return f"{one.name} names no AS number for it"
        if not its_peer.takes(asn, mine):
            expected = f"AS {its_peer.asn}" if its_peer.asns is None else "no such AS number"
            return f"{one.name} expects {expected}, {two.name} is AS {asn}"
    return ""


def _far_reason(
    own: Configured,
    other: Configured,
    peer: BgpPeer,
    far: BgpPeer | None,
    address: str,
    *,
    is_ipv6: bool,
) -> str:
    """Return what keeps a session down whose ports see each other; unnumbered has no address."""
    reason = far_reason(own, other, peer, far)
    if reason or far is None:
        return reason
    if address and peer.local_address not in (None, address):
        return f"it starts from {peer.local_address}, which is not the address of its port"
    for one, its_peer in ((own, peer), (other, far)):
        if not its_peer.activated:
            family = "IPv6" if is_ipv6 else "IPv4"
            return f"{family} unicast routes are not exchanged: it is not activated on {one.name}"
        if not address and its_peer.extended_next_hop is False:
            return f"{one.name} sends no IPv4 routes with IPv6 next hops over it"
    return ""
