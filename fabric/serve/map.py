"""The picture of a fabric, or of a part of it, with what the service and readings know of it."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.placement.engine.now import now, unknown_subjects
from fabric.placement.engine.state import Condition, Health
from fabric.serve.drift import Compared
from fabric.serve.live import most_of_lines
from fabric.topology.bandwidth import switch_gbps
from fabric.topology.clos import clos
from fabric.topology.drawing import CableState, cable_states
from fabric.topology.drawing_layout import picture
from fabric.topology.drawing_part import Choice, Part, limited, lines_of_cables, part
from fabric.topology.layout import pod_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from fabric.placement.condition import ConditionBody
    from fabric.serve.book import Book
    from fabric.serve.live import Live
    from fabric.serve.source import Loaded
    from fabric.topology.drawing import Box, CableStates, Line, Picture
    from fabric.topology.model import Bools, Fabric, Ints

#: Pictures that are kept.
_MOST_KEPT = 32
#: Names of devices that a line has for each state.
_MOST_NAMES = 500
#: The worst first.
_HEALTH = tuple(Health)
#: States of cables that a condition can degrade.
_IN_USE = (CableState.PLANNED, CableState.OVERSUBSCRIBED)
#: Jobs that are offered as a filter.
_MOST_JOBS = 1000


@dataclass(frozen=True, eq=False)
class Drawn:
    """A picture, and its bytes for a client.

    Parameters
    ----------
    part : Part
        Rows of the fabric that it shows.
    nic_line, cable_line : array of int
        Line of each of its cables.
    body : bytes
        The picture as JSON.
    tag : str
        Entity tag of it.
    """

    part: Part
    nic_line: Ints
    cable_line: Ints
    lines: int
    body: bytes
    tag: str


@dataclass(frozen=True, eq=False)
class Sources:
    """What a picture is drawn from: the plan, readings, and what `rocefab drift` compared."""

    loaded: Loaded
    live: Live | None
    compared: Compared | None

    @property
    def versions(self) -> tuple[object, ...]:
        """What changes where one of them does."""
        states = self.live.states_version if self.live else 0
        return self.loaded.number, self.loaded.book.version, states, self.compared


class Maps:
    """Pictures that are drawn once for each part, state and set of readings."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Drawn] = OrderedDict()

    def known(self, sources: Sources, choice: Choice) -> Drawn | None:
        """Return a picture that was drawn already, or None."""
        return self._kept.get((*sources.versions, choice))

    def drawn(self, sources: Sources, choice: Choice) -> Drawn | None:
        """Return the picture of a part; None where nothing belongs to it."""
        key = (*sources.versions, choice)
        drawn = self._kept.pop(key, None) or _drawn(sources, choice)
        if drawn is not None:
            self._kept[key] = drawn
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return drawn


def values(drawn: Drawn, live: Live | None) -> dict[str, Any]:
    """Return load, pauses and errors of each line; None where they are unknown."""
    names = ("load", "pause_per_s", "error_per_s")
    if live is None:
        return {name: [None] * drawn.lines for name in names}
    tables = (
        (live.nics, drawn.part.nics, drawn.nic_line),
        (live.cables, drawn.part.cables, drawn.cable_line),
    )
    return {
        name: _plain(
            np.fmax(
                *(
                    most_of_lines(getattr(ends, name)[:, rows], line, drawn.lines)
                    for ends, rows, line in tables
                )
            )
        )
        for name in names
    }


def _plain(figures: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(one) else float(f"{one:.4g}") for one in figures.tolist()]


def _drawn(sources: Sources, choice: Choice) -> Drawn | None:
    fabric = sources.loaded.fabric
    some = Part.whole(fabric) if choice == Choice() else part(fabric, choice)
    if not some.switches.any():
        return None
    shown = fabric if choice == Choice() else limited(fabric, some)
    states = some.states(_states(sources.loaded, sources.live))
    below, above = switch_gbps(clos(fabric))
    gbps = below[some.switches], above[some.switches]
    drawn = picture(shown, clos(shown), states, gbps)
    nic_line, cable_line = lines_of_cables(shown, drawn)
    content = _as_dict(drawn, shown, sources)
    for line, why in _off(shown, nic_line, cable_line).items():
        content["lines"][line]["off"] = why
    for line, names in _not_planned(shown, states, nic_line, cable_line).items():
        content["lines"][line]["not_planned"] = names
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return Drawn(some, nic_line, cable_line, len(drawn.lines), body, tag)


def _states(loaded: Loaded, live: Live | None) -> CableStates:
    """Return the states of all cables: by the inventory, by conditions, and by readings."""
    fabric = loaded.fabric
    states = cable_states(fabric, clos(fabric))
    told = loaded.book.conditions.items()
    down = _touched(fabric, [subject for subject, body in told if body.health is Health.DOWN])
    slow = _touched(fabric, [subject for subject, body in told if _is_slow(subject, body)])
    for table, cut, slowed in zip((states.nics, states.cables), down, slow, strict=True):
        table[cut] = CableState.DOWN
        table[slowed & np.isin(table, _IN_USE)] = CableState.DEGRADED
    for table, ends in ((states.nics, live.nics), (states.cables, live.cables)) if live else ():
        table[ends.down.any(axis=0) & (table != CableState.QUARANTINE)] = CableState.DOWN
        table[ends.wrong.any(axis=0)] = CableState.WRONG
    return replace(states, looked=_looked(live) if live else _unread(states))


