"""nornir's SimpleInventory: hosts, groups and defaults, with its inheritance.

Order of inheritance: nornir-automation/nornir, nornir/core/inventory.py, ``extended_groups``: a
host before its groups, each group before those above it, defaults last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.shown import quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.importers.cable_map import take_cables
from fabric.exchange.trees import circle, first_known, lineage
from fabric.exchange.values import CABLE_WORDS, DEVICE_WORDS, malformed, pick, role_of_groups
from fabric.intent.yaml.file import input_error, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.exchange.draft import Place
    from fabric.intent.yaml.file import Document

_FILES = ("hosts.yaml", "groups.yaml", "defaults.yaml")


class _Inventory:
    def __init__(self, folder: Path, settings: Settings) -> None:
        self._roles = settings.roles
        shown = [folder / name for name in _FILES]
        self.hosts = load_yaml(shown[0], str(shown[0]))
        self._groups = _document(shown[1])
        self._defaults = _document(shown[2])
        self._draft = Draft.of(shown[0], settings, closed=True)
        self._folder = folder
        self._parents = {
            str(name): _names(_mapping(group).get("groups"))
            for name, group in self._data(self._groups).items()
        }

    def imported(self, settings: Settings) -> Imported:
        self._check_groups()
        for name, host in self.hosts.data.items():
            place = self._place(self.hosts, name)
            groups = _names(_mapping(host).get("groups"))
            for group in groups:
                if group not in self._parents:
                    message = f"group {quoted(group)} does not exist"
                    self._draft.wrong("EXC004", message, "add it to groups.yaml", place)
            self._host(str(name), _mapping(host), groups, place)
        if settings.cabling:
            take_cables(settings.cabling, self._draft, settings)
        elif not any("cables" in _mapping(_mapping(one).get("data")) for one in self._all()):
            message = "no host has cables in its data"
            raise malformed(self._folder, message, "add a CSV or DOT file with --cabling")
        fabric = _mapping(self._data(self._defaults).get("data")).get("fabric", "")
        return Imported(self._draft.plant(str(fabric)))

    def _host(self, name: str, host: Mapping[str, Any], groups: list[str], place: Place) -> None:
        order = [host, *(self._group(item) for item in lineage(groups, self._parents))]
        order.append(self._data(self._defaults))
        data = first_known(_mapping(item.get("data")) for item in order)
        known = pick({key: data[key] for key in data if key != "hostname"}, DEVICE_WORDS)
        for field, attribute in (("management", "hostname"), ("system", "platform")):
            values = [item[attribute] for item in order if item.get(attribute) is not None]
            if values:
                known[field] = values[0]
        source_role = "role" in known
        if not source_role and "kind" not in known:
            known |= role_of_groups(lineage(groups, self._parents), self._roles)
        self._draft.device(name, place, known, source_role=source_role)
        own = _mapping(host.get("data"))
        for number, row in enumerate(_rows(own.get("cables"))):
            where = self._place(self.hosts, name, "data", "cables", number)
            far = (str(row.get("peer_device", "")), str(row.get("peer_port", "")))
            figures = {key: row.get(key) for key in CABLE_WORDS}
            self._draft.cable((name, str(row.get("port", ""))), far, where, figures)
        for number, row in enumerate(_rows(own.get("nics"))):
            where = self._place(self.hosts, name, "data", "nics", number)
            fields = ("rail", "nic_port", "rdma_device", "address", "mac", "ipv6")
            known = {key: row.get(key) for key in fields}
            self._draft.nic(name, row.get("interface"), where, known)

    def _check_groups(self) -> None:
        for name, above in self._parents.items():
            for group in above:
                if group not in self._parents:
                    message = f"group {quoted(name)}: group {quoted(group)} does not exist"
                    assert self._groups is not None
                    place = self._place(self._groups, name)
                    self._draft.wrong("EXC004", message, "add it, or remove the name", place)
        round_trip = circle(self._parents)
        if round_trip:
            assert self._groups is not None
            message = f"groups inherit from each other: {' from '.join(round_trip)}"
            place = self._place(self._groups, round_trip[0])
            fix = "remove one of them from its own ancestors"
            self._draft.wrong("EXC010", message, fix, place)
            raise input_error(self._draft.findings, str(self._folder))

    def _group(self, name: str) -> Mapping[str, Any]:
        return _mapping(self._data(self._groups).get(name))

    def _all(self) -> list[Any]:
        return list(self.hosts.data.values())

    @staticmethod
    def _data(document: Document | None) -> dict[str, Any]:
        return {str(key): value for key, value in document.data.items()} if document else {}

    def _place(self, document: Document, *path: str | int) -> Place:
        position = document.position(path)
        place = self._draft.place(position.line, position.column)
        return type(place)(position)


def _document(path: Path) -> Document | None:
    return load_yaml(path, str(path)) if path.exists() else None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _names(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _rows(value: object) -> list[dict[str, Any]]:
    return [_mapping(item) for item in value] if isinstance(value, list) else []


def _read(path: Path, settings: Settings) -> Imported:
    folder = path if path.is_dir() else path.parent
    return _Inventory(folder, settings).imported(settings)


importers.add("nornir")(Importer(_read))
