"""cabling: planned cables against what the devices at both ends tell, and how to repair them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.device_names import DeviceNames
from fabric.core.formats import form_of
from fabric.observe.state import InterfaceState
from fabric.topology.cable_moves import Work, repair
from fabric.topology.cable_types import Panels, with_panel
from fabric.topology.cabling import HARMLESS, CableVerdict, Judged, Told, judge, planned_cables
from fabric.topology.site import nics_elsewhere
from fabric.workflow.devices import grouped
from fabric.workflow.observe import Selection, observe
from fabric.workflow.recorded import seen_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from fabric.observe.state import LldpNeighbour
    from fabric.topology.cabling import End
    from fabric.workflow.observe import Seen
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

__all__ = ["Cabling", "Selection", "cabling"]

#: Why a cable is unknown although both of its devices were read.
NO_NEIGHBOUR = "LLDP has no neighbour at ports whose link is not down"
#: What to do about a port that is shut down.
SHUT = "ports that are shut down: `rocefab plan` shows whether the inventory wants them up"
_FIELDS = ("lldp", "interfaces", "macs")


@dataclass(frozen=True)
class Cabling:
    """Verdicts on all cables, moves that repair them, and devices that told nothing of some."""

    judged: tuple[Judged, ...]
    moves: tuple[Work, ...]
    unread: tuple[tuple[str, str], ...]
    panels: Mapping[End, str] = field(default_factory=dict)

    @property
    def wrong(self) -> list[Judged]:
        """Cables that are not as planned, or that nobody planned."""
        return [item for item in self.judged if item.verdict not in HARMLESS]

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return near end, far end, verdict and what was seen, for what is known and not right."""
        return [
            (_text(item.near), _text(item.far), item.verdict.value, _seen(item))
            for item in self.judged
            if item.verdict not in (CableVerdict.OK, CableVerdict.UNKNOWN)
        ]

    def shut_lines(self) -> list[str]:
        """Return what to do about ports that are shut down, if there are any."""
        is_shut = any(item.verdict is CableVerdict.SHUT for item in self.judged)
        return [SHUT] if is_shut else []

    def unread_lines(self) -> list[str]:
        """Return why devices told nothing of cables, once for all that have the same reason."""
        return [f"{names}: {reason}" for names, reason in grouped(dict(self.unread))]

    def work_order(self) -> list[str]:
        """Return the moves as sentences, in their order, with the names on the panels."""
        lines = []
        laid: End | None = None
        for move in self.moves:
            source, target = self._place(move.from_end), self._place(move.to_end)
            held = f" (other end: {self._place(move.stays)})" if move.stays else ""
            if move.aside and move.to_end is None:
                lines.append(f"pull {source} and hold the plug{held}")
            elif move.aside:
                lines.append(f"plug it, from {source}, into {target}{held}")
            elif move.from_end is not None and move.to_end is not None:
                lines.append(f"move {source} to {target}{held}")
            elif move.from_end is not None:
                lines.append(f"pull {source}")
            elif laid is None:
                laid = move.to_end
            else:
                lines.append(f"connect a cable from {self._place(laid)} to {target}")
                laid = None
        return lines

    def _place(self, end: End | None) -> str:
        return _text(end) + (with_panel(self.panels.get(end, "")) if end else "")

    def summary(self) -> str:
        """Return how many cables have which verdict."""
        counts = Counter(item.verdict for item in self.judged)
        return ", ".join(
            f"{counts[verdict]} {verdict}" for verdict in CableVerdict if counts[verdict]
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "format": form_of("cabling"),
            "cables": [
                {
                    "near": _text(item.near),
                    "far": _text(item.far),
                    "verdict": item.verdict.value,
                    "seen_near": _text(item.seen_near),
                    "seen_far": _text(item.seen_far),
                    "partner": [_text(end) for end in item.partner or ()],
                    "shut": [_text(end) for end in item.shut],
                }
                for item in self.judged
            ],
            "work_order": self.work_order(),
            "unread": [{"device": name, "reason": reason} for name, reason in self.unread],
        }


def _text(end: End | None) -> str:
    return f"{end[0]} {end[1] or '(port unknown)'}" if end else ""


def _seen(item: Judged) -> str:
    if item.partner is not None:
        return f"swap with {_text(item.partner[0])} - {_text(item.partner[1])}"
    if item.shut:
        return f"{', '.join(map(_text, item.shut))}: shut down"
    ends = (
        f"{_text(end)} sees {_text(other)}"
        for end, other in ((item.near, item.seen_near), (item.far, item.seen_far))
        if other is not None
    )
    return "" if item.verdict is CableVerdict.UNEXPECTED else "; ".join(ends)


