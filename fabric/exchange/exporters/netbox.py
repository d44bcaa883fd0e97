"""NetBox objects as its bulk import takes them: one JSON file for each kind, in the order to load.

Columns: netbox-community/netbox v4.6.8, netbox/dcim/forms/bulk_import.py and ipam and extras beside
it. A form wants every column of a model that may not be blank, even where the model has a default.
What NetBox has no field for goes into custom fields, which the first file defines.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.core.units import gbps_to_kbps
from fabric.exchange.netbox_words import DEVICE_FIELDS, NIC_FIELDS
from fabric.exchange.values import known

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.exchange.plant import Cable, Device, End, Plant, PlantTenant

    Rows = list[dict[str, Any]]

#: Names of the interfaces that carry what a plant knows by device.
LOOPBACK, MANAGEMENT = "Loopback0", "mgmt0"
_ROLES = {"leaf": "Leaf", "spine": "Spine", "super-spine": "Super-spine"}
_MAKER = "Unknown"
#: What the form of custom fields wants; the defaults of netbox/extras/models/customfields.py.
_WEIGHTS = {"weight": 100, "search_weight": 1000, "filter_logic": "loose"}


def rows_of(plant: Plant) -> dict[str, Rows]:
    """Return the rows of bulk import by kind, in the order to load."""
    site = plant.name or "fabric"
    return {
        "custom-fields": _custom_fields(),
        "sites": [{"name": site, "slug": slug(site), "status": "active"}],
        "manufacturers": [{"name": _MAKER, "slug": slug(_MAKER)}],
        "device-types": [
            {"manufacturer": _MAKER, "model": model, "slug": slug(model), "u_height": 1}
            for model in _distinct(_model(item) for item in plant.devices)
        ],
        "device-roles": [
            {"name": role, "slug": slug(role), "color": "9e9e9e"}
            for role in _distinct(_role(item) for item in plant.devices)
        ],
        "platforms": [
            {"name": name, "slug": slug(name)}
            for name in _distinct(item.system for item in plant.devices)
        ],
        "racks": [
            {"site": site, "name": name, "status": "active", "width": 19, "u_height": 42}
            for name in _distinct(item.rack for item in plant.devices)
        ],
        "devices": [_device(item, site) for item in plant.devices],
        "tenants": [{"name": item.name, "slug": slug(item.name)} for item in plant.tenants],
        "route-targets": [
            {"name": item.target, "tenant": item.name} for item in plant.tenants if item.target
        ],
        "vrfs": [_vrf(item) for item in plant.tenants],
        "interfaces": _interfaces(plant),
        "mac-addresses": [
            {
                "mac_address": nic.mac,
                "device": nic.host,
                "interface": nic.interface,
                "is_primary": True,
            }
            for nic in plant.nics
            if nic.mac
        ],
        "ip-addresses": _addresses(plant),
        "cables": [_cable(cable) for cable in plant.cables],
    }


def _netbox(plant: Plant) -> Exported:
    kinds = rows_of(plant)
    files = (
        text_file("netbox", kind, f"{number:02d}-{kind}.json", json.dumps(rows, indent=1) + "\n")
        for number, (kind, rows) in enumerate(kinds.items(), 1)
        if rows
    )
    return Exported(tuple(files))


def _custom_fields() -> Rows:
    kinds: dict[str, str] = {**DEVICE_FIELDS, **NIC_FIELDS}
    return [
        {
            "name": f"rocefab_{name}",
            "type": kind,
            "object_types": ",".join(
                target
                for fields, target in (
                    (DEVICE_FIELDS, "dcim.device"),
                    (NIC_FIELDS, "dcim.interface"),
                )
                if name in fields
            ),
            **_WEIGHTS,
        }
        for name, kind in kinds.items()
    ]


def _model(device: Device) -> str:
    return "Host" if device.kind == "host" else device.model or "Unknown switch"


def _role(device: Device) -> str:
    return _ROLES.get(device.role, "Host" if device.kind == "host" else "Switch")


def _device(device: Device, site: str) -> dict[str, Any]:
    return known({
        "name": device.name,
        "role": _role(device),
        "manufacturer": _MAKER,
        "device_type": _model(device),
        "platform": device.system,
        "serial": device.serial,
        "status": "active",
        "site": site,
        "rack": device.rack,
        **{f"cf_rocefab_{name}": getattr(device, name) for name in DEVICE_FIELDS},
    })


def _vrf(tenant: PlantTenant) -> dict[str, Any]:
    """Return the row of a VRF; its route distinguisher differs by leaf."""
    targets = {f"{way}_targets": tenant.target for way in ("import", "export") if tenant.target}
    return {"name": tenant.vrf, "tenant": tenant.name, **targets}


def _of_end(plant: Plant) -> dict[End, PlantTenant]:
    """Return the tenant of each end that is in a VRF."""
    return {end: tenant for tenant in plant.tenants for end in tenant.ends}


def _interfaces(plant: Plant) -> Rows:
    speeds: dict[End, int | None] = {}
    for cable in plant.cables:
        speeds |= {cable.near: cable.speed_gbps, cable.far: cable.speed_gbps}
    owners = _of_end(plant)
    off = {end for cable in plant.disabled for end in (cable.near, cable.far)}
    rows: Rows = [
        {"device": item.name, "name": LOOPBACK, "type": "virtual"}
        for item in plant.devices
        if item.loopback
    ]
    rows += [
        {"device": item.name, "name": MANAGEMENT, "type": "other", "mgmt_only": True}
        for item in plant.devices
        if item.management
    ]
    for device, port in dict.fromkeys((*speeds, *plant.nic)):
        speed, nic = speeds.get((device, port)), plant.nic.get((device, port))
        row = {
            "device": device,
            "name": port,
            "type": "other",
            "speed": gbps_to_kbps(speed) if speed else None,
            "enabled": (device, port) not in off,
            "vrf": owners[device, port].vrf if (device, port) in owners else None,
        }
        fields = {f"cf_rocefab_{name}": getattr(nic, name) for name in NIC_FIELDS} if nic else {}
        rows.append(known(row | fields))
    return rows


def _addresses(plant: Plant) -> Rows:
    rows: list[tuple[str, str, str]] = [
        *((item.name, LOOPBACK, f"{item.loopback}/32") for item in plant.devices if item.loopback),
        *(
            (item.name, MANAGEMENT, f"{item.management}/{128 if ':' in item.management else 32}")
            for item in plant.devices
            if ":" in item.management or item.management[-1:].isdecimal()
        ),
        *(
            (nic.host, nic.interface, address)
            for nic in plant.nics
            for address in (nic.address, nic.ipv6)
            if address
        ),
        *(
            (*end, address)
            for cable in plant.cables
            if cable.vlan is None or not {cable.near, cable.far} & plant.nic.keys()
            for addresses in (cable.addresses, cable.ipv6)
            for end, address in zip((cable.near, cable.far), addresses, strict=True)
            if address
        ),
    ]
    owners = _of_end(plant)
    return [
        {"address": address, "status": "active", "device": device, "interface": interface}
        | ({"is_primary": True} if interface == MANAGEMENT else {})
        | _owner(owners.get((device, interface)))
        for device, interface, address in rows
    ]


def _owner(tenant: PlantTenant | None) -> dict[str, str]:
    return {"vrf": tenant.vrf, "tenant": tenant.name} if tenant else {}


def _cable(cable: Cable) -> dict[str, Any]:
    return known({
        "side_a_device": cable.near[0],
        "side_a_type": "dcim.interface",
        "side_a_name": cable.near[1],
        "side_b_device": cable.far[0],
        "side_b_type": "dcim.interface",
        "side_b_name": cable.far[1],
        "status": "connected",
        "length": cable.cable_m,
        "length_unit": "m" if cable.cable_m is not None else None,
    })


def _distinct(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name]


def slug(name: str) -> str:
    """Return a name as NetBox takes it in addresses: lower case, digits and hyphens."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:100] or "x"


#: NetBox has addresses of interfaces; those of VLANs are not written.
_LOST = frozenset({"cable.vlan", "cable.near_address", "cable.far_address"})
exporters.add("netbox")(
    Exporter(
        {"objects": _netbox},
        about=About.FABRIC,
        lost=_LOST,
        title="objects of NetBox; --push writes them by its API",
    )
)
