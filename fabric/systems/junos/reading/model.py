"""What stands in a Junos configuration before it is brought into the form of all systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.configuration.defaults import number_of

if TYPE_CHECKING:
    from fabric.observe.configuration import Aggregate, Bgp, Configured, PrefixMatch


@dataclass(slots=True)
class Term:
    """A term of a policy; without ``accept`` or ``reject`` the next one is tried."""

    line: int
    permit: bool | None = None
    source: str = ""
    family: str = ""
    filters: list[PrefixMatch] = field(default_factory=list)
    prefix_lists: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RoutingLines:
    """A switch with what only Junos has.

    Parameters
    ----------
    vlan_ids : dict of str to int
        Numbers of the VLANs by name.
    vlan_lists : set of str
        Names that stand for several VLANs.
    policies : dict of str to dict of str to Term
        Terms by name; that without a name has the empty one.
    multipath : dict of str to bool
        By group that uses several paths: whether they may come from several ASes.
    balancing : set of str
        Policies with ``load-balance per-packet``.
    forwarding_policy : str
        Policy between routes and the forwarding table.
    loops : int
        How often the own AS number may stand in a route, itself counted; 0 where no line says it.
    inet_mtu_bytes : dict of str to int
        By port: longest packet, without the Ethernet header.
    inet6, advertising : set of str
        Ports with an IPv6 link-local address, and ports that tell their peer of it.
    discovering : set of str
        Groups of sessions that find their peers by neighbour discovery.
    as_lists : dict of str to list of range
        AS numbers by the name of their list; ``peer_lists`` has that of each group.
    vrf_policies : dict of str to (str, int)
        Policy of what an instance announces, and its line.
    without_vpn : dict of str to int
        Instances of a type without EVPN routes, and the line that says it.
    copies_tos, restores_tos : bool
        Whether DSCP and ECN get into the outer header, and back.
    """

    switch: Configured
    vlan_ids: dict[str, int] = field(default_factory=dict)
    vlan_lists: set[str] = field(default_factory=set)
    policies: dict[str, dict[str, Term]] = field(default_factory=dict)
    multipath: dict[str, bool] = field(default_factory=dict)
    balancing: set[str] = field(default_factory=set)
    forwarding_policy: str = ""
    maximum_ecmp: int = field(default_factory=lambda: number_of("junos", "maximum_ecmp"))
    asn: int | None = None
    loops: int = 0
    router_id: str = ""
    aggregates: list[Aggregate] = field(default_factory=list)
    irb_mtu_bytes: int | None = None
    irb_enabled: bool = True
    inet_mtu_bytes: dict[str, int] = field(default_factory=dict)
    inet6: set[str] = field(default_factory=set)
    advertising: set[str] = field(default_factory=set)
    discovering: set[str] = field(default_factory=set)
    as_lists: dict[str, list[range]] = field(default_factory=dict)
    peer_lists: dict[str, str] = field(default_factory=dict)
    vrf_policies: dict[str, tuple[str, int]] = field(default_factory=dict)
    without_vpn: dict[str, int] = field(default_factory=dict)
    copies_tos: bool = True
    restores_tos: bool = True

    @property
    def bgp(self) -> Bgp:
        """The BGP process.

        Raises
        ------
        ValueError
            When there is none.
        """
        if self.switch.bgp is None:
            raise ValueError("there is no BGP process")
        return self.switch.bgp

    def term(self, policy: str, name: str | None, line: int) -> Term:
        """Return a term of a policy; a new one at its first line."""
        return self.policies.setdefault(policy, {}).setdefault(name or "", Term(line))
