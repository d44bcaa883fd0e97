"""NVIDIA Air: a topology of nodes and links, as JSON or as DOT.

Form: CumulusNetworks/docs, content/nvidia-air/Custom-Topology.md. ``exit`` and ``fake`` are no
nodes: a link to them leaves the simulation. Functions of the management network carry no data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.exchange.dot_text import DotError, parse
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.lab_words import port_of
from fabric.exchange.notes import Notes
from fabric.exchange.values import malformed, meant, text_of
from fabric.exchange.yaml_source import YamlSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.exchange.draft import Place
    from fabric.exchange.plant import End
    from fabric.exchange.yaml_source import Where

_FIX = "see the documentation of NVIDIA Air, Custom Topology"
_OURS = "map the function with --role if they are part of the fabric"
_DOT = {".dot", ".gv"}
#: What no function is needed for; the management network of Air goes by these names.
_OUTSIDE = frozenset({"exit", "fake", "oob-mgmt-server", "oob-mgmt-switch", "outbound"})
#: System of a switch by the start of its image.
_SYSTEMS = {"cumulus-vx": "cumulus", "sonic-vs": "sonic", "cumulus": "cumulus", "sonic": "sonic"}


class _Simulation:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._path = path
        self._draft = Draft(str(path), cut_domain=settings.cut_domain)
        self._notes = Notes(str(path))
        self._roles = settings.roles
        self._systems: dict[str, str] = {}
        self._ignored: set[str] = set(_OUTSIDE)
        self._numbers: dict[End, int] = {}

    def json(self) -> Imported:
        """Return what a JSON topology holds; that of the API has it under ``content``."""
        source = YamlSource(self._path, self._draft, _FIX)
        where: Where = ("content",) if isinstance(source.data.get("content"), dict) else ()
        body = source.mapping(where, source.data["content"] if where else source.data)
        nodes = source.mapping((*where, "nodes"), body.get("nodes"))
        if not nodes:
            source.wrong(where, "there are no nodes")
        for name, value in nodes.items():
            path = (*where, "nodes", name)
            node = {
                key: source.text((*path, key), item)
                for key, item in source.mapping(path, value).items()
                if key in {"os", "function", "role"}
            }
            self._node(name, source.place(path), node)
        for at, link in enumerate(source.items((*where, "links"), body.get("links"))):
            path = (*where, "links", at)
            ends = [self._end(source, path, end) for end in source.items(path, link)]
            if len(ends) != 2:  # noqa: PLR2004 - both ends
                source.wrong(path, "expected two ends")
                continue
            self._link((ends[0], ends[1]), source.place(path))
        return self._done(str(source.data.get("title") or ""))

    def dot(self) -> Imported:
        """Return what a DOT topology holds."""
        try:
            graph = parse(text_of(self._path))
        except DotError as error:
            message, _, fix = str(error).partition("; ")
            raise malformed(self._path, message, fix, error.line, error.column) from error
        for node in graph.nodes:
            place = self._draft.place(node.token.line, node.token.column)
            self._node(node.name, place, node.attributes)
        for edge in graph.edges:
            place = self._draft.place(edge.token.line, edge.token.column)
            self._link((edge.near, edge.far), place)
        return self._done(graph.name)

    def _done(self, name: str) -> Imported:
        plant = self._draft.plant(name)
        return Imported(plant, self._notes.all(), numbers=self._numbers)

    def _node(self, name: str, place: Place, node: Mapping[str, str]) -> None:
        image = node.get("os", "")
        word = node.get("function") or node.get("role") or ""
        meaning = meant(word, self._roles) or meant(image, self._roles)
        if name in _OUTSIDE or (word and not meaning):
            self._ignored.add(name)
            self._notes.add("nodes with another function are ignored", _OURS, f"{name} ({word})")
            return
        system = next((ours for start, ours in _SYSTEMS.items() if image.startswith(start)), "")
        kind, role = meaning or ("switch" if system else "", "")
        self._systems[name] = system if kind == "switch" else ""
        self._draft.device(name, place, {"kind": kind, "role": role, "system": self._systems[name]})

    @staticmethod
    def _end(source: YamlSource, where: Where, value: Any) -> End:
        if not isinstance(value, dict):
            return source.text(where, value), ""
        return source.text(where, value.get("node")), source.text(where, value.get("interface"))

    def _link(self, ends: tuple[End, End], place: Place) -> None:
        name = " to ".join(":".join(filter(None, end)) for end in ends)
        if any(device in self._ignored for device, _ in ends):
            what = "links out of the simulation and to ignored nodes are ignored"
            self._notes.add(what, "add the nodes if they are part of the fabric", name)
            return
        if any(device not in self._systems for device, _ in ends):
            fix = "add the nodes if they are part of the fabric"
            self._notes.add("links to undefined nodes are ignored", fix, name)
            return
        if ends[0][0] == ends[1][0]:
            fix = "correct one of the ends if it is a cable"
            self._notes.add("links from a node to itself are ignored", fix, name)
            return
        for device, interface in ends:
            _, number = port_of(interface, self._systems[device])
            if number is not None:
                self._numbers[self._draft.short(device), interface] = number
        self._draft.cable(ends[0], ends[1], place, {})


def _read(path: Path, settings: Settings) -> Imported:
    simulation = _Simulation(path, settings)
    return simulation.dot() if path.suffix.lower() in _DOT else simulation.json()


importers.add("air")(Importer(_read))
