"""show: tables of the inventory and of what rocefab knows."""

from __future__ import annotations

import json
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.units import ipv4_text
from fabric.report.table import Table
from fabric.validate.origins import port_place, rail_place, subnet_place, switch_place

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.design.host_model import NicAddress, NicDesign
    from fabric.design.port_model import PortDesign, VlanDesign
    from fabric.intent.inventory import Intent
    from fabric.intent.policy import Model


_IPV4 = 4
_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def topology(designs: Designs) -> Table:
    """Return the switches."""
    fabric = designs.fabric
    switches = fabric.switches
    units = [unit.name for unit in designs.intent.fabric.units]
    rows = tuple(
        (
            name,
            switches.role(row),
            switches.skus[row].nos,
            switches.skus[row].name,
            units[int(switches.unit[row])] if switches.unit[row] >= 0 else "-",
            int(switches.rail[row]) if switches.rail[row] >= 0 else "-",
            int(switches.asn[row]),
            ipv4_text(int(switches.loopback[row])),
            len(fabric.nics_of_leaf(row)) if row < switches.leaf_count else 0,
            fabric.trunk_count(row),
        )
        for row, name in enumerate(switches.names)
    )
    headers = ("switch", "role", "nos", "sku", "unit", "rail", "asn", "loopback", "nics", "links")
    return Table(headers, rows)


def addresses(designs: Designs) -> Table:
    """Return every address with its owner, and whether the inventory sets it."""
    intent, own = designs.intent, designs.intent.own_loopbacks
    rows: list[tuple[object, ...]] = []
    for name, device in designs.devices.items():
        loopback = name in own or switch_place(intent, name, "loopback")
        rows.append((name, "Loopback0", f"{device.loopback}/32", "loopback", _set(loopback)))
        rows += [
            (name, f"Vlan{v.vlan}", v.gateway_interface, "gateway", _set(_subnet(intent, name, v)))
            for v in device.vlans
        ]
        rows += [
            (
                *(name, port.name, address, "gateway" if port.kind == "host" else "uplink"),
                _set(_of_port(intent, name, port, address)),
            )
            for port in device.ports
            for address in (port.address, port.ipv6)
            if address
        ]
    for name, host in designs.hosts.items():
        rows += [
            (*(name, nic.interface, _shown(own), "nic"), _of_nic(intent, name, nic, own))
            for nic in host.nics
            for own in nic.addresses
        ]
    return Table(("device", "interface", "address", "use", "set_by"), tuple(rows))


def _shown(own: NicAddress) -> str:
    """Return an address with its length, or its subnet where a NIC makes it."""
    return own.interface if own.address else own.network


def _of_nic(intent: Intent, name: str, nic: NicDesign, own: NicAddress) -> str:
    """Return what sets an address of a NIC."""
    if not own.address:
        return "NIC"
    field = "ipv6" if own.is_ipv6 else "address"
    return _set(rail_place(intent, name, nic.rail, field, nic.nic_port))


def _of_port(intent: Intent, name: str, port: PortDesign, address: str) -> object:
    """Return where the inventory sets an address of a port, its subnet, or that of its peer."""
    own = ip_interface(address)
    if port.kind == "host":
        field = "network" if own.version == _IPV4 else "ipv6"
        return subnet_place(intent, name, str(own.network), field)
    return own.version == _IPV4 and (
        port_place(intent, name, port.name, "address")
        or port_place(intent, port.peer, port.peer_port, "address")
    )


def _subnet(intent: Intent, name: str, vlan: VlanDesign) -> bool:
    overrides = (one.value for one in intent.device_overrides.get(name, ()))
    return any(own.rail in {None, vlan.rail} for one in overrides for own in one.subnets)


def _set(place: object) -> str:
    return "inventory" if place else "design"


def links(designs: Designs) -> Table:
    """Return every cable; the side nearer to the hosts comes first."""
    fabric = designs.fabric
    rows: list[tuple[object, ...]] = [
        (name, nic.interface, nic.leaf, nic.leaf_port, nic.speed_gbps, nic.cable_m, "host")
        for name, host in designs.hosts.items()
        for nic in host.nics
        if nic.leaf_port
    ]
    up, switches = fabric.uplinks, fabric.switches
    columns = (up.lower, up.lower_port, up.upper, up.upper_port, up.speed_gbps, up.cable_m)
    for leaf, leaf_port, spine, spine_port, speed, cable in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        lower, upper = switches.skus[leaf], switches.skus[spine]
        rows.append((
            switches.names[leaf],
            lower.port(leaf_port),
            switches.names[spine],
            upper.port(spine_port),
            speed,
            cable,
            "uplink",
        ))
    return Table(("device", "port", "peer", "peer_port", "gbps", "cable_m", "kind"), tuple(rows))


def hosts(designs: Designs) -> Table:
    """Return every NIC."""
    rows = tuple(
        (
            name,
            nic.rail,
            nic.interface,
            nic.rdma_device,
            _shown(nic.addresses[0]),
            nic.gateway,
            nic.leaf,
            nic.leaf_port,
            ",".join(str(gpu) for gpu in nic.gpus),
        )
        for name, host in designs.hosts.items()
        for nic in host.nics
    )
    headers = tuple("host rail interface rdma address gateway leaf leaf_port gpus".split())
    return Table(headers, rows)


def schema(kind: str) -> str:
    """Return the JSON Schema of an inventory file.

    Raises
    ------
    InputError
        When there is no such kind of file.
    """
    from fabric.intent.device_model import DevicesFile
    from fabric.intent.host_model import HostsFile
    from fabric.intent.model import FabricFile
    from fabric.intent.sku_model import PlatformsFile
    from fabric.intent.tenancy_model import TenantsFile

    models: dict[str, type[Model]] = {
        "fabric": FabricFile,
        "devices": DevicesFile,
        "hosts": HostsFile,
        "platforms": PlatformsFile,
        "tenants": TenantsFile,
    }
    if kind not in models:
        available = ", ".join((*models, "diff", "placement", "readings", "events"))
        message = f"unknown schema {kind!r}; available: {available}"
        raise InputError("unknown schema", [Finding("INT021", Severity.ERROR, message)])
    body = {"$schema": _SCHEMA_DIALECT, **models[kind].model_json_schema()}
    return json.dumps(body, indent=2) + "\n"
