"""Whether every port is in the VRF of the design: NICs in that of their tenant, others in none."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.prove.breach import Breach
from fabric.prove.vrfs import DEFAULT, gateways

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.observe.configuration import Configured, ConfiguredPort
    from fabric.prove.wiring import Network


def vrf_ports(network: Network, devices: Mapping[str, DeviceDesign]) -> Iterator[Breach]:
    """Yield the ports that are not in their VRF.

    Parameters
    ----------
    network : Network
        Files with the ports of all VRFs.
    """
    names = {vrf.name: vrf.tenant for design in devices.values() for vrf in design.vrfs}
    for name, configured in network.switches.items():
        yield from _Switch(configured, devices[name], names).breaches()


class _Switch:
    """The ports of one switch; ``tenants`` has the tenant of each VRF of the fabric."""

    def __init__(
        self, configured: Configured, design: DeviceDesign, tenants: Mapping[str, str]
    ) -> None:
        self._file, self._design, self._tenants = configured, design, tenants
        self._gateways = gateways(configured)
        self._planned = {port.name: port for port in design.ports}
        self._vrf_of_vlan = {vlan.vlan: vlan.vrf for vlan in design.vlans}

    def breaches(self) -> Iterator[Breach]:
        for port in self._file.ports.values():
            if not port.enabled or port.gateway_vlan is not None:
                continue
            planned = self._planned.get(port.name)
            if planned is None or planned.kind == "unused":
                yield from self._foreign(port)
            elif planned.quarantined:
                yield from self._quarantined(port)
            elif planned.enabled:
                yield from self._of_plan(port, planned)
        yield from self._shared_vlans()
        for port in self._file.management.values():
            if port.enabled and port.vrf in self._tenants:
                words = f"the management port is in {self._named(port.vrf)}, so that NICs reach it"
                yield Breach("BAT023", self._design.name, port.name, port.vrf_line, words)

    def _where(self, port: ConfiguredPort) -> tuple[str | None, int]:
        """Return the VRF of a port, and the line that says it; None where nothing routes it."""
        if port.vlan is None:
            return port.vrf, port.vrf_line or port.line
        gateway = self._gateways.get(port.vlan)
        if gateway is None:
            return None, port.line
        return gateway.vrf, gateway.vrf_line or gateway.line

    def _named(self, vrf: str) -> str:
        tenant = self._tenants.get(vrf)
        return f"VRF {vrf} of tenant {tenant}" if tenant else f"VRF {vrf}" if vrf else "no VRF"

    def _of_plan(self, port: ConfiguredPort, planned: PortDesign) -> Iterator[Breach]:
        vrf, line = self._where(port)
        own = planned.vrf
        if planned.vlan is not None:
            own = self._vrf_of_vlan.get(planned.vlan, DEFAULT)
        if vrf is None or vrf == own:
            return
        what = f"the NIC of {planned.peer}" if planned.kind == "host" else "the uplink"
        more = ""
        if planned.kind == "host" and vrf == DEFAULT:
            more = ", so that it reaches loopbacks, tunnel end points and management"
        words = f"{what} is in {self._named(vrf)}, planned is {self._named(own)}{more}"
        yield self._breach(port, line, words)

    def _quarantined(self, port: ConfiguredPort) -> Iterator[Breach]:
        vrf, line = self._where(port)
        where = "" if vrf is None else f" in {self._named(vrf)}"
        peer = self._planned[port.name].peer
        words = f"the NIC of {peer} is in quarantine, and its port is up{where}"
        yield self._breach(port, line, words)

    def _foreign(self, port: ConfiguredPort) -> Iterator[Breach]:
        """Yield a port that is planned for no NIC, and lets one into a tenant."""
        vrf, line = self._where(port)
        if vrf is not None and vrf in self._tenants:
            is_loopback = port.name.lower().startswith("lo")
            what = "a loopback" if is_loopback else "a port without a planned NIC"
            yield self._breach(port, line, f"{what} is in {self._named(vrf)}")

    def _shared_vlans(self) -> Iterator[Breach]:
        """Yield the VLANs that NICs of two tenants are in."""
        ports: dict[int, list[ConfiguredPort]] = defaultdict(list)
        for port in self._file.ports.values():
            planned = self._planned.get(port.name)
            if planned and planned.kind == "host" and port.enabled and planned.enabled:
                for vlan in {port.vlan, *port.tagged_vlans} - {None}:
                    ports[int(vlan or 0)].append(port)
        for vlan, members in ports.items():
            owners = {self._owner(port.name): port for port in members}
            if len(owners) > 1:
                names = " and ".join(sorted(owner or "no tenant" for owner in owners))
                last = members[-1]
                words = f"VLAN {vlan} has NICs of {names}; they reach each other in it"
                yield self._breach(last, last.line, words)

    def _owner(self, name: str) -> str:
        planned = self._planned[name]
        vrf = planned.vrf
        if planned.vlan is not None:
            vrf = self._vrf_of_vlan.get(planned.vlan, DEFAULT)
        return self._tenants.get(vrf, "")

    def _breach(self, port: ConfiguredPort, line: int, words: str) -> Breach:
        return Breach("BAT021", self._design.name, port.name, line, words)
