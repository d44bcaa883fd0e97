"""NetBox: devices, interfaces, cables and IP addresses, of its REST API or its bulk import.

Shapes: netbox-community/netbox, netbox/dcim/api/serializers_ and netbox/dcim/forms/bulk_import.py.
A dump is one JSON object with a list for each endpoint, or a folder with one file for each.
Devices in roles that no fabric has are left out, with their cables.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.core.units import METRES, kbps_to_gbps, length_to_m
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.netbox_words import (
    DEVICE_FIELDS,
    ENDPOINTS,
    NIC_FIELDS,
    NO_MODEL,
    Row,
    custom,
    ends_of,
    name_of,
    objects,
    slug_of,
)
from fabric.exchange.values import json_of, malformed, meant
from fabric.intent.scalars import listed, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.plant import End

#: Statuses of things that are not there (DeviceStatusChoices, LinkStatusChoices).
_GONE = frozenset({"decommissioning", "inventory", "offline", "failed"})
_SPEED = re.compile(r"([0-9]+)gbase-")
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
        self._draft = Draft(shown, closed=True, cut_domain=settings.cut_domain)
        self._special = self._special_interfaces()
        self._kinds: dict[str, str] = {}
        self._left_out: Counter[str] = Counter()
        self._nics: dict[End, dict[str, object]] = {}
        self._interfaces: dict[End, Row] = {}
        self._by_id: dict[str, End] = {}
        self._cabled: set[End] = set()

    def imported(self) -> Imported:
        addresses = self._addresses()
        for row in self._rows("devices"):
            self._device(row, addresses)
        for row in self._rows("interfaces"):
            self._interface(row)
        for row in self._rows("cables"):
            self._cable(row)
        self._paths()
        self._take_nics(addresses)
        names = {name_of(row.get("site")) for row in self._rows("devices")} - {""}
        name = names.pop() if len(names) == 1 else ""
        return Imported(self._draft.plant(name), self._notes())

    def _rows(self, endpoint: str) -> list[Row]:
        return self._data.get(endpoint, [])

    def _place(self, endpoint: str, row: Row) -> Any:
        number = row.get("id", row.get("name", ""))
        return self._draft.place(what=f"{endpoint}[{str(number)[:40]}]")

    def _addresses(self) -> dict[End, str]:
        """Return the IPv4 address of each interface; the first where it has several."""
        addresses: dict[End, str] = {}
        for row in self._rows("ip-addresses"):
            (assigned,) = objects([row.get("assigned_object")])
            device = name_of(row.get("device") or assigned.get("device"))
            interface = name_of(row.get("interface") or assigned.get("name"))
            text = str(row.get("address", ""))
            if device and interface and ":" not in text:
                addresses.setdefault((device, interface), text)
        return addresses

    def _device(self, row: Row, addresses: dict[End, str]) -> None:
        name, place = str(row.get("name") or ""), self._place("devices", row)
        word = row.get("role") or row.get("device_role")
        known = meant(slug_of(word), self._settings.roles) or meant(
            name_of(word), self._settings.roles
        )
        if known is None or slug_of(row.get("status")) in _GONE:
            self._left_out[slug_of(word) or "none"] += 1
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
            "management": self._management(name, row, addresses),
            "loopback": self._loopback(name, addresses),
        }
        self._kinds[name] = kind
        self._draft.device(name, place, values)

    def _management(self, name: str, row: Row, addresses: dict[End, str]) -> str:
        primary = row.get("primary_ip4") or row.get("primary_ip")
        address = name_of(primary, "address") or next(
            (
                addresses[name, interface]
                for interface in self._special.get((name, "mgmt_only"), ())
                if (name, interface) in addresses
            ),
            "",
        )
        return address.partition("/")[0] if ":" not in address else ""

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
        end = (name_of(row.get("device")), str(row.get("name") or ""))
        if end[0] not in self._kinds:
            return
        self._interfaces[end] = row
        if "id" in row:
            self._by_id[str(row["id"])] = end
        values: dict[str, object] = {key: custom(row, key) for key in NIC_FIELDS}
        values["mac"] = row.get("mac_address")
        if self._kinds[end[0]] == "host" and not row.get("mgmt_only"):
            self._nics[end] = values

    def _cable(self, row: Row) -> None:
        place = self._place("cables", row)
        if slug_of(row.get("status")) in _GONE:
            return
        sides = [ends_of(row, side, self._by_id) for side in "ab"]
        if any(end is None for side in sides for end in side):
            return  # through a patch panel: the interfaces tell what is at the other end
        if any(len(side) != 1 for side in sides):
            counts = listed((str(len(side)) for side in sides), "and")
            message = f"cables with {counts} ends are not supported"
            self._draft.wrong("EXC006", message, "model each lane as a separate cable", place)
            return
        one, other = sides[0][0], sides[1][0]
        if one and other and {one[0], other[0]} <= self._kinds.keys():
            self._join(one, other, place, self._length(row, place))

    def _join(self, one: End, other: End, place: Any, cable_m: int | None) -> None:
        speeds = [self._speed(self._interfaces.get(end, {})) for end in (one, other)]
        known = [speed for speed in speeds if speed]
        figures = {"speed_gbps": min(known) if known else None, "cable_m": cable_m}
        self._draft.cable(one, other, place, figures)
        self._cabled |= {one, other}

    def _paths(self) -> None:
        """Take what is at the other end of patch panels, whose lengths are not added up."""
        for end, row in self._interfaces.items():
            endpoints = objects(row.get("connected_endpoints"))
            if end in self._cabled or len(endpoints) != 1:
                continue
            other = (name_of(endpoints[0].get("device")), name_of(endpoints[0]))
            if other[0] in self._kinds and other[1]:
                self._join(end, other, self._place("interfaces", row), None)

    def _length(self, row: Row, place: Any) -> int | None:
        length, unit = row.get("length"), slug_of(row.get("length_unit"))
        if length is None or length == "":
            return None
        if unit not in METRES:
            message = f"length {quoted(str(length))} has no known unit"
            self._draft.wrong("EXC006", message, f"use {listed(METRES)}", place)
            return None
        try:
            return math.ceil(length_to_m(float(length), unit))
        except (ValueError, OverflowError, TypeError):
            message = f"{quoted(str(length))} is not a length"
            self._draft.wrong("EXC006", message, "use a number", place)
            return None

    @staticmethod
    def _speed(row: Row) -> int | None:
        speed = row.get("speed")
        if isinstance(speed, int) and speed > 0:
            return int(kbps_to_gbps(speed))
        match = _SPEED.match(slug_of(row.get("type")))
        return int(match[1]) if match else None

    def _take_nics(self, addresses: dict[End, str]) -> None:
        macs = {
            (name_of(row.get("device")), name_of(row.get("interface"))): row.get("mac_address")
            for row in self._rows("mac-addresses")
        }
        for end, values in self._nics.items():
            rail = values.get("rail")
            if end in self._cabled or (rail is not None and rail != ""):
                values["mac"] = values["mac"] or macs.get(end)
                values["address"] = addresses.get(end)
                place = self._place("interfaces", self._interfaces[end])
                self._draft.nic(end[0], end[1], place, values)

    def _notes(self) -> tuple[Finding, ...]:
        if not self._left_out:
            return ()
        total = sum(self._left_out.values())
        words = listed((f"{count} {word}" for word, count in self._left_out.items()), "and")
        message = f"{total} devices are ignored, by role: {words}"[:300]
        fix = "set their role with --role WORD=leaf, spine, super-spine or host"
        place = Position(self._draft.file)
        return (Finding("EXC012", Severity.WARNING, message, fix, position=place),)


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
