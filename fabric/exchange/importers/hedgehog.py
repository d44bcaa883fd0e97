"""Hedgehog: the objects of a wiring diagram, a YAML file with a document for each.

Form: githedgehog/fabric, api/wiring/v1beta1: switch_types.go, server_types.go and
connection_types.go. A port is ``device/port``, on a switch ``E1/17`` by its label, so that only its
number is known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.notes import Notes
from fabric.exchange.values import meant
from fabric.exchange.yaml_source import YamlSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.exchange.draft import Place
    from fabric.exchange.plant import End
    from fabric.exchange.yaml_source import Where

_FIX = "see api/wiring/v1beta1 of githedgehog/fabric"
_GROUP = "wiring.githedgehog.com/"
#: Roles of switches: SwitchRole.
_ROLES = dict.fromkeys(("server-leaf", "border-leaf", "mixed-leaf"), "leaf")
#: Connections with cables of a fabric, and the two sides of their links.
_CABLES = {
    **dict.fromkeys(("unbundled", "bundled", "mclag", "eslag"), ("server", "switch")),
    "fabric": ("spine", "leaf"),
}
_LABEL = re.compile(r"E1/([1-9][0-9]{0,3})")
_SPEED = re.compile(r"([1-9][0-9]{0,2})G")


class _Wiring:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._path = path
        self._draft = Draft(str(path), closed=True, cut_domain=settings.cut_domain)
        self._notes = Notes(str(path))
        self._roles = {**_ROLES, **settings.roles}
        self._speeds: dict[End, int] = {}
        self._numbers: dict[End, int] = {}
        self._connections: list[tuple[YamlSource, Where, str, dict[str, Any]]] = []

    def imported(self) -> Imported:
        read = 0
        for source in YamlSource.documents(self._path, self._draft, _FIX):
            for where, body in self._objects(source):
                read += self._object(source, where, body)
        if not read and not self._draft.findings:
            message = "there are no switches, servers or connections"
            self._draft.wrong("EXC006", message, _FIX, self._draft.place())
        for connection in self._connections:
            self._connection(*connection)
        plant = self._draft.plant()
        return Imported(plant, self._notes.all(), numbers=self._numbers)

    @staticmethod
    def _objects(source: YamlSource) -> Iterator[tuple[Where, dict[str, Any]]]:
        """Yield the object of a document, or those of a list that kubectl printed."""
        body = source.mapping((), source.data)
        if body.get("kind") == "List":
            yield from source.rows(("items",), body.get("items"))
        else:
            yield (), body

    def _object(self, source: YamlSource, where: Where, body: Mapping[str, Any]) -> bool:
        if not source.text((*where, "apiVersion"), body.get("apiVersion")).startswith(_GROUP):
            return False
        kind = source.text((*where, "kind"), body.get("kind"))
        meta = source.mapping((*where, "metadata"), body.get("metadata"))
        name = source.text((*where, "metadata", "name"), meta.get("name"))
        spec = source.mapping((*where, "spec"), body.get("spec"))
        place = source.place((*where, "metadata", "name"))
        if kind == "Switch":
            self._switch(source, (*where, "spec"), name, spec)
        elif kind == "Server":
            self._draft.device(name, place, {"kind": "host"})
        elif kind == "Connection":
            self._connections.append((source, (*where, "spec"), name, spec))
        return kind in {"Switch", "Server", "Connection"}

    def _switch(self, source: YamlSource, where: Where, name: str, spec: Mapping[str, Any]) -> None:
        place = source.place(where)
        word = source.text((*where, "role"), spec.get("role"))
        _, role = meant(word, self._roles) or ("", "")
        if word and not role:
            fix = "map the role with --role"
            self._notes.add("switches have an unknown role", fix, f"{name} ({word})")
        boot = source.mapping((*where, "boot"), spec.get("boot"))
        values = {
            "kind": "switch",
            "role": role,
            "system": "sonic",
            "model": spec.get("profile"),
            "asn": spec.get("asn"),
            "loopback": spec.get("protocolIP"),
            "management": spec.get("ip"),
            "serial": boot.get("serial"),
            "mac": boot.get("mac"),
        }
        self._draft.device(name, place, values)
        speeds = source.mapping((*where, "portSpeeds"), spec.get("portSpeeds"))
        for port, value in speeds.items():
            match = _SPEED.fullmatch(source.text((*where, "portSpeeds", port), value))
            if match:
                self._speeds[name, port] = int(match[1])

    def _connection(
        self, source: YamlSource, where: Where, name: str, spec: Mapping[str, Any]
    ) -> None:
        for kind, value in spec.items():
            inner = (*where, kind)
            if kind not in _CABLES:
                fix = "add the cables to the inventory if they are part of the fabric"
                self._notes.add(f"connections of kind {kind} are ignored", fix, name)
                continue
            body = source.mapping(inner, value)
            links = [*source.rows((*inner, "links"), body.get("links"))]
            if "link" in body:
                links.append(((*inner, "link"), source.mapping((*inner, "link"), body["link"])))
            if not links:
                source.wrong(inner, "the connection has no links")
            for path, link in links:
                self._link(source, path, link, _CABLES[kind])

    def _link(
        self, source: YamlSource, where: Where, link: Mapping[str, Any], sides: tuple[str, str]
    ) -> None:
        ends = []
        for side in sides:
            body = source.mapping((*where, side), link.get(side))
            port = source.text((*where, side, "port"), body.get("port"))
            device, slash, interface = port.partition("/")
            if not (device and slash and interface):
                source.wrong((*where, side), "expected a port of the form device/port")
                return
            ends.append((device, interface))
        self._cable(ends, source.place(where))

    def _cable(self, ends: list[End], place: Place) -> None:
        for device, port in ends:
            label = _LABEL.fullmatch(port)
            if label:
                self._numbers[self._draft.short(device), port] = int(label[1])
        speed = next((self._speeds[end] for end in ends if end in self._speeds), None)
        self._draft.cable(ends[0], ends[1], place, {"speed_gbps": speed})


def _read(path: Path, settings: Settings) -> Imported:
    return _Wiring(path, settings).imported()


importers.add("hedgehog")(Importer(_read))
