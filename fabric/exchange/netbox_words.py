"""Names and nested values of NetBox' objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import End

Row: TypeAlias = dict[str, Any]

#: Endpoints that are read, by the names of files and members; the path of each in the API.
ENDPOINTS = {
    "devices": "devices",
    "interfaces": "interfaces",
    "cables": "cables",
    "ip-addresses": "ip-addresses",
    "ip_addresses": "ip-addresses",
    "mac-addresses": "mac-addresses",
    "mac_addresses": "mac-addresses",
}
#: Our fields that NetBox has none for: custom fields ``rocefab_NAME``.
DEVICE_FIELDS = {"unit": "text", "pod": "text", "rail": "integer", "plane": "integer",
                 "asn": "integer", "mac": "text"}  # fmt: skip
NIC_FIELDS = {"rail": "integer", "nic_port": "integer", "rdma_device": "text"}
#: Device types of devices whose model is not known; NetBox wants one.
NO_MODEL = frozenset({"Unknown switch", "Host"})
_INTERFACE = frozenset({"dcim.interface", "interface"})


def name_of(value: object, attribute: str = "name") -> str:
    """Return the name of a nested object, or the text itself, as bulk import has it."""
    if isinstance(value, dict):
        return str(value.get(attribute) or value.get("name") or value.get("display") or "")
    return "" if value is None else str(value)


def end_of(row: Row) -> End:
    """Return device and name of an interface."""
    return name_of(row.get("device")), str(row.get("name") or "")


def slug_of(value: object) -> str:
    """Return slug or value of a nested object or choice, or the text itself."""
    if isinstance(value, dict):
        return str(value.get("slug") or value.get("value") or value.get("name") or "")
    return "" if value is None else str(value)


def object_of(endpoint: str, row: Row) -> str:
    """Return what messages call an object: its endpoint and number, or its name."""
    number = row.get("id", row.get("name", ""))
    return f"{endpoint}[{str(number)[:40]}]"


def custom(row: Row, key: str) -> object:
    """Return a custom field: below ``custom_fields``, or as a column of bulk import."""
    fields = row.get("custom_fields")
    nested = fields.get(f"rocefab_{key}") if isinstance(fields, dict) else None
    return row.get(f"cf_rocefab_{key}") if nested is None else nested


def ends_of(row: Row, side: str, by_id: Mapping[str, End]) -> list[End | None]:
    """Return the ends of one side of a cable; None for one that is no interface."""
    if f"side_{side}_device" in row:
        if str(row.get(f"side_{side}_type")) not in _INTERFACE:
            return [None]
        return [(name_of(row[f"side_{side}_device"]), name_of(row.get(f"side_{side}_name")))]
    if f"termination_{side}_type" in row:
        return _nautobot_ends(row, side, by_id)
    ends: list[End | None] = []
    for item in objects(row.get(f"{side}_terminations")):
        target = item.get("object")
        if str(item.get("object_type")) not in _INTERFACE:
            ends.append(None)
        elif isinstance(target, dict) and target.get("device"):
            ends.append((name_of(target["device"]), name_of(target)))
        else:
            ends.append(by_id.get(str(item.get("object_id"))))
    return ends


def _nautobot_ends(row: Row, side: str, by_id: Mapping[str, End]) -> list[End | None]:
    """Return the ends of one side, by their numbers; since Nautobot 3.2 one of each connector.

    ``terminations`` has them as ``a1``, ``b1``, ``b2`` (CableSerializer, nautobot/nautobot v3.2.7,
    nautobot/dcim/api/serializers.py); one that is not used is null.
    """
    slots = row.get("terminations")
    if not isinstance(slots, dict):
        kind, number = row[f"termination_{side}_type"], row.get(f"termination_{side}_id")
        slots = {f"{side}1": {"object_type": kind, "id": number}}
    used = sorted(
        (int(slot[1:]), item)
        for slot, item in slots.items()
        if slot[0] == side and slot[1:].isdecimal() and isinstance(item, dict)
    )
    return [
        by_id.get(str(item.get("id"))) if str(item.get("object_type")) in _INTERFACE else None
        for _, item in used
    ]


def objects(value: object) -> list[Row]:
    """Return the objects of a list; what is none is an empty one."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) else {} for item in items]