def _touched(fabric: Fabric, subjects: list[str]) -> tuple[Bools, Bools]:
    """Return the cables of NICs, and those between switches, that are gone with some subjects."""
    unknown = unknown_subjects(fabric, subjects)
    known = (subject for subject in subjects if subject not in unknown)
    rest = now(fabric, [Condition(subject, Health.DOWN) for subject in known])
    nics = np.isin(fabric.nics.host, [*rest.hosts])
    nics[[*rest.nics]] = True
    return nics, rest.cable_gbps == 0


def _is_slow(subject: str, condition: ConditionBody) -> bool:
    """Return whether cables are degraded: one that is named, or all of what lost bandwidth."""
    is_cable = ":" in subject
    return condition.health is Health.DEGRADED and (is_cable or condition.capacity < 1)


def _looked(live: Live) -> dict[CableState, tuple[Bools, Bools]]:
    """Return of which cables the readings tell link and neighbour, at one end at least."""
    cables, nics = live.cables, live.nics
    links = _either(cables.link_read), _either(nics.link_read)
    peers = _either(cables.peer_read), _either(nics.peer_read)
    return {
        CableState.PLANNED: (links[0] & peers[0], links[1] & peers[1]),
        CableState.DOWN: links,
        CableState.WRONG: peers,
    }


def _unread(states: CableStates) -> dict[CableState, tuple[Bools, Bools]]:
    """Return that nobody looked at a cable."""
    nobody = (np.zeros_like(states.cables, np.bool_), np.zeros_like(states.nics, np.bool_))
    return {CableState.PLANNED: nobody}


def _either(ends: Bools) -> Bools:
    """Return what holds at one end at least of each cable."""
    either: Bools = np.logical_or(ends[0], ends[1])
    return either


def _off(shown: Fabric, nic_line: Ints, cable_line: Ints) -> dict[int, str]:
    """Return the lines of which the inventory uses no cable: shut down, or all in quarantine."""
    states = cable_states(shown, clos(shown))
    line, state = (
        np.concatenate([nic_line, cable_line]),
        np.concatenate([states.nics, states.cables]),
    )
    is_down = state == CableState.DOWN
    unused = is_down | (state == CableState.QUARANTINE)
    rows = np.setdiff1d(line[unused], line[~unused]).tolist()
    down = set(line[is_down].tolist())
    words = {True: CableState.DOWN.name.lower(), False: CableState.QUARANTINE.name.lower()}
    return {row: words[row in down] for row in rows}


def _not_planned(
    shown: Fabric, states: CableStates, nic_line: Ints, cable_line: Ints
) -> dict[int, dict[str, list[str]]]:
    """Return the lower devices of cables that are not as planned, by line and state."""
    lines: dict[int, dict[str, dict[str, None]]] = {}
    sides = (
        (states.nics, nic_line, shown.nics.host, shown.hosts.names),
        (states.cables, cable_line, shown.uplinks.lower, shown.switches.names),
    )
    for states_now, line, lower, names in sides:
        rows = np.flatnonzero(states_now > CableState.OVERSUBSCRIBED)
        for at, state, device in zip(line[rows], states_now[rows], lower[rows], strict=True):
            by_state = lines.setdefault(int(at), {})
            by_state.setdefault(CableState(state).name.lower(), {})[names[device]] = None
    return {
        line: {state: list(names)[:_MOST_NAMES] for state, names in by_state.items()}
        for line, by_state in lines.items()
    }


