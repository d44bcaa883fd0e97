"""VRFs of the files as nodes, one for each switch and VRF, and the NIC ports that are in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.observe.configuration.model import BITS
from fabric.observe.configuration.vrfs import ConfiguredVrf
from fabric.prove.policies import Prefixes, permitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabric.observe.configuration import Configured, ConfiguredPort, PolicyTerm, PrefixMatch
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools, Fabric, Ints

    Prefix = tuple[int, int]

#: Name of the default VRF, in which uplinks and loopbacks are.
DEFAULT = ""
#: Names of the VRF of management where the system gives one: SONiC (sonic-static-route.yang) and
#: Cumulus Linux (CumulusNetworks/docs, Management VRF), NX-OS (Unicast Routing guide), Junos
#: (juniper.net CLI reference, management-instance).
MANAGEMENT = ("mgmt", "management", "mgmt_junos")
#: Networks up to which a policy is followed one by one; our choice: arrays cost more below it.
_FEW = 16
#: Node of a NIC port that is in no VRF at all: it is down, or has no gateway.
NOWHERE = -1


def default_vrf(switch: Configured) -> Configured:
    """Return what a configuration says of the default VRF: without the ports of other ones."""
    if not any(port.vrf for port in switch.ports.values()):
        return switch
    ports = {name: port for name, port in switch.ports.items() if port.vrf == DEFAULT}
    return replace(switch, ports=ports)


class VrfNode(NamedTuple):
    """A VRF of a switch.

    Parameters
    ----------
    switch : str
        Name of the switch.
    row : int
        Its row in the fabric.
    vrf : ConfiguredVrf
        What the file says; of a VRF that no line creates, that nothing is routed in it.
    configured : Configured
        What the whole file says.
    """

    switch: str
    row: int
    vrf: ConfiguredVrf
    configured: Configured


@dataclass(frozen=True, eq=False)
class VrfNodes:
    """VRFs of all switches whose files were read, the default one of each among them.

    Parameters
    ----------
    items : tuple of VrfNode
        A row is the identity of one.
    index : dict of (str, str) to int
        Row of each switch and VRF.
    management : dict of (str, str) to Port
        A management port that works, of each switch and VRF with one.
    """

    items: tuple[VrfNode, ...]
    index: Mapping[tuple[str, str], int]
    management: Mapping[tuple[str, str], ConfiguredPort]

    @classmethod
    def of(cls, network: Network, fabric: Fabric) -> VrfNodes:
        """Return the VRFs of all switches."""
        items = [
            VrfNode(name, fabric.switch_row[name], vrf, configured)
            for name, configured in network.switches.items()
            for vrf in _vrfs(configured)
        ]
        index = {(node.switch, node.vrf.name): row for row, node in enumerate(items)}
        management = {
            (name, port.vrf): port
            for name, configured in network.switches.items()
            for port in configured.management.values()
            if port.enabled
        }
        return cls(tuple(items), index, management)

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def switch(self) -> Ints:
        """Row in the fabric of the switch of each, shape (nodes,)."""
        return np.array([node.row for node in self.items], dtype=np.int64)

    @cached_property
    def is_exposed(self) -> Bools:
        """Whether switches are reached from each, shape (nodes,).

        It is the default VRF of its switch, or that of a management port.
        """
        reached = (
            node.vrf.name in {DEFAULT, *MANAGEMENT}
            or (node.switch, node.vrf.name) in self.management
            for node in self.items
        )
        return np.fromiter(reached, dtype=np.bool_, count=len(self))


def _vrfs(configured: Configured) -> Iterable[ConfiguredVrf]:
    """Return the VRFs of a switch, the default one first, then those that others name."""
    known = {DEFAULT: ConfiguredVrf(DEFAULT, 0), **configured.vrfs}
    for port in (*configured.ports.values(), *configured.management.values()):
        if port.vrf not in known:
            known[port.vrf] = ConfiguredVrf(port.vrf, port.vrf_line, routes=False)
    for route in [one for vrf in configured.vrfs.values() for one in vrf.static_routes]:
        if route.egress is not None and route.egress not in known:
            known[route.egress] = ConfiguredVrf(route.egress, route.line, routes=False)
    return known.values()


def gateways(configured: Configured) -> dict[int, ConfiguredPort]:
    """Return the gateway of each VLAN of a switch; one with an address where there are several."""
    found: dict[int, ConfiguredPort] = {}
    for port in configured.ports.values():
        if port.gateway_vlan is not None and (port.addresses or port.gateway_vlan not in found):
            found[port.gateway_vlan] = port
    return found


@dataclass(frozen=True, eq=False)
class NicPlaces:
    """Where the files have each NIC port of the fabric.

    Parameters
    ----------
    node : array of int, shape (NIC ports,)
        VRF that it is in; ``NOWHERE`` where it is down or without gateway.
    announced : array of bool, shape (NIC ports,)
        Whether its VRF announces its subnet.
    vlan : array of int, shape (NIC ports,)
        VLAN that its port is in; -1 where it is routed.
    networks : dict of int to list
        Subnets of NIC ports by VRF.
    first, length : array of int, shape (NIC ports,)
        First address and prefix length of the subnet of each; -1 without one.
    """

    node: Ints
    announced: Bools
    vlan: Ints
    networks: Mapping[int, list[Prefix]]
    first: Ints
    length: Ints

    @classmethod
    def of(cls, network: Network, nodes: VrfNodes, count: int) -> NicPlaces:
        """Return the places of all NIC ports that have a cable and work."""
        node, vlan = np.full(count, NOWHERE), np.full(count, -1)
        first, length = np.full(count, -1), np.full(count, -1)
        announced = np.zeros(count, dtype=np.bool_)
        members: dict[int, list[tuple[int, Prefix]]] = {}
        switches = {name: gateways(configured) for name, configured in network.switches.items()}
        for (switch, name), row in network.wiring.nics.items():
            port = network.switches[switch].ports.get(name) if switch in switches else None
            if port is None or not port.enabled:
                continue
            vlan[row] = port.vlan if port.vlan is not None else -1
            owner = port if port.vlan is None else switches[switch].get(port.vlan)
            if owner is None or not owner.enabled:
                continue
            node[row] = nodes.index[switch, owner.vrf]
            for entry in owner.addresses[:1]:
                members.setdefault(int(node[row]), []).append((row, entry.network))
                first[row], length[row] = entry.network
        for number, own in members.items():
            rows = [row for row, _ in own]
            where = nodes.items[number]
            passed = announces(network.switches[where.switch], where.vrf, [net for _, net in own])
            announced[rows] = passed
        networks = {number: [net for _, net in own] for number, own in members.items()}
        return cls(node, announced, vlan, networks, first, length)


def announces(configured: Configured, vrf: ConfiguredVrf, networks: list[Prefix]) -> Bools:
    """Return which connected networks a VRF announces, shape (networks,)."""
    passed = np.zeros(len(networks), dtype=np.bool_)
    for line in vrf.redistributions:
        if line.kind == "connected":
            passed |= passing(configured, line.policy, networks, "connected")
    if vrf.export_policy:
        passed &= passing(configured, vrf.export_policy, networks, "bgp")
    return passed


def passing(configured: Configured, policy: str, networks: list[Prefix], source: str) -> Bools:
    """Return which networks a policy lets through, shape (networks,)."""
    if policy and policy in configured.policies and len(networks) <= _FEW:
        terms = [term for term in configured.policies[policy] if term.source in ("", source)]
        return np.array([_passes(configured, terms, net) for net in networks], dtype=np.bool_)
    first = np.array([net[0] for net in networks], dtype=np.int64)
    length = np.array([net[1] for net in networks], dtype=np.int64)
    return permitted(configured, policy, Prefixes(first, length), source)


def _passes(configured: Configured, terms: list[PolicyTerm], net: Prefix) -> bool:
    """Tell whether the first term that is about a network permits it, as `permitted` does."""
    for term in terms:
        lists = [
            term.prefixes,
            *(configured.prefix_lists.get(name, ()) for name in term.prefix_lists),
        ]
        is_open = not term.prefix_lists and not term.prefixes
        if is_open or any(_listed(entries, net) for entries in lists):
            return term.permit
    return False


def _listed(entries: Sequence[PrefixMatch], net: Prefix) -> bool:
    for entry in entries:
        shift = BITS - entry.prefix_length
        if net[0] >> shift == entry.network >> shift and entry.low <= net[1] <= entry.high:
            return entry.permit
    return False
