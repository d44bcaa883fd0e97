"""Where the inventory says something about a switch, a cable or a NIC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.shown import field_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Position
    from fabric.intent.inventory import Intent, Located
    from fabric.topology.model import Fabric


@dataclass(frozen=True)
class Place:
    """Where an inventory value stands, or would stand if it were written."""

    field: str
    position: Position | None
    written: bool = True

    @property
    def specific(self) -> int:
        """How narrow the place is: 3 for a device, port or host, 2 role, 1 fabric, 0 default."""
        if not self.written:
            return 0
        if not self.field.startswith("fabric."):
            return 3
        return 2 if self.field.startswith("fabric.platforms.") else 1


def fabric_place(intent: Intent, *path: str | int) -> Place:
    """Return the place of a field of ``fabric.yaml``."""
    return Place(field_text(("fabric", *path)), intent.position(*path))


def _place(located: Located[Any], *path: str | int) -> Place:
    return Place(located.field(*path), located.position(*path))


def switch_place(intent: Intent, name: str, field: str) -> Place | None:
    """Return where an override sets a field of a switch; the last one counts."""
    for override in reversed(intent.device_overrides.get(name, [])):
        if field in override.value.model_fields_set:
            return _place(override, field)
    return None


def subnet_place(intent: Intent, name: str, value: str, field: str = "network") -> Place | None:
    """Return where an override sets a field of a subnet of a leaf; the last one counts."""
    for override in reversed(intent.device_overrides.get(name, [])):
        for index, subnet in enumerate(override.value.subnets):
            if str(getattr(subnet, field)) == value:
                return _place(override, "subnets", index, field)
    return None


def host_place(intent: Intent, name: str, field: str) -> Place | None:
    """Return where an override sets a field of a host; the last one counts."""
    for override in reversed(intent.host_overrides.get(name, [])):
        if field in override.value.model_fields_set:
            return _place(override, field)
    return None


def port_place(intent: Intent, name: str, port: str, field: str) -> Place | None:
    """Return where an override sets a field of a switch port; the last one counts."""
    for override in reversed(intent.device_overrides.get(name, [])):
        change = override.value.ports.get(port)
        if change and field in change.model_fields_set:
            return _place(override, "ports", port, field)
    return None


def port_value(intent: Intent, name: str, port: str, field: str) -> Any:
    """Return what an override says of a field of a switch port; the last one counts."""
    for override in reversed(intent.device_overrides.get(name, [])):
        change = override.value.ports.get(port)
        if change and field in change.model_fields_set:
            return getattr(change, field)
    return None


def rail_place(intent: Intent, host: str, rail: int, field: str, nic_port: int = 0) -> Place | None:
    """Return where an override sets a field of a NIC; the last one counts."""
    for override in reversed(intent.host_overrides.get(host, [])):
        for index, nic in reversed(list(enumerate(override.value.nics))):
            mine = (nic.rail, nic.nic_port) == (rail, nic_port)
            if mine and field in nic.model_fields_set:
                return _place(override, "nics", index, field)
    return None


def nic_place(fabric: Fabric, row: int, *fields: str) -> Place | None:
    """Return where one of the fields of a NIC or of its leaf port is overridden."""
    nics, switches = fabric.nics, fabric.switches
    host = fabric.hosts.names[int(nics.host[row])]
    leaf = int(nics.leaf[row])
    port = fabric.port_name(leaf, int(nics.port[row]))
    for field in fields:
        which = int(nics.rail[row]), field, int(nics.nic_port[row])
        place = rail_place(fabric.intent, host, *which)
        place = place or port_place(fabric.intent, switches.names[leaf], port, field)
        if place:
            return place
    return None


def uplink_place(fabric: Fabric, row: int, *fields: str) -> Place | None:
    """Return where one of the fields of an uplink is overridden, at either end."""
    up, switches = fabric.uplinks, fabric.switches
    ends = ((int(up.lower[row]), up.lower_port), (int(up.upper[row]), up.upper_port))
    for field in fields:
        for switch, ports in ends:
            port = switches.skus[switch].port(int(ports[row]))
            place = port_place(fabric.intent, switches.names[switch], port, field)
            if place:
                return place
    return None


def uplinks_place(fabric: Fabric, row: int, *fields: str) -> Place | None:
    """Return where one of the fields of any designed uplink of a switch is overridden."""
    switches, name = fabric.switches, fabric.switches.names[row]
    rows = fabric.uplinks_of(row).tolist()
    values = (uplink_place(fabric, row, *fields) for row in rows)
    moved = (
        port_place(fabric.intent, name, port, field)
        for port in switches.skus[row].port_numbers()
        for field in fields
    )
    return next((place for place in (*values, *moved) if place), None)


def names_place(fabric: Fabric, role: str, name: str) -> Place:
    """Return where the names of a role, or of hosts, come from."""
    intent, file = fabric.intent, fabric.intent.fabric
    own = {"leaf": file.leaf_names, "spine": file.spine_names}.get(role)
    if own:
        return fabric_place(intent, f"{role}_names")
    if role in ("leaf", "host") and not file.switches:
        owner = fabric.switches.unit if role == "leaf" else fabric.hosts.unit
        rows = fabric.switch_row if role == "leaf" else fabric.host_row
        field = "name" if role == "leaf" else "hosts"
        return fabric_place(intent, "units", int(owner[rows[name]]), field)
    if file.switches and role != "host":
        return fabric_place(intent, "switches")
    return fabric_place(
        intent, {"spine": "spines", "super-spine": "super_spines"}.get(role, "units")
    )


def cable_ends(fabric: Fabric, field: str) -> Iterator[tuple[tuple[str, int], Any, Place]]:
    """Yield (cable, value, place) for every override of a field at either end of a cable."""
    for override in fabric.intent.devices:
        for name in hostlist.expand(override.value.names):
            row = fabric.switch_row[name]
            numbers = fabric.switches.skus[row].port_numbers()
            for port, change in override.value.ports.items():
                value = getattr(change, field)
                cable = _cable(fabric, row, numbers[port]) if value is not None else None
                if cable:
                    yield cable, value, _place(override, "ports", port, field)
    for host in fabric.intent.hosts:
        for name in hostlist.expand(host.value.names):
            for index, nic in enumerate(host.value.nics):
                value = getattr(nic, field)
                if value is not None:
                    cable = "nic", fabric.nic_row(name, nic.rail, nic.nic_port)
                    yield cable, value, _place(host, "nics", index, field)


def identities(intent: Intent) -> Iterator[tuple[str, str, str, Place]]:
    """Yield (kind, value, owner, place) for every MAC address and serial number in overrides."""
    overrides: tuple[Located[Any], ...] = (*intent.devices, *intent.hosts)
    for located in overrides:
        for name in hostlist.expand(located.value.names):
            for field in ("serial", "mac", "management_mac", "bmc_mac"):
                value = getattr(located.value, field, None)
                if value:
                    yield field.rpartition("_")[2], value, name, _place(located, field)
            for index, nic in enumerate(getattr(located.value, "nics", ())):
                if nic.mac:
                    owner = f"{name} rail {nic.rail}"
                    yield "mac", nic.mac, owner, _place(located, "nics", index, "mac")


def _cable(fabric: Fabric, row: int, number: int) -> tuple[str, int] | None:
    """Return kind and row of the cable in a switch port."""
    rows = fabric.nics_of_leaf(row)
    mine = rows[fabric.nics.port[rows] == number]
    if mine.size:
        return "nic", int(mine[0])
    cable = fabric.uplink_at(row, number)
    return None if cable is None else ("uplink", cable)
