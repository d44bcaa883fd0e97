"""A plant as the objects that NetBox' API should have, in the order in which they are created.

Fields: netbox-community/netbox v4.6.8, netbox/dcim/api/serializers_, netbox/ipam/api/serializers_
and netbox/extras/api/serializers_. The rows are those of the bulk import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.exchange.exporters.netbox import rows_of, slug
from fabric.exchange.netbox_words import NO_MODEL, Row, name_of, slug_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.exchange.plant import End, Plant

Key: TypeAlias = tuple[str, ...]

#: What the tags begin with that mark objects as those of a fabric.
TAG_PREFIX = "rocefab-"
#: What NetBox wants and an inventory does not know: written on creation, never changed.
_ONCE = {
    "custom-fields": frozenset({"weight", "search_weight", "filter_logic"}),
    "sites": frozenset({"status"}),
    "device-types": frozenset({"u_height"}),
    "device-roles": frozenset({"color"}),
    "racks": frozenset({"status", "width", "u_height"}),
    "devices": frozenset({"status"}),
    "interfaces": frozenset({"type"}),
    "ip-addresses": frozenset({"status"}),
    "cables": frozenset({"status"}),
}
_INTERFACE = "dcim.interface"
#: Kinds that a name identifies, as it is written.
_NAMED = frozenset({"custom-fields", "racks", "route-targets", "vrfs"})
#: Columns of bulk import that name an object of another kind.
_NAMES = {"rack": "racks", "tenant": "tenants", "vrf": "vrfs"}
_TARGETS = frozenset({"import_targets", "export_targets"})
#: Columns of bulk import that name another object, by the field of the API.
_MAKER = "manufacturer"


@dataclass(frozen=True, slots=True)
class Ref:
    """Another object, by its kind and what identifies it."""

    kind: str
    key: Key

    def __str__(self) -> str:
        return " ".join(self.key)


@dataclass(frozen=True, slots=True)
class NetBoxObject:
    """An object as it should be.

    Parameters
    ----------
    fields : dict
        Values by the field of the API; ``custom_fields.NAME`` for a custom one.
    late : bool
        Whether the fields name objects that are created after this one.
    once : frozenset of str
        Fields that are written on creation, and never changed.
    """

    kind: str
    key: Key
    fields: dict[str, Any]
    late: bool = False
    once: frozenset[str] = frozenset()

    @property
    def ref(self) -> Ref:
        """Return what names the object."""
        return Ref(self.kind, self.key)

    @property
    def named(self) -> set[Ref]:
        """Return the objects that the fields name."""
        return {
            value
            for field in self.fields.values()
            for value in (field if isinstance(field, tuple) else (field,))
            if isinstance(value, Ref)
        }


def tag_of(fabric: str) -> str:
    """Return the tag of the objects of a fabric, by its name."""
    return slug(TAG_PREFIX + (fabric or "fabric"))


def wanted(plant: Plant, site: str) -> list[NetBoxObject]:
    """Return the objects of a plant in a site, those first that others name.

    Parameters
    ----------
    site : str
        Slug of the site; empty is that of the plant's name.
    """
    rows = rows_of(plant)
    (own,) = rows["sites"]
    name = own["name"] if site in {"", own["slug"]} else site
    rows["sites"] = [{**own, "name": name, "slug": site or own["slug"]}]
    where = Ref("sites", (rows["sites"][0]["slug"],))
    ends = _nic_ends(plant) if plant.tenants else set()
    for row in rows["interfaces"]:
        if (row["device"], row["name"]) in ends:
            row.setdefault("vrf", None)
    tag = tag_of(plant.name)
    objects = [NetBoxObject("tags", (tag,), {"name": tag, "slug": tag})]
    late: list[NetBoxObject] = []
    for kind, items in rows.items():
        for row in items:
            one = NetBoxObject(
                kind, _key(kind, row), _fields(kind, row, where), once=_once(kind, row)
            )
            objects.append(one)
            late += _late(kind, row, one.ref)
    return objects + late


def _nic_ends(plant: Plant) -> set[End]:
    """Return the NICs and their ports on leaves, which are in the VRF of a tenant or in none."""
    cables = ((cable.near, cable.far) for cable in (*plant.cables, *plant.disabled))
    return {end for ends in cables if not plant.nic.keys().isdisjoint(ends) for end in ends}


def _once(kind: str, row: Row) -> frozenset[str]:
    once = _ONCE.get(kind, frozenset())
    if kind == "devices" and row["device_type"] in NO_MODEL:
        return once | {"device_type"}
    if kind == "ip-addresses" and row.get("is_primary"):  # its prefix is not known
        return once | {"address"}
    return once


def _late(kind: str, row: Row, ref: Ref) -> Iterator[NetBoxObject]:
    """Yield what names an object that is created later: primary addresses."""
    if not row.get("is_primary"):
        return
    if kind == "mac-addresses":
        key = (row["device"].lower(), row["interface"])
        yield NetBoxObject("interfaces", key, {"primary_mac_address": ref}, late=True)
    elif kind == "ip-addresses":
        field = "primary_ip6" if ":" in row["address"] else "primary_ip4"
        yield NetBoxObject("devices", (row["device"].lower(),), {field: ref}, late=True)


def _key(kind: str, row: Row) -> Key:
    if kind == "cables":
        return cable_key(*((row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab"))
    if kind == "device-types":
        return (slug(row[_MAKER]), row["slug"])
    if kind == "interfaces":
        return (row["device"].lower(), row["name"])
    if kind == "mac-addresses":
        return (row["device"].lower(), row["interface"], row["mac_address"].upper())
    if kind == "ip-addresses":
        return _address_key(row["address"], row.get("vrf"))
    if kind in _NAMED:
        return (row["name"],)
    return (row["name"].lower(),) if kind == "devices" else (row["slug"],)


def _address_key(address: str, vrf: object) -> Key:
    """Return what identifies an address: without its length, and with its VRF if it has one."""
    host = address.partition("/")[0]
    return (host, name_of(vrf)) if vrf else (host,)


def cable_key(one: tuple[str, str], other: tuple[str, str]) -> Key:
    """Return what identifies a cable: its ends, in an order that does not depend on the sides."""
    low, high = sorted((device.lower(), port) for device, port in (one, other))
    return (*low, *high)


def _fields(kind: str, row: Row, site: Ref) -> dict[str, Any]:
    """Return the fields of the API for the columns of a row."""
    if kind == "cables":
        return _cable(row)
    fields = {
        (f"custom_fields.{key.removeprefix('cf_')}" if key.startswith("cf_") else key): value
        for key, value in row.items()
    }
    fields.pop("is_primary", None)
    if kind == "custom-fields":
        fields["object_types"] = tuple(row["object_types"].split(","))
    if kind in {"mac-addresses", "ip-addresses"}:
        end = (fields.pop("device").lower(), fields.pop("interface"))
        fields |= {"assigned_object_type": _INTERFACE, "assigned_object_id": Ref("interfaces", end)}
    if kind == "mac-addresses":
        fields["mac_address"] = fields["mac_address"].upper()
    if kind == "interfaces":
        fields["device"] = Ref("devices", (fields["device"].lower(),))
    fields |= _references(fields, site)
    if kind == "device-types":
        fields[_MAKER] = Ref("manufacturers", (slug(row[_MAKER]),))
    if kind == "devices":
        fields |= _device(row)
        del fields[_MAKER]
    return fields


def _references(fields: dict[str, Any], site: Ref) -> dict[str, Any]:
    """Return the fields that name an object of another kind by its name."""
    named: dict[str, Any] = {"site": site} if "site" in fields else {}
    for name, kind in _NAMES.items():
        if fields.get(name):
            named[name] = Ref(kind, (slug(fields[name]) if name == "tenant" else fields[name],))
    for name in _TARGETS & fields.keys():
        named[name] = (Ref("route-targets", (fields[name],)),)
    return named


def _device(row: Row) -> dict[str, Any]:
    known = {
        "role": Ref("device-roles", (slug(row["role"]),)),
        "device_type": Ref("device-types", (slug(row[_MAKER]), slug(row["device_type"]))),
    }
    if "platform" in row:
        known["platform"] = Ref("platforms", (slug(row["platform"]),))
    return known


def _cable(row: Row) -> dict[str, Any]:
    ends = {
        f"{side}_terminations": Ref(
            "interfaces", (row[f"side_{side}_device"].lower(), row[f"side_{side}_name"])
        )
        for side in "ab"
    }
    return ends | {key: value for key, value in row.items() if not key.startswith("side_")}


def present_key(kind: str, row: Row) -> Key | None:
    """Return what identifies an object of the API; None for one that no plant has."""
    assigned = row.get("assigned_object")
    end = (_device_of(assigned), name_of(assigned)) if isinstance(assigned, dict) else ("", "")
    if kind == "cables":
        ends = [end_of(row, side) for side in "ab"]
        return cable_key(*ends[0], *ends[1]) if all(len(one) == 1 for one in ends) else None
    if kind == "device-types":
        return (slug_of(row.get(_MAKER)), slug_of(row))
    if kind == "interfaces":
        return (_device_of(row), name_of(row))
    if kind == "mac-addresses":
        return (*end, str(row.get("mac_address") or "").upper())
    if kind == "ip-addresses":
        return _address_key(str(row.get("address") or ""), row.get("vrf"))
    if kind in _NAMED:
        return (name_of(row),)
    return (name_of(row).lower(),) if kind == "devices" else (slug_of(row),)


def _device_of(row: Row) -> str:
    return name_of(row.get("device")).lower()


def end_of(row: Row, side: str) -> list[tuple[str, str]]:
    """Return the interfaces at one side of a cable of the API."""
    items = row.get(f"{side}_terminations")
    objects = [
        item.get("object")
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, dict) and item.get("object_type") == _INTERFACE
    ]
    return [(_device_of(item), name_of(item)) for item in objects if isinstance(item, dict)]