def cabling(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    recording: Recording | None = None,
) -> Cabling:
    """Read LLDP, links and MAC tables, and compare them with the planned cables.

    A device that cannot be read blocks nothing: its ends are what the others tell of them. With a
    file of readings, no device is asked.
    """
    seen_devices = read_cables(project, connections_file, selection, progress, recording)
    reports = reports_of(project, seen_devices)
    read = {seen.device for seen in seen_devices}
    judged = judge(
        [
            cable
            for cable in planned_cables(project.fabric)
            if cable.near[0] in read or cable.far[0] in read
        ],
        reports,
    )
    unread = [(seen.device, seen.error or "LLDP could not be read") for seen in seen_devices]
    silent = {
        seen.device for seen in seen_devices if seen.snapshot is None or seen.snapshot.lldp is None
    }
    moves, panels = tuple(repair(judged)), Panels(project.fabric)
    places = {end for move in moves for end in (move.stays, move.from_end, move.to_end) if end}
    return Cabling(
        tuple(judged),
        moves,
        (*(item for item in unread if item[0] in silent), *_without_neighbour(judged, reports)),
        {end: panels.of(*end) for end in places},
    )


def _without_neighbour(
    judged: Iterable[Judged], reports: Mapping[End, Told]
) -> Iterable[tuple[str, str]]:
    """Return the devices at both ends of cables of which neither end tells, with the reason."""
    cables = [
        (item.near, item.far)
        for item in judged
        if item.verdict is CableVerdict.UNKNOWN and not (item.seen_near or item.seen_far)
    ]
    both = [ends for ends in cables if reports.keys() >= {*ends}]
    return [(name, NO_NEIGHBOUR) for name in sorted({end[0] for ends in both for end in ends})]


def read_cables(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    recording: Recording | None = None,
) -> list[Seen]:
    """Return what devices tell of their cables: now, or in a file of readings."""
    if recording:
        return seen_in(project, recording, selection)
    return observe(project, connections_file, selection, _FIELDS, progress)


def reports_of(
    project: Project, seen_devices: Iterable[Seen], *, by_mac: bool = True
) -> dict[End, Told]:
    """Return what devices tell of each port, by the ends of the design.

    Parameters
    ----------
    by_mac : bool
        Whether MAC tables count where LLDP sees nothing.
    """
    ends = _Ends(project)
    return {end: what for seen in seen_devices for end, what in ends.told(seen, by_mac=by_mac)}


class _Ends:
    """Turns what LLDP and MAC tables say into ends of the design."""

    def __init__(self, project: Project) -> None:
        self._devices = DeviceNames((*project.devices, *project.hosts))
        self._ports: dict[str, dict[str, str]] = {}
        self._macs: dict[str, End] = {}
        for name, device in project.devices.items():
            names = {port.alias.lower(): port.name for port in device.ports if port.alias}
            self._ports[name] = names | {port.name.lower(): port.name for port in device.ports}
        for name, host in project.hosts.items():
            self._ports[name] = {nic.interface.lower(): nic.interface for nic in host.nics}
            self._macs |= {nic.mac: (name, nic.interface) for nic in host.nics if nic.mac}

        self._site = project.site
        self._elsewhere = nics_elsewhere(project.site) if project.site else {}

    def told(self, seen: Seen, *, by_mac: bool = True) -> Iterable[tuple[End, Told]]:
        """Yield what a device tells of each of its ports; nothing when LLDP was not read."""
        snapshot = seen.snapshot
        if snapshot is None or snapshot.lldp is None:
            return
        learnt = self._learnt((snapshot.macs or ()) if by_mac else ())
        links = snapshot.interfaces or {}
        for port in dict.fromkeys((*self._ports[seen.device].values(), *snapshot.lldp)):
            if self._of_another_fabric(seen.device, port, snapshot.lldp.get(port, ())):
                continue
            neighbours = [self._end(item) for item in snapshot.lldp.get(port, ())]
            state = links.get(port, InterfaceState())
            ends = tuple(neighbours or learnt.get(port, ()))
            yield (seen.device, port), Told(ends, state.up, state.enabled is False)

    def _of_another_fabric(self, device: str, port: str, seen: Iterable[LldpNeighbour]) -> bool:
        """Tell whether a NIC of another fabric of the site sees switches of that fabric alone."""
        if self._site is None or (device, port) not in self._elsewhere:
            return False
        switches = DeviceNames(self._site.fabrics[self._elsewhere[device, port]].switch_row)
        return all(switches.match(item.system_name) for item in seen)

    def _end(self, seen: LldpNeighbour) -> End:
        device = self._devices.match(seen.system_name)
        if device is None:
            return seen.system_name, seen.port_id
        if seen.port_id.lower() in self._macs:
            return self._macs[seen.port_id.lower()]
        ports = self._ports[device]
        return device, ports.get(seen.port_id.lower(), ports.get(seen.description.lower(), ""))

    def _learnt(self, macs: Iterable[Any]) -> Mapping[str, tuple[End, ...]]:
        """Return the NIC behind each port, where its MAC address is the only one there."""
        by_port: dict[str, set[str]] = {}
        for entry in macs:
            by_port.setdefault(entry.port, set()).add(entry.mac.lower())
        return {
            port: (self._macs[next(iter(ends))],)
            for port, ends in by_port.items()
            if len(ends) == 1 and next(iter(ends)) in self._macs
        }
