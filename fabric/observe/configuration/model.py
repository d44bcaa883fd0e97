"""One form for what the configurations of all systems say; readers fill it line by line.

A value that no line sets is None or empty. Lines count from 1, in the file ``Configured.file``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.units import ipv4_text
from fabric.observe.configuration.vrfs import ConfiguredEvpn, ConfiguredVrf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration.static_routes import StaticRoute

#: Bits of an IPv4 address, and of one of IPv6.
BITS, BITS6 = 32, 128


class AddressLine(NamedTuple):
    """An address of a port: the address as a number, and its prefix length."""

    address: int
    prefix_length: int
    line: int
    is_ipv6: bool = False

    @property
    def network(self) -> tuple[int, int]:
        """First address and prefix length of its network."""
        host_bits = (BITS6 if self.is_ipv6 else BITS) - self.prefix_length
        return self.address >> host_bits << host_bits, self.prefix_length

    @property
    def text(self) -> str:
        """The address as it is written, with its prefix length."""
        return f"{number_text(self.address, is_ipv6=self.is_ipv6)}/{self.prefix_length}"


def number_text(address: int, *, is_ipv6: bool) -> str:
    """Return an address of a family as it is written."""
    return str(IPv6Address(address)) if is_ipv6 else ipv4_text(address)


def address_number(text: str) -> int:
    """Return an address that was checked before as a number."""
    if ":" in text:
        return int(ip_address(text))
    first, second, third, fourth = text.split(".")
    return int(first) << 24 | int(second) << 16 | int(third) << 8 | int(fourth)


#: IPv4 has digits and dots, IPv6 two colons at least: a port, such as 100GE1/0/1:1 or ae0, has not.
_ADDRESS = re.compile(r"[\d.]+|[\da-f.]*:[\da-f.]*:[\da-f.:]*", re.IGNORECASE)


def is_address(session: str) -> bool:
    """Tell whether a session is named by the address of its peer, and not by the own port."""
    return bool(_ADDRESS.fullmatch(session))


class PrefixMatch(NamedTuple):
    """An entry of a prefix list: what lies in a network and has ``low`` to ``high`` bits.

    ``number`` is its place in the list; 0 where the system has none.
    """

    permit: bool
    network: int
    prefix_length: int
    low: int
    high: int
    line: int
    number: int = 0
    is_ipv6: bool = False


class Leftover(NamedTuple):
    """A line that the reader does not know, so that nobody knows what it does."""

    line: int
    text: str


class Origination(NamedTuple):
    """What a switch announces: one network, or all connected ones that a policy permits.

    ``network`` None stands for every connected network. ``policy`` is empty where none is named.
    """

    network: tuple[int, int] | None
    policy: str
    line: int
    is_ipv6: bool = False


class Aggregate(NamedTuple):
    """A prefix that a switch has while it has a longer one inside.

    ``hides`` says whether the longer ones are not announced.
    """

    network: int
    prefix_length: int
    line: int
    hides: bool
    is_ipv6: bool = False


@dataclass(slots=True)
class PolicyTerm:
    """A term of a routing policy; without conditions it matches every route.

    ``prefix_lists`` are names, any of which matches, ``prefix_lists6`` those of IPv6; ``prefixes``
    are written in the term itself.
    ``source`` is ``connected``, ``aggregate`` or ``bgp`` where it matches routes of one kind alone.
    ``number`` is its place in the policy; 0 where the system has none. ``keeps_next_hop`` says that
    routes go on with the next hop that they came with.
    """

    permit: bool
    line: int
    prefix_lists: list[str] = field(default_factory=list)
    prefixes: list[PrefixMatch] = field(default_factory=list)
    source: str = ""
    number: int = 0
    prefix_lists6: list[str] = field(default_factory=list)
    keeps_next_hop: bool = False


@dataclass(slots=True)
class ConfiguredPort:
    """A port, a loopback or the gateway of a VLAN.

    Parameters
    ----------
    frame_bytes : int or None
        Longest frame, where a line of its own says it.
    vlan : int or None
        Untagged VLAN of a switched port.
    unknown_vlan : str
        Name of that VLAN, where no line gives the name a number.
    gateway_vlan : int or None
        VLAN that a routed interface is the gateway of.
    ipv6_link : bool
        Whether it takes part in unnumbered BGP by its link-local address.
    shares_link_address : bool
        Whether other ports of the switch have the same link-local address.
    own_lines : set of str
        Lines that its reader looks at in the end.
    vrf, vrf_line : str, int
        VRF that it is in, and the line that says so; empty for the default VRF.
    """

    name: str
    line: int
    enabled: bool = True
    routed: bool | None = None
    addresses: list[AddressLine] = field(default_factory=list)
    ipv6_link: bool = False
    shares_link_address: bool = False
    own_lines: set[str] = field(default_factory=set)
    mtu_bytes: int | None = None
    frame_bytes: int | None = None
    vlan: int | None = None
    unknown_vlan: str = ""
    tagged_vlans: list[int] = field(default_factory=list)
    gateway_vlan: int | None = None
    description: str = ""
    vrf: str = ""
    vrf_line: int = 0


#: ``BgpTemplate.asn`` of ``external``: any AS number but the own one.
EXTERNAL = 0


@dataclass(slots=True)
class BgpTemplate:
    """What a peer group says; a peer that names it takes what its own lines leave open.

    ``asns`` are AS numbers of which the peer may have any, where the file has a list of them.
    ``activated`` says whether IPv4 unicast routes are exchanged; ``extended_next_hop`` whether
    they may have the IPv6 next hop of a session over a port (RFC 8950). ``allowas_in`` is how often
    the own AS number may stand in a route; ``tells_peer_as`` says whether the peer is told routes
    that came from its AS. What ends with 6 is about IPv6 unicast routes.
    ``evpn`` says whether EVPN routes are exchanged, ``keeps_next_hop`` whether these go to the
    peer with their next hop. ``hops`` is how many hops the peer may be away, where a line says so.
    ``policy_in_evpn`` and ``policy_out_evpn`` are about EVPN routes; ``sends_targets`` says whether
    these go to the peer with their route targets.
    """

    line: int
    asn: int | None = None
    asns: tuple[range, ...] | None = None
    enabled: bool | None = None
    activated: bool | None = None
    activated6: bool | None = None
    policy_in6: str | None = None
    policy_out6: str | None = None
    allowas_in6: int | None = None
    extended_next_hop: bool | None = None
    policy_in: str | None = None
    policy_out: str | None = None
    local_address: str | None = None
    keepalive_s: int | None = None
    hold_s: int | None = None
    bfd: bool | None = None
    allowas_in: int | None = None
    tells_peer_as: bool | None = None
    allowas_in_evpn: int | None = None
    evpn: bool | None = None
    keeps_next_hop: bool | None = None
    hops: int | None = None
    policy_in_evpn: str | None = None
    policy_out_evpn: str | None = None
    sends_targets: bool | None = None

    @property
    def names_as(self) -> bool:
        """Whether it is said which AS the peer is in."""
        return self.asn is not None or self.asns is not None

    def takes(self, asn: int, own: int) -> bool:
        """Tell whether the peer may be in an AS; ``own`` is the AS of the switch itself."""
        if self.asns is not None:
            return any(asn in span for span in self.asns)
        return asn == self.asn or (self.asn == EXTERNAL and asn != own)


@dataclass(slots=True)
class BgpPeer(BgpTemplate):
    """A BGP session: ``session`` is the address of the peer, or the own port where unnumbered."""

    session: str = ""
    group: str | None = None
    description: str = ""


_SHARED = tuple(item.name for item in fields(BgpTemplate) if item.name != "line")


@dataclass(slots=True)
class Bgp:
    """The BGP process.

    ``max_paths`` is how many equal paths of external BGP are used; ``relax`` whether they may go
    through different neighbour ASes. ``active_by_default``: IPv4 unicast needs no activation;
    ``extended_by_default``: nor does the IPv6 next hop of a session over a port;
    ``tells_by_default``: a peer is told routes that came from its AS. ``ipv4_first``: a session
    over a port with an IPv4 /30 or /31 is between these addresses. ``keepalive_s`` and ``hold_s``
    are those of peers that have no own ones. ``max_paths6`` is that of IPv6, where it has its own.
    """

    asn: int
    line: int
    router_id: str = ""
    max_paths: int = 1
    relax: bool = False
    active_by_default: bool = True
    extended_by_default: bool = True
    tells_by_default: bool = True
    ipv4_first: bool = False
    keepalive_s: int | None = None
    hold_s: int | None = None
    peers: dict[str, BgpPeer] = field(default_factory=dict)
    groups: dict[str, BgpTemplate] = field(default_factory=dict)
    max_paths6: int | None = None
    originations: list[Origination] = field(default_factory=list)
    aggregates: list[Aggregate] = field(default_factory=list)

    def peer(self, session: str, line: int) -> BgpPeer:
        """Return the peer of a session; a new one at its first line.

        Raises
        ------
        ValueError
            When the session looks like an address, and is none.
        """
        if is_address(session):
            session = str(ip_address(session))
        return self.peers.setdefault(session, BgpPeer(line, session=session))

    def group(self, name: str, line: int) -> BgpTemplate:
        """Return a peer group; a new one at its first line."""
        return self.groups.setdefault(name, BgpTemplate(line))

    def speaker(self, name: str, line: int) -> BgpTemplate:
        """Return the peer group of a name, or else the peer of a session."""
        return self.groups[name] if name in self.groups else self.peer(name, line)

    def set_timers(self, _: int, keepalive: str, hold: str, **__: str | None) -> None:
        """Set the timers of peers that have no own ones, as a line of the process says them."""
        self.keepalive_s, self.hold_s = int(keepalive), int(hold)

    def set_router_id(self, _: int, address: str) -> None:
        """Set the router ID."""
        self.router_id = str(IPv4Address(address))

    def resolve(self) -> None:
        """Give every peer what its group says and its own lines leave open."""
        for peer in self.peers.values():
            group = self.groups.get(peer.group or "")
            for name in _SHARED if group else ():
                if getattr(peer, name) is None:
                    setattr(peer, name, getattr(group, name))
            if peer.hold_s is None:
                peer.keepalive_s, peer.hold_s = self.keepalive_s, self.hold_s
            if peer.activated is None:
                peer.activated = self.active_by_default
            if peer.extended_next_hop is None:
                peer.extended_next_hop = self.extended_by_default
            if peer.tells_peer_as is None:
                peer.tells_peer_as = self.tells_by_default


@dataclass(slots=True)
class Configured:
    """What the configuration of one switch says.

    Parameters
    ----------
    system : str
        Switch system that it is written for.
    file : str
        Kind of the file that line numbers count in.
    ports : dict of str to Port
        Ports, loopbacks and gateways that the file names.
    management : dict of str to Port
        Ports for management alone, with no more than what says who reaches them.
    vlans : dict of int to int
        Line of each VLAN.
    no_routing, no_routing6, no_routing_over_ipv6 : list of str
        Why no packet is routed, none of IPv6, and none of IPv4 over ports without an address of it.
    no_sessions : list of str
        Why no BGP session comes up.
    global_lines : set of str
        Lines about the whole switch that its reader looks at in the end.
    prefix_lists, prefix_lists6, policies : dict
        Entries and terms in the order in which they are tried.
    vrfs : dict of str to ConfiguredVrf
        VRFs beside the default one.
    evpn : ConfiguredEvpn or None
        EVPN and tunnels; None where the file has nothing of them.
    undecided : list of Leftover
        Where a line is absent, and no source tells what the system does then.
    """

    system: str
    file: str
    name: str = ""
    ports: dict[str, ConfiguredPort] = field(default_factory=dict)
    management: dict[str, ConfiguredPort] = field(default_factory=dict)
    vlans: dict[int, int] = field(default_factory=dict)
    bgp: Bgp | None = None
    prefix_lists: dict[str, list[PrefixMatch]] = field(default_factory=dict)
    prefix_lists6: dict[str, list[PrefixMatch]] = field(default_factory=dict)
    policies: dict[str, list[PolicyTerm]] = field(default_factory=dict)
    static_routes: list[StaticRoute] = field(default_factory=list)
    no_routing: list[str] = field(default_factory=list)
    no_routing6: list[str] = field(default_factory=list)
    no_routing_over_ipv6: list[str] = field(default_factory=list)
    no_sessions: list[str] = field(default_factory=list)
    global_lines: set[str] = field(default_factory=set)
    vrfs: dict[str, ConfiguredVrf] = field(default_factory=dict)
    evpn: ConfiguredEvpn | None = None
    leftovers: list[Leftover] = field(default_factory=list)
    undecided: list[Leftover] = field(default_factory=list)

    @property
    def uses_ipv6(self) -> bool:
        """Whether a port has an address of IPv6."""
        return any(entry.is_ipv6 for port in self.ports.values() for entry in port.addresses)

    @property
    def vrf_of_port(self) -> dict[str, str]:
        """VRF of each port that is in one, by itself or by its VLAN."""
        of_vlan: dict[int | None, str] = {
            port.gateway_vlan: port.vrf for port in self.ports.values() if port.gateway_vlan
        }
        every = {name: port.vrf or of_vlan.get(port.vlan, "") for name, port in self.ports.items()}
        return {name: vrf for name, vrf in every.items() if vrf}

    def port(self, name: str, line: int) -> ConfiguredPort:
        """Return a port; a new one at its first line."""
        return self.ports.setdefault(name, ConfiguredPort(name, line))

    def vrf(self, name: str, line: int) -> ConfiguredVrf:
        """Return a VRF; a new one at its first line."""
        return self.vrfs.setdefault(name, ConfiguredVrf(name, line))

    def doubled_vnis(self) -> Iterator[tuple[ConfiguredVrf, ConfiguredVrf]]:
        """Yield each VRF that has the VNI of an earlier one, with that one."""
        owners: dict[int, ConfiguredVrf] = {}
        for vrf in self.vrfs.values():
            if vrf.vni and (first := owners.setdefault(vrf.vni, vrf)) is not vrf:
                yield vrf, first

    def open_evpn(self, line: int) -> ConfiguredEvpn:
        """Return EVPN and the tunnels; new ones at the first line of them."""
        if self.evpn is None:
            self.evpn = ConfiguredEvpn(line)
        return self.evpn

    def settle_evpn(self) -> None:
        """Say which sessions carry EVPN routes, once all lines of BGP are read."""
        peers = [peer for peer in self.bgp.peers.values() if peer.evpn] if self.bgp else []
        for peer in peers:
            self.open_evpn(peer.line).peers[peer.session] = peer.line
        if self.evpn:
            self.evpn.keeps_next_hop = {peer.session for peer in peers if peer.keeps_next_hop}

    def open_bgp(self, first: Bgp) -> Bgp:
        """Return the BGP process; the given one where this is its first line.

        Raises
        ------
        ValueError
            When there is one with another AS number.
        """
        if self.bgp is None:
            self.bgp = first
        if self.bgp.asn != first.asn:
            raise ValueError("a second BGP process")
        return self.bgp
