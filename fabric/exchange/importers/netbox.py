"""NetBox: devices, interfaces, cables and IP addresses, of its REST API or its bulk import.

Shapes: netbox-community/netbox, netbox/dcim/api/serializers_ and netbox/dcim/forms/bulk_import.py.
A dump is one JSON object with a list for each endpoint, or a folder with one file for each.
Devices in roles that no fabric has are ignored, with their cables; notes name what is ignored, and
what is read in another way than NetBox has it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from fabric.core.units import METRES, kbps_to_gbps, length_to_m
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.netbox_cables import laned, pairs, paths, peers
from fabric.exchange.netbox_macs import macs
from fabric.exchange.netbox_notes import Notes, missing_fields, shown, unknown_roles
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

    from fabric.exchange.lanes import Lane
    from fabric.exchange.plant import End

#: Statuses of things that are not there (DeviceStatusChoices, LinkStatusChoices).
_GONE = frozenset({"decommissioning", "inventory", "offline", "failed"})
_COMING = frozenset({"planned", "staged"})
_CHASSIS = "check that each has its own control plane"
_PROFILE = "set the profile of the cable in NetBox"
_PANEL = "complete the path in NetBox, and import connected_endpoints of interfaces"
_FIELDS = (
    "import 01-custom-fields.json of `rocefab export netbox` first; later files then keep them"
)
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
        self._notes = Notes(shown)
        self._special = self._special_interfaces()
        self._kinds: dict[str, str] = {}
        self._roles: dict[str, list[str]] = {}
        self._nics: dict[End, dict[str, object]] = {}
        self._interfaces: dict[End, Row] = {}
        self._by_id: dict[str, End] = {}
        self._cabled: set[End] = set()
        self._decided: set[End] = set()
        self._panelled: dict[End, None] = {}
        self._lanes: dict[End, Lane] = {}
        self._macs, self._unclear = macs(self._rows("interfaces"), self._rows("mac-addresses"))

    def imported(self) -> Imported:
        addresses = self._addresses()
        for row in self._rows("devices"):
            self._device(row, addresses)
        self._check_roles()
        for row in self._rows("interfaces"):
            self._interface(row)
        for row in self._rows("cables"):
            self._cable(row)
        self._paths()
        self._note_interfaces()
        self._take_nics(addresses)
        name = self._site()
        self._check_fields()
        return Imported(self._draft.plant(name), self._notes.all(), lanes=self._lanes)

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
        if known is None:
            self._roles.setdefault(slug_of(word) or "none", []).append(name)
            return
        if not self._present("devices", name, row):
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
        chassis = name_of(row.get("virtual_chassis"))
        if chassis:
            what = "devices are members of a virtual chassis, and imported as single devices"
            self._notes.add(what, _CHASSIS, f"{name} of {chassis}")

    def _present(self, things: str, name: str, row: Row) -> bool:
        """Tell whether a device or cable is there; what is not in use is noted."""
        status = slug_of(row.get("status"))
        if status in _GONE:
            fix = "change the status in NetBox if they are part of the fabric"
            self._notes.add(f"{things} are ignored, as they are {status}", fix, name)
            return False
        if status in _COMING:
            fix = "remove them if they are not there yet"
            self._notes.add(f"{things} are {status} in NetBox, and imported", fix, name)
        return True

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
            name_of(row.get("site")): None
            for row in self._rows("devices")
            if str(row.get("name")) in self._kinds
        }
        names.pop("", None)
        if len(names) > 1:
            message = f"{len(names)} sites are imported as one fabric: {shown(list(names))}"
            self._notes.warn(message, "choose one with --site SLUG")
        return next(iter(names)) if len(names) == 1 else ""

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
        if self._kinds[end[0]] == "host" and not row.get("mgmt_only"):
            self._nics[end] = values

    def _cable(self, row: Row) -> None:
        sides = [ends_of(row, side, self._by_id) for side in "ab"]
        one, other = ([end for end in side if end] for side in sides)
        mine = [end for end in (*one, *other) if end[0] in self._kinds]
        place = self._place("cables", row)
        name = f"{place.field} of {' '.join(mine[0])}" if mine else ""
        if not mine:
            return
        direct = bool(one and other) and [one, other] == sides
        present = self._present("cables", name, row)
        if direct or not present:
            self._decided |= {*mine}
        else:
            self._panelled |= dict.fromkeys(mine)  # the interfaces tell what is at the other end
        if not direct or not present:
            return
        joined = pairs(one, other, self._interfaces)
        if not joined:
            what = "cables with several ends are ignored, as their lanes are not known"
            self._notes.add(what, _PROFILE, name)
        elif len(one) == len(other) > 1 and not slug_of(row.get("profile")):
            what = "cables with several ends have no profile, and their ends were joined in order"
            self._notes.add(what, _PROFILE, name)
        self._join(joined, place, self._length(row, place))

    def _join(self, joined: list[tuple[End, End]], place: Any, cable_m: int | None) -> None:
        """Take cables in, with a name for each lane of a port that has several."""
        ports, lanes = laned(joined)
        for whole, (one, other) in zip(joined, ports, strict=True):
            if not {one[0], other[0]} <= self._kinds.keys():
                continue
            if any(end in lanes and self._kinds[end[0]] == "host" for end in (one, other)):
                what = "cables from one NIC to several ports are ignored"
                fix = "model each port of the NIC as an interface"
                self._notes.add(what, fix, " ".join(whole[0] + whole[1]))
                continue
            speeds = [self._speed(self._interfaces.get(end, {})) for end in whole]
            known = [speed for speed in speeds if speed]
            figures = {"speed_gbps": min(known) if known else None, "cable_m": cable_m}
            self._draft.cable(one, other, place, figures)
            self._cabled |= {*whole}
            for end in {one, other} & lanes.keys():
                device = end[0].partition(".")[0] if self._settings.cut_domain else end[0]
                self._lanes[device, end[1]] = lanes[end]

    def _paths(self) -> None:
        """Take what is at the other end of patch panels, whose lengths are not added up."""
        through = paths(self._interfaces, self._decided)
        self._join(through, self._draft.place(what="interfaces"), None)
        for end in self._panelled:
            row = self._interfaces.get(end, {})
            if end not in self._cabled and len(peers(row)) != 1 and not row.get("mgmt_only"):
                what = "cables end on a patch panel that leads to no single interface"
                self._notes.add(what, _PANEL, " ".join(end))

    def _note_interfaces(self) -> None:
        """Note what cables end on and the inventory does not have."""
        for end in filter(self._cabled.__contains__, self._interfaces):
            row = self._interfaces[end]
            name = " ".join(end)
            lag = name_of(row.get("lag"))
            if lag:
                what = "interfaces are members of a LAG, and imported as single ones"
                self._notes.add(what, "check their addresses", f"{name} of {lag}")
            if row.get("enabled") is False:
                what = "interfaces are disabled in NetBox, and imported as enabled"
                self._notes.add(what, "remove their cables if they are not used", name)

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
        for end, values in self._nics.items():
            rail = values.get("rail")
            if end in self._cabled or (rail is not None and rail != ""):
                values["mac"] = self._macs.get(end)
                if end in self._unclear:
                    what = "NICs have several MAC addresses, none of them primary; none is imported"
                    self._notes.add(what, "set their primary MAC addresses", " ".join(end))
                values["address"] = addresses.get(end)
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
