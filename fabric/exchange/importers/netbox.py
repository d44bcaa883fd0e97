"""NetBox: devices, interfaces, cables and IP addresses, of its REST API or its bulk import.

Shapes: netbox-community/netbox, netbox/dcim/api/serializers_ and netbox/dcim/forms/bulk_import.py;
nautobot/nautobot, nautobot/dcim/api/serializers.py: cables name their ends by type and number,
devices have a location, and nested objects have names with ``?depth=1``.
A dump is one JSON object with a list for each endpoint, or a folder with one file for each.
Devices in roles that no fabric has are ignored, with their cables; notes name what is ignored, and
what is read in another way than NetBox has it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.counts import counted
from fabric.core.shown import listed
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.netbox_links import Links
from fabric.exchange.netbox_macs import macs
from fabric.exchange.netbox_notes import NetBoxNotes, missing_fields, unknown_roles
from fabric.exchange.netbox_words import (
    DEVICE_FIELDS,
    ENDPOINTS,
    NIC_FIELDS,
    NO_MODEL,
    Row,
    custom,
    end_of,
    name_of,
    object_of,
    objects,
    slug_of,
)
from fabric.exchange.notes import shown
from fabric.exchange.values import json_of, malformed, meant

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.plant import End

    #: Addresses of IPv4, and of IPv6.
    _Families: TypeAlias = tuple[dict[End, str], dict[End, str]]

_CHASSIS = "check that each has its own control plane"
_FIELDS = "load 01-custom-fields.json of `rocefab export netbox`; NetBox drops the values otherwise"
_HINT = (
    "provide the JSON of the endpoints, as {'devices': [...], 'interfaces': [...], 'cables': [...]}"
)


def parse(data: Any, shown: str, settings: Settings) -> Imported:
    """Return the fabric that a dump describes.

    Parameters
    ----------
    data : dict
        A list of objects for each of `ENDPOINTS`; those that are missing are empty.

    Raises
    ------
    InputError
        With everything that is wrong, by endpoint and id.
    """
    return _Reader(data, shown, settings).imported()


class _Reader:
    def __init__(self, data: dict[str, list[Row]], shown: str, settings: Settings) -> None:
        self._data = data
        self._settings = settings
        self._draft = Draft.of(shown, settings, closed=True)
        self._notes = NetBoxNotes(shown)
        self._special = self._special_interfaces()
        self._kinds: dict[str, str] = {}
        self._roles: dict[str, list[str]] = {}
        self._nics: dict[End, dict[str, object]] = {}
        self._interfaces: dict[End, Row] = {}
        self._cabled: set[End] = set()
        self._macs, self._unclear = macs(self._rows("interfaces"), self._rows("mac-addresses"))

    def imported(self) -> Imported:
        addresses, ipv6 = self._addresses()
        for row in self._rows("devices"):
            self._device(row, (addresses, ipv6))
        self._check_roles()
        for row in self._rows("interfaces"):
            self._interface(row)
        links = Links(self._draft, self._notes, self._kinds, self._interfaces, addresses, ipv6)
        links.read(self._rows("cables"))
        self._cabled = links.cabled
        self._take_nics(addresses, ipv6)
        name = self._site()
        self._check_fields()
        return Imported(self._draft.plant(name), self._notes.all(), lanes=links.lanes)

    def _rows(self, endpoint: str) -> list[Row]:
        return self._data.get(endpoint, [])

    def _place(self, endpoint: str, row: Row) -> Any:
        return self._draft.place(what=object_of(endpoint, row))

    def _addresses(self) -> _Families:
        """Return the address of each interface, of IPv4 and of IPv6; the first of several.

        Link-local ones of IPv6 do not count: every interface makes one.
        """
        families: dict[bool, dict[End, str]] = {False: {}, True: {}}
        ends = {str(row["id"]): end_of(row) for row in self._rows("interfaces") if "id" in row}
        for row in self._rows("ip-addresses"):
            (assigned,) = objects([row.get("assigned_object")])
            device = name_of(row.get("device") or assigned.get("device"))
            interface = name_of(row.get("interface") or assigned.get("name"))
            text = str(row.get("address", ""))
            several = [ends.get(str(one.get("id"))) for one in objects(row.get("interfaces"))]
            for end in several or [(device, interface)]:
                if end and all(end) and not text.lower().startswith("fe80:"):
                    families[":" in text].setdefault(end, text)
        return families[False], families[True]

    def _device(self, row: Row, families: _Families) -> None:
        name, place = str(row.get("name") or ""), self._place("devices", row)
        word = row.get("role") or row.get("device_role")
        known = meant(slug_of(word), self._settings.roles) or meant(
            name_of(word), self._settings.roles
        )
        if known is None:
            self._roles.setdefault(slug_of(word) or "none", []).append(name)
            return
        if not self._notes.present("devices", name, row):
            return
        kind, role = known
        model = name_of(row.get("device_type"), "model")
        values: dict[str, object] = {key: custom(row, key) for key in DEVICE_FIELDS}
        values |= {
            "kind": kind,
            "role": role,
            "rack": name_of(row.get("rack")),
            "model": "" if kind == "host" or model in NO_MODEL else model,
            "system": slug_of(row.get("platform")),
            "serial": row.get("serial"),
            "management": self._management(name, row, families),
            "loopback": self._loopback(name, families[0]),
        }
        self._kinds[name] = kind
        self._draft.device(name, place, values)
        chassis = name_of(row.get("virtual_chassis"))
        if chassis:
            what = "devices are members of a virtual chassis, and imported as single devices"
            self._notes.add(what, _CHASSIS, f"{name} of {chassis}")

    def _check_roles(self) -> None:
        """Note roles that are not known; they are errors where hosts or switches are missing."""
        whole = {"host", "switch"} <= set(self._kinds.values())
        for message, fix in unknown_roles(self._roles):
            if whole:
                self._notes.warn(f"{message}; they are ignored", fix)
            else:
                self._draft.wrong("EXC008", message, fix, self._draft.place())

    def _check_fields(self) -> None:
        devices = (row for row in self._rows("devices") if str(row.get("name")) in self._kinds)
        lacking = missing_fields(devices, self._interfaces.values())
        if lacking:
            self._notes.warn(f"NetBox has no custom fields {listed(lacking, 'and')}", _FIELDS)

    def _site(self) -> str:
        """Return the name of the site; nothing where there are several."""
        names = {
            name_of(row.get("site") or row.get("location")): None
            for row in self._rows("devices")
            if str(row.get("name")) in self._kinds
        }
        names.pop("", None)
        if len(names) > 1:
            message = (
                f"{counted(len(names), 'site is', 'sites are')} imported as one fabric: "
                f"{shown(list(names))}"
            )
            self._notes.warn(message, "choose one with --site SLUG")
        return next(iter(names)) if len(names) == 1 else ""

    def _management(self, name: str, row: Row, families: _Families) -> str:
        primary = (row.get(f"primary_{family}") for family in ("ip4", "ip", "ip6"))
        address = name_of(next(filter(None, primary), None), "address") or next(
            (
                of_family[name, interface]
                for of_family in families
                for interface in self._special.get((name, "mgmt_only"), ())
                if (name, interface) in of_family
            ),
            "",
        )
        return address.partition("/")[0]

    def _loopback(self, name: str, addresses: dict[End, str]) -> str:
        address = (
            addresses[name, interface]
            for interface in self._special.get((name, "virtual"), ())
            if interface.lower().startswith("lo") and (name, interface) in addresses
        )
        return next(address, "").partition("/")[0]

    def _special_interfaces(self) -> dict[tuple[str, str], list[str]]:
        """Return management and virtual interfaces by device."""
        special: dict[tuple[str, str], list[str]] = {}
        for row in self._rows("interfaces"):
            present = {
                "mgmt_only": row.get("mgmt_only") is True,
                "virtual": slug_of(row.get("type")) == "virtual",
            }
            for kind in (kind for kind, yes in present.items() if yes):
                key = (name_of(row.get("device")), kind)
                special.setdefault(key, []).append(str(row.get("name")))
        return special

    def _interface(self, row: Row) -> None:
        end = end_of(row)
        if end[0] not in self._kinds:
            return
        self._interfaces[end] = row
        values: dict[str, object] = {key: custom(row, key) for key in NIC_FIELDS}
        if self._kinds[end[0]] == "host" and not row.get("mgmt_only"):
            self._nics[end] = values

    def _take_nics(self, addresses: dict[End, str], ipv6: dict[End, str]) -> None:
        for end, values in self._nics.items():
            rail = values.get("rail")
            if end in self._cabled or (rail is not None and rail != ""):
                values["mac"] = self._macs.get(end)
                if end in self._unclear:
                    what = "NICs have several MAC addresses, none of them primary; none is imported"
                    self._notes.add(what, "set their primary MAC addresses", " ".join(end))
                values |= {"address": addresses.get(end), "ipv6": ipv6.get(end)}
                place = self._place("interfaces", self._interfaces[end])
                self._draft.nic(end[0], end[1], place, values)


def _read(path: Path, settings: Settings) -> Imported:
    tables: dict[str, list[Row]] = {}
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise malformed(path, "the folder has no JSON file", _HINT)
    for file in files:
        data = json_of(file)
        whole = not path.is_dir() and isinstance(data, dict) and "results" not in data
        named = data if whole else {file.stem: data}
        for word, value in named.items():
            endpoint = ENDPOINTS.get(re.sub(r"^[0-9]+-|^(dcim|ipam)\.", "", word))
            if endpoint:
                tables[endpoint] = _objects(file, word, value)
    if "devices" not in tables:
        raise malformed(path, "no devices found", _HINT)
    return parse(tables, str(path), settings)


def _objects(file: Path, word: str, value: Any) -> list[Row]:
    """Return the objects of an endpoint, whole or as a page of the API."""
    if isinstance(value, dict) and value.get("next"):
        message = f"{word[:40]!a} contains one of several pages"
        raise malformed(file, message, "request all objects with ?limit=0")
    rows = value.get("results") if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise malformed(file, f"{word[:40]!a} is not a list of objects", _HINT)
    return rows


importers.add("netbox")(Importer(_read, parse))
