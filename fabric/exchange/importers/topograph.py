"""Topograph: models of networks, as it simulates providers with.

NVIDIA/topograph, docs/modeling.md and pkg/models/model.go: ``switches`` by name, each with the
switches below it; ``blocks`` of hosts, each on a switch. A switch that only another one names is
a leaf. Labels and annotations (regions, accelerator domains) have no place in an inventory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import listed, quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.switch_tree import Switch, SwitchTree
from fabric.exchange.yaml_source import YamlSource

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.draft import Place
    from fabric.exchange.yaml_source import Where

_FIX = "see docs/modeling.md of Topograph"
_SWITCH = {"name", "labels", "annotations", "switches"}
_BLOCK = {"switch", "nodes", "labels", "annotations"}


def _read(path: Path, settings: Settings) -> Imported:
    draft = Draft.of(path, settings)
    tree = SwitchTree(draft, settings)
    return _Model(YamlSource(path, draft, _FIX), draft, tree).imported()


class _Model:
    def __init__(self, source: YamlSource, draft: Draft, tree: SwitchTree) -> None:
        self._source, self._draft, self._tree = source, draft, tree
        self._ignored: dict[str, None] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._hosts: dict[str, list[str]] = {}
        self._places: dict[str, Place] = {}

    def imported(self) -> Imported:
        data = self._mapping((), self._source.data, {"switches", "blocks"})
        for name, body in self._mapping(("switches",), data.get("switches")).items():
            self._switch(name, body)
        for number, body in enumerate(self._source.items(("blocks",), data.get("blocks"))):
            self._block(number, body)
        for name, place in self._places.items():
            hosts, below = tuple(self._hosts.get(name, ())), self._below.get(name, ())
            if hosts and below:
                message = f"{quoted(name)} has both hosts and switches"
                self._draft.wrong("EXC006", message, "name one of them", place)
            self._tree.add(Switch(name, place, hosts, below))
        done = self._tree.imported(joined=not self._below)
        return Imported(
            done.plant, (*done.notes, *self._notes()), generated=True, remarks=done.remarks
        )

    def _switch(self, name: str, body: object) -> None:
        where: Where = ("switches", name)
        values = self._mapping(where, body, _SWITCH)
        if values.get("name", name) != name:
            self._source.wrong((*where, "name"), f"the name is not {quoted(name)}")
        self._places[name] = self._source.place(where)
        children = self._source.items((*where, "switches"), values.get("switches"))
        self._below[name] = tuple(map(str, children))
        for number, child in enumerate(self._below[name]):
            self._places.setdefault(child, self._source.place((*where, "switches", number)))

    def _block(self, number: int, body: object) -> None:
        where: Where = ("blocks", number)
        values = self._mapping(where, body, _BLOCK)
        if not isinstance(body, dict):
            return
        name = str(values.get("switch") or "")
        if (name or self._below) and name not in self._places:
            fix = "name a switch of the model"
            message = f"the switch {quoted(name)} is not defined" if name else "switch is missing"
            self._draft.wrong("EXC004", message, fix, self._source.place(where))
        self._places.setdefault(name or f"block{number + 1}", self._source.place(where))
        hosts = self._hosts.setdefault(name or f"block{number + 1}", [])
        nodes = self._source.items((*where, "nodes"), values.get("nodes"))
        for index, text in enumerate(nodes):
            hosts += self._tree.names(text, self._source.place((*where, "nodes", index)))
        if not nodes:
            self._source.wrong(where, "the block has no nodes")

    def _mapping(
        self, where: Where, value: object, known: set[str] | None = None
    ) -> dict[str, Any]:
        mapping = self._source.mapping(where, value)
        for key in mapping:
            if known is not None and key not in known:
                self._source.wrong((*where, key), f"unknown key {quoted(key)}")
            if key in {"labels", "annotations"} and isinstance(mapping[key], dict):
                self._ignored |= dict.fromkeys(map(str, mapping[key]))
        return mapping

    def _notes(self) -> tuple[Finding, ...]:
        if not self._ignored:
            return ()
        message = f"labels and annotations are ignored: {listed(sorted(self._ignored), 'and')}"[
            :300
        ]
        fix = "an inventory has units and pods; see docs/exchange.md"
        place = Position(self._draft.file)
        return (Finding("EXC012", Severity.WARNING, message, fix, position=place),)


importers.add("topograph")(Importer(_read, has_roles=False))
