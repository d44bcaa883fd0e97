"""containerlab: nodes with kinds, groups and labels, and the veth links between them.

Form and inheritance (node, group, kind, defaults): srl-labs/containerlab, schemas/clab.schema.json,
docs/manual/topo-def-file.md, and links/link.go for the two forms of a link. Links that leave the
lab or end on a bridge are no cables of the fabric.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fabric.core.shown import quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.lab_words import kind_and_role, port_of
from fabric.exchange.network import take_edge
from fabric.exchange.notes import Notes
from fabric.exchange.values import DEVICE_WORDS
from fabric.exchange.yaml_source import YamlSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.exchange.plant import End
    from fabric.exchange.yaml_source import Where

_FIX = "see docs/manual/topo-def-file.md of containerlab"
#: Link types with two nodes; all others leave the lab (links/link.go).
_BETWEEN_NODES = {"", "veth", "veth-stitch", "brief"}
#: What stands before the colon of an endpoint that is no node (links/link_brief.go).
_OUTSIDE = frozenset({"host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"})
_BRIDGES = frozenset({"bridge", "ovs-bridge", "host"})
#: A variable of the environment, which containerlab puts in; ``$$`` is one dollar.
_VARIABLE = re.compile(r"(?<!\$)(?:\$\$)*\$[A-Za-z_{]")
_NOT_MINE = "add them to the inventory if they are part of the fabric"


class _Topology:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._draft = Draft.of(path, settings)
        self._source = YamlSource(path, self._draft, _FIX)
        self._notes = Notes(str(path))
        self._roles = settings.roles
        self._kinds: dict[str, str] = {}
        self._hosts: set[str] = set()
        self._leaves: set[str] = set()
        self._guessed: dict[str, Where] = {}
        self._peers: dict[str, list[str]] = defaultdict(list)
        self._numbers: dict[End, int] = {}
        self._topology = self._source.mapping(("topology",), self._source.data.get("topology"))

    def imported(self) -> Imported:
        nodes = self._source.mapping(("topology", "nodes"), self._topology.get("nodes"))
        if not nodes:
            self._source.wrong(("topology",), "there are no nodes")
        for name, node in nodes.items():
            self._node(name, ("topology", "nodes", name), node)
        links = self._topology.get("links")
        for where, link in self._source.rows(("topology", "links"), links):
            self._link(where, link)
        self._guess()
        name = self._text(("name",), self._source.data.get("name"))
        plant = self._draft.plant(name)
        return Imported(plant, self._notes.all(), numbers=self._numbers)

    def _node(self, name: str, where: Where, value: object) -> None:
        node = self._source.mapping(where, value)
        group = self._text((*where, "group"), node.get("group"))
        levels = [node, self._section("groups", group)]
        defaults = self._source.mapping(("topology", "defaults"), self._topology.get("defaults"))
        kind = self._text(where, _first("kind", (*levels, defaults)))
        levels += [self._section("kinds", kind), defaults]
        self._kinds[name] = kind
        if kind in _BRIDGES:
            self._notes.add(f"nodes of kind {kind} are ignored", _NOT_MINE, name)
            return
        labels = self._labels(where, levels)
        values: dict[str, object] = {
            field: labels[words[0]] for field, words in DEVICE_WORDS.items() if words[0] in labels
        }
        words = (str(values.pop("role", "")), labels.get("role", ""), group)
        values = {**kind_and_role(words, kind, self._roles), **values}
        own = "mgmt-ipv4" if node.get("mgmt-ipv4") else "mgmt-ipv6"
        values["management"] = self._text((*where, own), node.get(own))
        if values["kind"] == "host":
            self._hosts.add(name)
        elif values["role"] == "leaf":
            self._leaves.add(name)
        elif kind == "linux" and not values["kind"]:
            self._guessed[name] = where
        self._draft.device(name, self._source.place(where), values)

    def _guess(self) -> None:
        """Take nodes of kind linux with one cable, to a leaf, for hosts; name all that are so."""
        for name, where in self._guessed.items():
            peers = self._peers[name]
            if len(peers) == 1 and peers[0] in self._leaves:
                what = "nodes of kind linux with one cable, to a leaf, are taken for hosts"
                self._notes.add(what, "set their label role if they are switches", name)
                self._draft.device(name, self._source.place(where), {"kind": "host"})
            elif peers:
                what = "nodes of kind linux have no role, which is guessed by their cables"
                self._notes.add(what, "set their label role", name)

    def _section(self, section: str, name: str) -> Mapping[str, Any]:
        known = self._source.mapping(("topology", section), self._topology.get(section))
        return self._source.mapping(("topology", section, name), known.get(name))

    def _labels(self, where: Where, levels: list[Mapping[str, Any]]) -> dict[str, str]:
        """Return the labels of a node; those of the node count most."""
        labels: dict[str, str] = {}
        for level in reversed(levels):
            mine = self._source.mapping((*where, "labels"), level.get("labels"))
            labels |= {
                key: self._text((*where, "labels", key), value) for key, value in mine.items()
            }
        return labels

    def _link(self, where: Where, link: Mapping[str, Any]) -> None:
        kind = self._text((*where, "type"), link.get("type"))
        if kind not in _BETWEEN_NODES:
            name = f"{kind} at line {self._source.place(where).position.line}"
            self._notes.add("links out of the lab are ignored", _NOT_MINE, name)
            return
        ends = self._source.items((*where, "endpoints"), link.get("endpoints"))
        both = [self._end((*where, "endpoints", at), end) for at, end in enumerate(ends)]
        if len(both) != 2 or not all(all(end) for end in both):  # noqa: PLR2004 - both ends
            self._source.wrong(where, "expected two endpoints, each with a node and an interface")
            return
        if self._is_cable(both):
            for end, other in (both, reversed(both)):
                self._peers[end[0]].append(other[0])
            self._cable(where, link, both)

    def _end(self, where: Where, value: object) -> End:
        if isinstance(value, dict):
            parts = (value.get("node"), value.get("interface"))
        else:
            node, _, interface = self._source.text(where, value).partition(":")
            parts = (node, interface)
        return self._text(where, parts[0]), self._text(where, parts[1])

    def _is_cable(self, ends: list[End]) -> bool:
        (one, _), (other, _) = ends
        name = " to ".join(":".join(end) for end in ends)
        for node in (one, other):
            if node in _OUTSIDE or self._kinds.get(node) in _BRIDGES:
                self._notes.add("links to bridges and out of the lab are ignored", _NOT_MINE, name)
                return False
            if node not in self._kinds:
                fix = "add the nodes if they are part of the fabric"
                self._notes.add("links to undefined nodes are ignored", fix, name)
                return False
        if one == other:
            fix = "correct one of the ends if it is a cable"
            self._notes.add("links from a node to itself are ignored", fix, name)
        return one != other

    def _cable(self, where: Where, link: Mapping[str, Any], ends: list[End]) -> None:
        place = self._source.place(where)
        own = self._source.mapping((*where, "vars"), link.get("vars")).get("rocefab")
        if isinstance(own, dict) and isinstance(own.get("ports"), dict):
            if {str(name) for name in own["ports"]} == {device for device, _ in ends}:
                plain = {key: self._plain(value) for key, value in own.items()}
                take_edge(self._draft, plain, place, self._hosts)
                return
            fix = "remove the variable rocefab from links that you connect elsewhere"
            name = " to ".join(":".join(end) for end in ends)
            self._notes.add("links have variables of other nodes, which are ignored", fix, name)
        named = []
        for device, interface in ends:
            port, number = port_of(interface, self._kinds[device])
            named.append((device, port))
            if number is not None:
                self._numbers[self._draft.short(device), port] = number
        self._draft.cable(named[0], named[1], place, {})

    def _plain(self, value: Any) -> Any:
        """Return a value of ours with single dollars again."""
        if isinstance(value, dict):
            return {key: self._plain(item) for key, item in value.items()}
        return value.replace("$$", "$") if isinstance(value, str) else value

    def _text(self, where: Where, value: object) -> str:
        text = self._source.text(where, value)
        if _VARIABLE.search(text):
            message = f"{quoted(text)} contains a variable, which is not expanded"
            self._draft.wrong("EXC006", message, "use its value", self._source.place(where))
        return text.replace("$$", "$")


def _first(key: str, levels: tuple[Mapping[str, Any], ...]) -> object:
    return next((level[key] for level in levels if level.get(key) is not None), None)


def _read(path: Path, settings: Settings) -> Imported:
    return _Topology(path, settings).imported()


importers.add("containerlab")(Importer(_read))
