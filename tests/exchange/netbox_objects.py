"""Objects of NetBox' API, of our own making: devices, interfaces and cables with several ends.

Shapes: netbox-community/netbox v4.6.8, netbox/dcim/api/serializers_/cables.py, base.py and
device_components.py: ``connected_endpoints`` is null where nothing is connected.
"""

from __future__ import annotations

from typing import Any

from fabric.exchange.netbox_words import DEVICE_FIELDS, NIC_FIELDS
from fabric.exchange.plant import End

Rows = list[dict[str, Any]]


def end(text: str) -> End:
    """Return the end that ``leaf01:swp1`` names."""
    device, _, port = text.partition(":")
    return device, port


def objects(*cables: str, **fields: dict[str, Any]) -> dict[str, Rows]:
    """Return the tables of cables written as ``a:p1 b:p1,b:p2``; names tell roles.

    Parameters
    ----------
    fields : dict
        Further fields of a device, a cable or an interface by its name, as ``leaf01``, ``1`` or
        ``leaf01:swp1``; a cable has the number of its place, from 1.
    """
    sides = [[[end(one) for one in side.split(",")] for side in cable.split()] for cable in cables]
    ends = dict.fromkeys(one for pair in sides for side in pair for one in side)
    names = dict.fromkeys(device for device, _ in ends)
    interfaces = {one: _interface(number, one) for number, one in enumerate(ends, 100)}
    for pair in sides:
        for mine, other in (pair, pair[::-1]):
            for one in mine:
                interfaces[one]["connected_endpoints"] = [_brief(*far) for far in other]
    tables = {
        "devices": [_device(number, name) for number, name in enumerate(names, 1)],
        "interfaces": list(interfaces.values()),
        "cables": [_cable(number, pair) for number, pair in enumerate(sides, 1)],
    }
    rows = dict(zip(names, tables["devices"], strict=True))
    rows |= {":".join(one): row for one, row in interfaces.items()}
    rows |= {str(row["id"]): row for row in tables["cables"]}
    for name, values in fields.items():
        rows[name] |= values
    return tables


def _device(number: int, name: str) -> dict[str, Any]:
    role = name.rstrip("0123456789")
    return {
        "id": number,
        "name": name,
        "device_type": {"model": "Unknown switch"},
        "role": {"slug": {"gpu": "server"}.get(role, role)},
        "site": {"name": "dc1", "slug": "dc1"},
        "status": {"value": "active", "label": "Active"},
        "virtual_chassis": None,
        "custom_fields": {f"rocefab_{field}": None for field in DEVICE_FIELDS},
    }


def _brief(device: str, port: str) -> dict[str, Any]:
    return {"device": {"name": device}, "name": port}


def _interface(number: int, one: End) -> dict[str, Any]:
    return {
        "id": number,
        **_brief(*one),
        "type": {"value": "400gbase-x-osfp" if "gpu" in one[0] else "800gbase-x-osfp"},
        "speed": None,
        "enabled": True,
        "lag": None,
        "mgmt_only": False,
        "connected_endpoints": None,
        "custom_fields": {f"rocefab_{field}": None for field in NIC_FIELDS},
    }


def _cable(number: int, pair: list[list[End]]) -> dict[str, Any]:
    sides = {
        f"{side}_terminations": [
            {"object_type": "dcim.interface", "object": _brief(*one)} for one in ends
        ]
        for side, ends in zip("ab", pair, strict=True)
    }
    length = {"length": 3, "length_unit": {"value": "m"}}
    return {"id": number, "status": {"value": "connected"}, "profile": None, **length, **sides}
