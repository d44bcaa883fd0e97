"""Whether every NIC reaches its gateway: its leaf by the file, its host by the design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.topology.model import NO_VLAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.host_model import HostDesign, NicAddress, NicDesign
    from fabric.observe.configuration import Configured
    from fabric.prove.wiring import Network


@dataclass(frozen=True, slots=True)
class BadNic:
    """A NIC that its gateway does not serve; ``line`` is in the file of the leaf, 0 for none."""

    row: int
    host: str
    interface: str
    leaf: str
    port: str
    line: int
    reason: str

    @property
    def name(self) -> str:
        """Host and interface."""
        return f"{self.host} {self.interface}"


def bad_nics(network: Network, hosts: Mapping[str, HostDesign]) -> Iterator[BadNic]:
    """Yield the NICs with a cable that do not reach their gateway.

    Parameters
    ----------
    network : Network
        Files of the switches, and cables.
    hosts : mapping of str to HostDesign
        Addresses of the NICs.
    """
    for host in hosts.values():
        for nic in host.nics:
            end = nic.leaf, nic.leaf_port
            row = network.wiring.nics.get(end)
            if row is None or nic.leaf not in network.switches:
                continue
            own = next((one for one in nic.addresses if one.is_ipv6 == network.is_ipv6), None)
            if own is None:
                continue
            reason, line = _reason(network.switches[nic.leaf], nic, own)
            if reason:
                yield BadNic(row, host.name, nic.interface, *end, line, reason)


def _reason(leaf: Configured, nic: NicDesign, own: NicAddress) -> tuple[str, int]:
    """Return why a NIC does not reach its gateway, and the line that is about it."""
    port = leaf.ports.get(nic.leaf_port)
    if port is None:
        return f"{leaf.name} does not configure the port", 0
    if not port.enabled:
        return "the port is shut down", port.line
    if nic.vlan == NO_VLAN:
        if port.vlan is not None or port.routed is False:
            return "the port is switched, and the NIC is planned on a routed one", port.line
        where, addresses = "the port", port.addresses
    else:
        vlan = port.unknown_vlan or port.vlan
        if vlan is None:
            return "the port is in no VLAN", port.line
        where = f"VLAN {vlan}"
        if vlan not in leaf.vlans:
            return f"{where} of the port does not exist", port.line
        gateways = [other for other in leaf.ports.values() if other.gateway_vlan == port.vlan]
        addresses = [entry for other in gateways if other.enabled for entry in other.addresses]
    if not addresses:
        return f"{where} has no gateway address", port.line
    text = f"{own.gateway}/{own.prefix_length}"
    has = [entry.text for entry in addresses]
    if text not in has:
        return f"its gateway is {text}, {where} has {', '.join(has)}", addresses[0].line
    if leaf.no_routing:
        return f"on {leaf.name}, {leaf.no_routing[0]}", 0
    return "", 0
