"""Ansible inventories: YAML or INI, groups below groups, ``group_vars`` and ``host_vars``.

Precedence is Ansible's: groups from far to near (by depth, then name), the files of ``group_vars``
after the inventory's own variables, the host's own line, ``host_vars`` last (ansible/ansible,
lib/ansible/inventory/helpers.py and docs "Variable precedence"). Templates are not evaluated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.exchange.ansible_ini import Inventory, expand, parse_ini
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.importers.cable_map import take_cables
from fabric.exchange.trees import circle, depths, lineage
from fabric.exchange.values import DEVICE_WORDS, malformed, meant, pick, role_of_groups, text_of
from fabric.intent.yaml.file import input_error, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.intent.yaml.file import Document

_YAML = (".yaml", ".yml")
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_GROUP_KEYS = frozenset({"hosts", "children", "vars"})


def _read(path: Path, settings: Settings) -> Imported:
    if settings.cabling is None:
        message = "an Ansible inventory does not describe cables"
        raise malformed(path, message, "add a CSV or DOT file with --cabling")
    draft = Draft.of(path, settings, closed=True)
    inventory = _inventory(path, draft)
    _Reader(path, inventory, draft, settings).take()
    take_cables(settings.cabling, draft, settings)
    return Imported(draft.plant())


def _inventory(path: Path, draft: Draft) -> Inventory:
    def complain(message: str, fix: str, line: int) -> None:
        draft.wrong("EXC006", message, fix, draft.place(line))

    if path.suffix.lower() not in _YAML:
        return parse_ini(text_of(path), complain)
    document = load_yaml(path, str(path))
    inventory = Inventory()
    for name, group in document.data.items():
        _group(inventory, str(name), group, (name,), (document, draft))
    return inventory


def _group(
    inventory: Inventory,
    name: str,
    tree: object,
    at: tuple[str | int, ...],
    source: tuple[Document, Draft],
) -> None:
    """Take a group of a YAML inventory in, with those below it."""
    document, draft = source
    group = inventory.group(name, document.position(at).line)
    for key in _mapping(tree):
        place = document.position((*at, key))
        if key not in _GROUP_KEYS:
            message = f"group {name[:40]!a}: {key!a} is not hosts, children or vars"
            fix = "move it below one of them"
            draft.wrong("EXC006", message, fix, draft.place(place.line, place.column))
    for child, below in _mapping(_mapping(tree).get("children")).items():
        group.children.append(str(child))
        _group(inventory, str(child), below, (*at, "children", child), source)
    group.variables.update(_mapping(_mapping(tree).get("vars")))
    for text, variables in _mapping(_mapping(tree).get("hosts")).items():
        place = document.position((*at, "hosts", text))
        try:
            for host in expand(str(text)):
                inventory.host(name, host, place.line, _mapping(variables))
        except ValueError as error:
            where = draft.place(place.line, place.column)
            draft.wrong("EXC006", str(error), "use the form leaf[01:16]", where)


class _Reader:
    """Puts together what is known of each host."""

    def __init__(self, path: Path, inventory: Inventory, draft: Draft, settings: Settings) -> None:
        self._path = path
        self._inventory = inventory
        self._draft = draft
        self._settings = settings
        self._parents: dict[str, list[str]] = {name: [] for name in inventory.groups}
        for name, group in inventory.groups.items():
            for child in group.children:
                self._parents[child].append(name)
        self._files: dict[str, dict[str, Any]] = {}

    def take(self) -> None:
        round_trip = circle(self._parents)
        if round_trip:
            message = f"groups contain each other: {' above '.join(round_trip)}"
            line = self._inventory.groups[round_trip[0]].line
            self._draft.wrong(
                "EXC010", message, "remove one of them from children", self._draft.place(line)
            )
            raise input_error(self._draft.findings, str(self._path))
        depth = depths(self._parents)
        by_host: dict[str, list[str]] = {}
        lines: dict[str, int] = {}
        for name, group in self._inventory.groups.items():
            for host, line in group.hosts.items():
                by_host.setdefault(host, []).append(name)
                lines.setdefault(host, line)
        for host, groups in by_host.items():
            above = {*lineage(groups, self._parents)} - {"all"}
            order = sorted(above, key=lambda name: (depth[name], name))
            self._host(host, ["all", *order], lines[host])

    def _host(self, host: str, groups: list[str], line: int) -> None:
        """Take a host in; ``groups`` are ordered from far to near."""
        variables: dict[str, Any] = {}
        known = self._inventory.groups
        for source in (
            *(known[name].variables for name in groups if name in known),
            *(self._file("group_vars", name) for name in groups),
            self._inventory.variables.get(host, {}),
            self._file("host_vars", host),
        ):
            variables |= source
        picked = pick(variables, DEVICE_WORDS)
        near = role_of_groups(reversed(groups), self._settings.roles)
        role = meant(str(picked.get("role", "")), self._settings.roles)
        if role:
            picked |= {"kind": role[0], "role": role[1]}
        elif "role" in picked and near:
            del picked["role"]
        self._draft.device(host, self._draft.place(line), {**near, **picked})

    def _file(self, folder: str, name: str) -> Mapping[str, Any]:
        """Return the variables of a host or group from its file or folder."""
        key = f"{folder}/{name}"
        if key not in self._files:
            self._files[key] = self._load(folder, name) if _PLAIN.fullmatch(name) else {}
        return self._files[key]

    def _load(self, folder: str, name: str) -> dict[str, Any]:
        base = self._path.parent / folder
        variables: dict[str, Any] = {}
        plain = [base / f"{name}{ending}" for ending in ("", *_YAML)]
        below = sorted((base / name).glob("*")) if (base / name).is_dir() else []
        for path in (*plain, *(item for item in below if item.suffix in _YAML)):
            if path.is_file():
                try:
                    document = load_yaml(path, str(path), root=self._path.parent)
                except InputError as error:
                    self._draft.findings += error.findings
                    continue
                variables |= {str(key): value for key, value in document.data.items()}
        return variables


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


importers.add("ansible")(Importer(_read))