def _as_dict(drawn: Picture, shown: Fabric, sources: Sources) -> dict[str, Any]:
    loaded, compared = sources.loaded, sources.compared or Compared()
    file = loaded.fabric.intent.fabric
    health, own = _health_by_device(loaded.book), _health_of_devices(loaded.book)
    busy = {host for job in loaded.book.jobs.values() for host in job.hosts}
    places = _Places(shown)
    differ = {name: compared.of(name) for box in drawn.boxes for name in box.members}
    known = sources.live.sessions if sources.live else {}
    sessions = {name: known[name] for name in differ if name in known}
    return {
        "title": drawn.title,
        "subtitle": drawn.subtitle,
        "width": round(drawn.width, 1),
        "height": round(drawn.height, 1),
        "boxes": [
            {
                **_rounded(box, ("x", "y", "width", "height")),
                **{name: getattr(box, name) for name in ("kind", "label", "detail", "rail")},
                "members": list(box.members),
                "health": _worst(health, box.members),
                "tenants": dict(box.tenants),
                "is_mixed": box.is_mixed,
                "border": box.border,
                "busy": len(busy.intersection(box.members)) if box.kind == "host" else 0,
                "opens": places.opens(box),
                "conditions": {name: own[name] for name in box.members if name in own},
                "differ": {name: differ[name] for name in box.members if differ[name] > 0},
                "sessions_down": {
                    name: sessions[name][0]
                    for name in box.members
                    if name in sessions and sessions[name][0]
                },
                "at_ports": [name for name in box.members if name in health.keys() - own.keys()],
            }
            for box in drawn.boxes
        ],
        "lines": [_line(line, drawn.boxes) for line in drawn.lines],
        "frames": [
            {
                **_rounded(frame, ("x", "y", "width", "height")),
                "kind": frame.kind,
                "label": frame.label,
            }
            for frame in drawn.frames
        ],
        "combs": [
            {
                "lower": list(comb.lower),
                **_rounded(comb, ("y", "bottom")),
                "teeth": [round(x, 1) for x in comb.teeth],
            }
            for comb in drawn.combs
        ],
        "captions": [{"lines": list(one.lines), "y": round(one.y, 1)} for one in drawn.captions],
        "totals": {total.state.name.lower(): total.cables for total in drawn.totals},
        "unread": {total.state.name.lower(): total.unread for total in drawn.totals},
        "filters": {
            "units": [unit.name for unit in file.units],
            "pods": list(pod_names(file)),
            "rails": file.rails,
            "planes": file.planes,
            "jobs": list(loaded.book.jobs)[:_MOST_JOBS],
        },
        "tenants": list(drawn.tenants),
        "sessions": sum(count for _, count in sessions.values()) if sessions else None,
        "compared": sum(one >= 0 for one in differ.values()) if sources.compared else None,
    }


def _line(line: Line, boxes: tuple[Box, ...]) -> dict[str, Any]:
    return {
        **_rounded(line, ("x1", "y1", "x2", "y2")),
        "lower": list(line.lower),
        "upper": line.upper,
        "state": line.state.name.lower(),
        "states": {state.name.lower(): count for state, count in line.states},
        "speeds_gbps": list(line.speeds_gbps),
        "lengths": line.lengths,
        "rail": line.rail,
        "cables": line.cables,
        "kind": "host" if boxes[line.lower[0]].kind == "host" else "switch",
        "off": None,
        "not_planned": {},
    }


def _rounded(thing: object, names: Iterable[str]) -> dict[str, float]:
    return {name: round(getattr(thing, name), 1) for name in names}


def _health_by_device(book: Book) -> dict[str, str]:
    """Return the worst health of each device, or of one of its ports."""
    worst: dict[str, Health] = {}
    for subject, one in book.conditions.items():
        device = subject.partition(":")[0]
        known = worst.get(device)
        if known is None or _HEALTH.index(one.health) < _HEALTH.index(known):
            worst[device] = one.health
    return {name: health.value for name, health in worst.items()}


def _health_of_devices(book: Book) -> dict[str, str]:
    """Return the health of each device that has a condition of its own."""
    return {name: one.health.value for name, one in book.conditions.items() if ":" not in name}


def _worst(health: Mapping[str, str], members: Iterable[str]) -> str | None:
    mine = {health[name] for name in members if name in health}
    return next((one.value for one in _HEALTH if one.value in mine), None)


class _Places:
    """Which filter shows the devices of a box as more boxes."""

    def __init__(self, shown: Fabric) -> None:
        self._fabric, file = shown, shown.intent.fabric
        self._units, self._pods = file.units, pod_names(file)
        self._planes = len(np.unique(shown.switches.plane))

    def opens(self, box: Box) -> dict[str, str] | None:
        """Return the filter; None where it would show the same."""
        if len(box.members) == 1:
            return None
        if box.kind in {"host", "leaf"}:
            return self._units_of(box) or self._plane_of(box)
        rows = [self._fabric.switch_row[name] for name in box.members]
        pods = set(self._fabric.switches.pod[rows].tolist()) - {-1}
        if pods and len(pods) < len(self._pods):
            return {"pod": hostlist.fold([self._pods[pod] for pod in sorted(pods)])}
        return self._plane_of(box)

    def _units_of(self, box: Box) -> dict[str, str] | None:
        is_host = box.kind == "host"
        of = self._fabric.host_row if is_host else self._fabric.switch_row
        table = self._fabric.hosts if is_host else self._fabric.switches
        units = np.unique(table.unit[[of[name] for name in box.members]]).tolist()
        if len(units) == len(self._units) or -1 in units:
            return None
        return {"unit": hostlist.fold([self._units[unit].name for unit in units])}

    def _plane_of(self, box: Box) -> dict[str, str] | None:
        if box.kind == "host" or self._planes == 1:
            return None
        plane = int(self._fabric.switches.plane[self._fabric.switch_row[box.members[0]]])
        return {"plane": str(plane)} if plane >= 0 else None
