"""Every packet between NICs of tenants, walked hop by hop: slow, and by other code than the proof.

The default VRF is taken for good: only lines about VRFs, EVPN and ports of NICs are changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from ipaddress import ip_address, ip_network
from itertools import product

from fabric.observe.configuration import Configured, ConfiguredPort
from fabric.observe.configuration.vrfs import ConfiguredVrf
from fabric.workflow.project import Project

#: Host, rail and port of the NIC.
Nic = tuple[str, int, int]
#: Leaf and VRF.
Spot = tuple[str, str]


class Walk:
    """What becomes of packets in a fabric of leaves and spines."""

    def __init__(self, project: Project, files: dict[str, Configured]) -> None:
        self._files = files
        self._designs = project.devices
        self._nics = {
            (host.name, nic.rail, nic.nic_port): nic
            for host in project.hosts.values()
            for nic in host.nics
            if nic.enabled
        }
        tenants = project.fabric.tenants
        assert tenants
        self.owner: dict[Nic, str] = {}
        fabric = project.fabric
        for row in range(len(fabric.nics)):
            host = fabric.hosts.names[int(fabric.nics.host[row])]
            key = host, int(fabric.nics.rail[row]), row % fabric.nic_ports
            if key in self._nics and tenants.name_of(row):
                self.owner[key] = tenants.name_of(row)
        self.names = tenants.names

    def _port(self, nic: Nic) -> ConfiguredPort | None:
        design = self._nics[nic]
        port = self._files[design.leaf].ports.get(design.leaf_port)
        return port if port is not None and port.enabled else None

    def spot(self, nic: Nic) -> Spot | None:
        """Return where a NIC is by the files."""
        port, leaf = self._port(nic), self._nics[nic].leaf
        if port is None:
            return None
        if port.vlan is None:
            return leaf, port.vrf
        for gateway in self._files[leaf].ports.values():
            if gateway.gateway_vlan == port.vlan and gateway.enabled:
                return leaf, gateway.vrf
        return None

    def _works(self, nic: Nic) -> bool:
        """Tell whether a NIC reaches its gateway, and this routes."""
        port, design, spot = self._port(nic), self._nics[nic], self.spot(nic)
        if port is None or spot is None or port.vlan is not None or port.routed is False:
            return False
        own = design.addresses[0]
        has = f"{own.gateway}/{own.prefix_length}" in [one.text for one in port.addresses]
        configured = self._files[spot[0]]
        vrf = configured.vrfs.get(spot[1])
        routes = spot[1] == "" or (vrf is not None and vrf.routes)
        return has and routes and not configured.no_routing

    @cached_property
    def _members(self) -> dict[Spot, list[Nic]]:
        members: dict[Spot, list[Nic]] = {}
        for nic in self.owner:
            spot = self.spot(nic)
            if spot:
                members.setdefault(spot, []).append(nic)
        return members

    def _announced(self, nic: Nic) -> bool:
        """Tell whether the VRF of a NIC announces the subnet of its port."""
        spot, port = self.spot(nic), self._port(nic)
        if spot is None or port is None or not port.addresses:
            return False
        configured = self._files[spot[0]]
        vrf = configured.vrfs.get(spot[1])
        subnet = ip_network(port.addresses[0].text, strict=False)
        for line in vrf.redistributions if vrf else ():
            if line.kind == "connected" and self._passes(configured, line.policy, subnet):
                return True
        return False

    @staticmethod
    def _passes(configured: Configured, policy: str, subnet: object) -> bool:
        if not policy or policy not in configured.policies:
            return True
        net = ip_network(str(subnet))
        for term in configured.policies[policy]:
            if not term.prefix_lists:
                return term.permit
            for name in term.prefix_lists:
                for entry in configured.prefix_lists.get(name, ()):
                    around = ip_network(f"{ip_address(entry.network)}/{entry.prefix_length}")
                    if net.subnet_of(around) and entry.low <= net.prefixlen <= entry.high:
                        if entry.permit:
                            return term.permit
                        break
        return False

    def _vrfs(self) -> Iterator[tuple[Spot, ConfiguredVrf]]:
        for name, configured in self._files.items():
            if self._designs[name].role == "leaf":
                for vrf in configured.vrfs.values():
                    yield (name, vrf.name), vrf

    def _sends(self, vrf: ConfiguredVrf, spot: Spot) -> bool:
        return bool(vrf.vni and vrf.routes and vrf.advertises and self._files[spot[0]].bgp)

    def _session(self, one: str, other: str) -> bool:
        """Tell whether two switches exchange EVPN routes between their loopbacks."""
        for near, far in ((one, other), (other, one)):
            configured = self._files[near]
            address = self._designs[far].loopback
            peer = configured.bgp.peers.get(address) if configured.bgp else None
            away = self._files[far].bgp
            if peer is None or away is None or configured.evpn is None:
                return False
            if peer.enabled is False or address not in configured.evpn.peers or peer.hops is None:
                return False
            if peer.local_address != self._designs[near].loopback or peer.asn != away.asn:
                return False
        return True

    def _tells(self, one: str, other: str) -> bool:
        """Tell whether a switch sends EVPN routes with targets to another one."""
        own = self._files[one].bgp
        peer = own.peers.get(self._designs[other].loopback) if own else None
        return self._session(one, other) and bool(peer and peer.sends_targets)

    def _arrivals(self, leaf: str, origin: str) -> tuple[bool, bool]:
        """Return whether working routes of a leaf arrive at another one, and only such."""
        if leaf == origin:
            return True, True
        if not self._end(leaf) or not self._end(origin):
            return False, False
        kept = []
        for spine in (name for name in self._files if self._designs[name].role == "spine"):
            relay = self._files[spine].evpn
            if relay is None or not self._tells(origin, spine):
                continue
            if self._tells(spine, leaf) and relay.keeps_all_targets:
                to = self._designs[leaf].loopback
                kept.append(relay.keeps_next_hops or to in relay.keeps_next_hop)
        return any(kept), bool(kept) and all(kept)

    def _end(self, leaf: str) -> bool:
        evpn = self._files[leaf].evpn
        return evpn is not None and evpn.source in (self._designs[leaf].loopback, "Loopback0")

    def _routes(self, spot: Spot) -> Iterator[tuple[Spot, Nic, bool]]:
        """Yield the EVPN routes of a VRF: the VRF of the origin, the NIC, whether for certain."""
        own = self._files[spot[0]].vrfs.get(spot[1])
        if own is None or not (own.vni and own.routes and self._files[spot[0]].bgp):
            return
        for origin, vrf in self._vrfs():
            carried = {line.target for line in vrf.exports}
            wanted = {line.target for line in own.imports}
            if not (carried & wanted and self._sends(vrf, origin)):
                continue
            some, every = self._arrivals(spot[0], origin[0])
            for nic in self._members.get(origin, ()) if some else ():
                if self._announced(nic):
                    yield origin, nic, every and vrf.vni == own.vni

    def _decapsulated(self, origin: Spot) -> list[Spot]:
        """Return the VRFs that packets out of the tunnel of a VRF get into."""
        vrfs = self._files[origin[0]].vrfs
        return [(origin[0], one.name) for one in vrfs.values() if one.vni == vrfs[origin[1]].vni]

    def entered(self, nic: Nic) -> set[Spot]:
        """Return all VRFs that packets of a NIC get into."""
        spot = self.spot(nic)
        if spot is None:
            return set()
        return {spot} | {
            into for origin, _, _ in self._routes(spot) for into in self._decapsulated(origin)
        }

    def leaks(self) -> set[tuple[str, str]]:
        """Return the tenants whose packets get to others."""
        found = set()
        for nic, tenant in self.owner.items():
            for spot in self.entered(nic):
                found |= {(tenant, self.owner[other]) for other in self._members.get(spot, ())}
            mine = self._port(nic)
            for other, name in self.owner.items():
                port, same = self._port(other), self._nics[other].leaf == self._nics[nic].leaf
                if mine and port and same and mine.vlan is not None and port.vlan == mine.vlan:
                    found.add((tenant, name))
        return {pair for pair in found if pair[0] != pair[1]}

    def exposed(self) -> set[str]:
        """Return the tenants with NICs in the default VRF."""
        spots = ((nic, self.spot(nic)) for nic in self.owner)
        return {self.owner[nic] for nic, spot in spots if spot and not spot[1]}

    def lost(self, *, on_leaves: bool) -> int:
        """Return how many pairs of NICs of one tenant do not reach each other for certain.

        ``on_leaves``: only those on one leaf are promised.
        """
        good = {nic for nic in self.owner if self._works(nic)}
        reached = {
            (nic, other)
            for nic in good
            for origin, other, is_certain in self._routes(self.spot(nic) or ("", ""))
            if is_certain and other in good and len(self._decapsulated(origin)) == 1
        }
        return sum(
            (one, other) not in reached
            and not (one in good and other in good and self.spot(one) == self.spot(other))
            for one, other in product(self.owner, repeat=2)
            if one != other
            and self.owner[one] == self.owner[other]
            and (not on_leaves or self._nics[one].leaf == self._nics[other].leaf)
        )
