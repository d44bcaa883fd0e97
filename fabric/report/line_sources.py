"""What in the inventory a line of a plan follows from: a field, or an override with its file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.intent.policy import set_paths
from fabric.report.deciding import decided, values_of
from fabric.report.explain_asn import OWN_ASN
from fabric.report.explain_values import OF_CABLES, VRF

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.intent.inventory import Located
    from fabric.intent.policy import Model
    from fabric.render.explain import Explanation, PlacedLine
    from fabric.report.explain_values import Spot

#: Parts of the name of a field that a topic has: ``lossless.ecn``, ``bgp.hold_s``.
_PARTS = 2
_OVERRIDES = ("devices", "hosts")

#: The file of an override, and a field that it sets.
Mark = tuple[str, tuple[str | int, ...]]


def topic_of(fields: Iterable[str]) -> str:
    """Return the part of the inventory that the first field is of; of ``fabric.yaml`` if any is."""
    every = sorted(fields, key=lambda name: name.startswith(_OVERRIDES))
    return ".".join(every[0].split(".")[:_PARTS]) if every else ""


def _is_foreign(design: DeviceDesign, line: PlacedLine, spot: Spot) -> bool:
    """Tell whether a line is of a port that is not used, or of a VRF that the switch lacks."""
    port = design.port_by_name.get(spot.port)
    named = set(VRF.findall(f"{line.context} {line.text}"))
    return bool(port and port.kind == "unused") or not named <= {vrf.name for vrf in design.vrfs}


@dataclass(frozen=True)
class LineSources:
    """Finds what lines follow from, as `explain` does; ports that are set alike are looked at once.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    """

    designs: Designs
    _topics: dict[Hashable, str] = field(default_factory=dict)
    _marks: dict[str, dict[str, frozenset[Mark]]] = field(default_factory=dict)
    _paths: dict[int, list[tuple[str | int, ...]]] = field(default_factory=dict)

    def of(
        self, device: str, line: PlacedLine, entry: Explanation, *, is_removed: bool = False
    ) -> tuple[tuple[str, ...], str]:
        """Return the fields that decide a line of a switch, and the topic of what sets them.

        The topic is empty where nothing in the inventory sets the line, or, of a line that is
        removed, where no value in its files can be the reason.
        """
        spot, entry = decided(self.designs, device, line, entry)
        design = self.designs.devices[device]
        if is_removed and _is_foreign(design, line, spot):
            return entry.fields, ""
        if OWN_ASN in entry.fields:  # which may be that of a neighbour
            return entry.fields, self._topic(device, line, entry, spot, is_removed=is_removed)
        marks = self._marks_at(device, spot.port)
        key = entry.fields, design.role, spot.tenants, marks, is_removed
        if key not in self._topics:
            self._topics[key] = self._topic(device, line, entry, spot, is_removed=is_removed)
        return entry.fields, self._topics[key]

    def _topic(
        self, device: str, line: PlacedLine, entry: Explanation, spot: Spot, *, is_removed: bool
    ) -> str:
        """Return the override that has the last word, else the first field that has a value.

        A default is no reason to remove a line.
        """
        rows = [*values_of(self.designs, device, line.text.strip(), entry.fields, spot)]
        for name, value in reversed(rows):
            if value.position and value.field.startswith(_OVERRIDES):
                short = name if name.startswith(_OVERRIDES) else topic_of([name])
                return f"{short} in {value.position.file}"
        written = [name for name, value in rows if value.position]
        return topic_of([*written, *(name for name, _ in rows if not is_removed)][:1])

    def _marks_at(self, device: str, port: str) -> frozenset[Mark]:
        """Return what overrides set at a port, or anywhere on a switch."""
        if device not in self._marks:
            self._marks[device] = self._of_device(self.designs.devices[device])
        marks = self._marks[device]
        return marks.get(port, marks["own"])

    def _of_device(self, design: DeviceDesign) -> dict[str, frozenset[Mark]]:
        """Return what overrides set, by port; of all under no port, of the switch under ``own``."""
        intent = self.designs.intent
        overrides = intent.device_overrides.get(design.name, [])
        own = {mark for one in overrides for mark in self._set(one) if mark[1][0] != "ports"}
        at: dict[str, set[Mark]] = defaultdict(set)
        for one in overrides:
            for name, change in one.value.ports.items():
                at[name].update(self._set(one, change))
        for port in design.ports:
            for host in intent.host_overrides.get(port.peer, []) if port.kind == "host" else ():
                at[port.name].update(self._set(host))
            for far in intent.device_overrides.get(port.peer, []):
                end = far.value.ports.get(port.peer_port)
                cable = self._set(far, end) if end else ()
                at[port.name].update(mark for mark in cable if mark[1][0] in OF_CABLES)
        marks = {port: frozenset(own | here) for port, here in at.items()}
        return {**marks, "own": frozenset(own), "": frozenset(own).union(*marks.values())}

    def _set(self, override: Located[Any], value: Model | None = None) -> Iterator[Mark]:
        """Yield what an override sets, or a value in it."""
        value = value or override.value
        if id(value) not in self._paths:
            self._paths[id(value)] = set_paths(value)
        for path in self._paths[id(value)]:
            yield override.document.file, path
