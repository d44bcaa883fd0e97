"""Where the inventory says what a design has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fabric.platforms.model import role_field
from fabric.validate.origins import (
    Place,
    fabric_place,
    nic_place,
    port_place,
    switch_place,
    uplink_place,
)

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.inventory import Intent
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric


@dataclass(frozen=True)
class Places:
    """An inventory with its network and policies: all that a rule about one switch may ask."""

    intent: Intent
    fabric: Fabric
    resolver: PolicyResolver

    def policy_place(self, policy_field: str, device: str, port: str = "") -> Place:
        """Return where a dotted field of the lossless policy of a device or port was set.

        A value that stands nowhere is a default; then the place is that of ``lossless``.
        """
        row = self.fabric.switch_row.get(device)
        if row is None:
            origin = self.resolver.host_origin(policy_field, device)
        else:
            role = self.fabric.switches.role(row)
            origin = self.resolver.switch_origin(policy_field, device, role, port)
        position = origin.position or self.intent.position("lossless")
        return Place(origin.field, position, written=origin.position is not None)

    def profile_place(self, policy_field: str, device: DeviceDesign, profile: QosProfile) -> Place:
        """Return where a policy field of one of the profiles of a switch was set."""
        port = next((port.name for port in device.ports if port.qos is profile), "")
        return self.policy_place(policy_field, device.name, port if profile.index else "")

    def sku_place(self, device: DeviceDesign) -> Place:
        """Return where the switch model of a device was chosen."""
        return self.hardware_place(device, "sku")

    def hardware_place(self, device: DeviceDesign, name: str) -> Place:
        """Return where a field of `RolePlatform` was set for a device, such as ``breakouts``."""
        own = switch_place(self.intent, device.name, name)
        unit = int(self.fabric.switches.unit[self.fabric.switch_row[device.name]])
        if not own and name == "sku" and unit >= 0 and self.intent.fabric.units[unit].leaf_sku:
            return self.place("units", unit, "leaf_sku")
        return own or self.place("platforms", role_field(device.role), name)

    def cable_place(
        self, device: DeviceDesign, port: PortDesign, field: Literal["speed_gbps", "cable_m"]
    ) -> Place:
        """Return where the speed or the length of the cable in a port was set."""
        row, fabric = self.fabric.switch_row[device.name], self.fabric
        if port.kind == "host" and field == "speed_gbps":
            index = int(fabric.switches.unit[row])
            if port.speed_gbps == self.intent.fabric.units[index].host_gbps:
                return self.place("units", index, "host_gbps")
        group, unit = ("speeds", "gbps") if field == "speed_gbps" else ("cables", "m")
        cable = None if port.kind == "host" else fabric.uplink_at(row, port.number)
        core = cable is not None and fabric.switches.tier[fabric.uplinks.lower[cable]] > 0
        name = f"core_{unit}" if core else f"{port.kind}_{unit}"
        if getattr(port, field) == getattr(getattr(self.intent.fabric, group), name):
            return self.place(group, name)
        if port.kind == "host":
            rows = fabric.nics_of_leaf(row)
            nic = int(rows[fabric.nics.port[rows] == port.number][0])
            values = nic_place(fabric, nic, field)
        else:
            values = None if cable is None else uplink_place(fabric, cable, field)
        return values or self.place(group, name)

    def feature_place(self, device: DeviceDesign, dotted: str) -> Place:
        """Return where a dotted field of the inventory was set for a device."""
        group, _, name = dotted.partition(".")
        if group == "lossless":
            return self.policy_place(name, device.name)
        last = name.rpartition(".")[2]
        if group == "devices":
            ports = (port_place(self.intent, device.name, p.name, last) for p in device.ports)
            return next((place for place in ports if place), self.sku_place(device))
        if group == "platforms":
            return self.hardware_place(device, last)
        if group == "tenants":
            return self._tenant_place(device, last)
        return self.place(group, name)

    def _tenant_place(self, device: DeviceDesign, field: str) -> Place:
        """Return where a tenant of a switch sets a field, the first one that does."""
        here = {vrf.tenant for vrf in device.vrfs}
        items = (item for item in self.intent.tenants if item.value.name in here)
        item = next((item for item in items if field in item.value.model_fields_set), None)
        return Place(item.field(field), item.position(field)) if item else self.place("tenants")

    def peering_place(self, device: DeviceDesign) -> Place:
        """Return where the inventory makes links of a switch unnumbered."""
        ports = (
            port_place(self.intent, device.name, port.name, "peering")
            for port in device.unnumbered_ports
        )
        own = switch_place(self.intent, device.name, "peering")
        return next((place for place in ports if place), own) or self.place("bgp", "peering")

    def above_place(self, tier: int, *field: str) -> Place:
        """Return where the switches above a tier are said."""
        if self.intent.fabric.design == "explicit":
            return self.place("switches")
        return self.place(("spines", "super_spines")[tier], *field)

    def place(self, *path: str | int) -> Place:
        """Return the place of a field of ``fabric.yaml``."""
        return fabric_place(self.intent, *path)
