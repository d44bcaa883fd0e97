"""States between the waves of a change: some devices have new files, and others the old ones."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.audit.ends import differences, lossless_dscps
from fabric.audit.host_class import lossless_of_nics
from fabric.observe.configuration import readers
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.engine import Engine
from fabric.topology.outages import outage
from fabric.workflow.configurations import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.snapshot import Running
    from fabric.prove.engine import Proof
    from fabric.workflow.project import Project

    Waves = Sequence[Sequence[str]]

#: Rules of a proof that say that packets do not arrive, or arrive where they must not.
_FORWARDING = frozenset(("BAT005", "BAT006", "BAT007", "BAT014"))
_LINE = re.compile(r"\bline=\d+")


@dataclass(frozen=True)
class Side:
    """What all devices are before or after a change.

    Parameters
    ----------
    texts : dict of str to str
        Configuration of each switch.
    nics : dict of str to dict
        Settings of the NICs of each host, by interface.
    """

    platforms: Mapping[str, str]
    texts: Mapping[str, str]
    nics: Mapping[str, Mapping[str, Any]]

    @cached_property
    def routing(self) -> dict[str, Configured]:
        """What the text of each switch says of routing; one that cannot be read is absent."""
        result = {}
        for name, text in self.texts.items():
            try:
                files = dict.fromkeys(("config_db", *_KINDS), text)
                result[name] = readers[self.platforms[name]](files)
            except (UnreadableError, KeyError):
                continue
        return result

    @cached_property
    def lossless(self) -> dict[str, Lossless]:
        """What each device says of the lossless class; one that cannot be read is absent."""
        result = {name: lossless_of_nics(name, nics) for name, nics in self.nics.items()}
        for name, text in self.texts.items():
            try:
                result[name] = lossless_readers[self.platforms[name]].read(text)
            except (UnreadableError, KeyError):
                continue
        return result


_KINDS = ("startup-config", "running-config", "running-configuration", "nv-set", "set")


def sides(project: Project, running: Mapping[str, Running]) -> tuple[Side, Side]:
    """Return what the devices of a plan are, and what they become.

    Parameters
    ----------
    running : mapping of str to Running
        Running state of each device that was read; others are taken as planned.
    """
    planned = planned_side(project)
    before, old_nics = dict(planned.texts), dict(planned.nics)
    for name, state in running.items():
        if name in before:
            text = isinstance(state.config, str)
            before[name] = state.config if text else json.dumps(state.config, indent=1)
        elif name in old_nics:
            old_nics[name] = state.config["nics"]
    return Side(planned.platforms, before, old_nics), planned


def planned_side(project: Project) -> Side:
    """Return what the devices are by the inventory."""
    platforms = {name: design.platform for name, design in project.devices.items()}
    texts = {name: whole(files).text for name, files in project.switch_artefacts.items()}
    return Side(platforms, texts, {name: planned_nics(project, name) for name in project.hosts})


def hazards(
    project: Project, waves: Waves, before: Side, after: Side, *, in_waves: bool = True
) -> list[str]:
    """Return what is wrong in a state between two waves and neither before nor after all of them.

    A fabric in which no pair of NICs is connected before the change has no traffic to lose.

    Parameters
    ----------
    waves : sequence of sequence of str
        Devices of each wave, in order.
    in_waves : bool
        Whether a wave is judged too while all its switches are down.
    """
    if not _carries_traffic(project, before):
        return []
    paths = _paths(project, waves, before, after, in_waves=in_waves)
    return [*dict.fromkeys([*lossless_hazards(project, waves, before, after), *paths])]


def lossless_hazards(project: Project, waves: Waves, before: Side, after: Side) -> list[str]:
    """Return those of `hazards` that need no proof: what devices say of the lossless class."""
    problems = [*_ends(project, waves, before, after), *_dscps(waves, before, after)]
    return [*dict.fromkeys(problems)]


def _ends(project: Project, waves: Waves, before: Side, after: Side) -> Iterator[str]:
    """Yield cables whose two ends disagree for a while."""
    now = dict(before.lossless)
    cables = _cables(project)
    for number, wave in enumerate(waves, 1):
        now |= {name: after.lossless[name] for name in wave if name in after.lossless}
        for name in wave:
            words = [
                text
                for cable in cables.get(name, ())
                for text in _words(now, cable)
                if text not in {*_words(before.lossless, cable), *_words(after.lossless, cable)}
            ]
            if words:
                more = f" (and {len(words) - 1} more of its cables)" if len(words) > 1 else ""
                yield f"after wave {number}: {words[0]}{more}"


def _cables(project: Project) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return the cables of each device: device and port at both ends."""
    cables: dict[str, list[tuple[str, str, str, str]]] = {}
    for name, design in project.devices.items():
        for port in design.ports:
            if port.enabled and port.peer:
                cable = (name, port.name, port.peer, port.peer_port)
                cables.setdefault(name, []).append(cable)
                if port.kind == "host":
                    cables.setdefault(port.peer, []).append(cable)
    return cables


def _words(states: Mapping[str, Lossless], cable: tuple[str, str, str, str]) -> list[str]:
    """Return what the two ends of a cable have different."""
    name, port, peer, peer_port = cable
    here = states[name].ports.get(port) if name in states else None
    there = states[peer].ports.get(peer_port) if peer in states else None
    if here is None or there is None:
        return []
    return [f"{name} {port}: {text} at {peer} {peer_port}" for text in differences(here, there)]


def _dscps(waves: Waves, before: Side, after: Side) -> Iterator[str]:
    """Yield from which wave to which devices put more DSCP sets into the class than ever."""
    start, end = before.lossless, after.lossless
    now = {name: lossless_dscps(state) for name, state in start.items()}
    most = max(_kinds(now), _kinds({name: lossless_dscps(state) for name, state in end.items()}))
    mixed = []
    for number, wave in enumerate(waves, 1):
        now |= {name: lossless_dscps(end[name]) for name in wave if name in end}
        if _kinds(now) > most:
            mixed.append((number, sorted(min(value) for value in _sets(now))))
    if mixed:
        words = " on some devices and ".join(map(str, mixed[0][1]))
        yield f"after waves {mixed[0][0]} to {mixed[-1][0]}: lossless DSCPs are {words} on others"


def _kinds(sets: Mapping[str, frozenset[int]]) -> int:
    return len(_sets(sets))


def _sets(sets: Mapping[str, frozenset[int]]) -> set[frozenset[int]]:
    return {value for value in sets.values() if value}


def _paths(
    project: Project, waves: Waves, before: Side, after: Side, *, in_waves: bool
) -> Iterator[str]:
    """Yield pairs of NICs without a path after a wave, or while its devices are down."""
    start, end = before.routing, after.routing
    moving = {name for name in start if _meaning(start[name]) != _meaning(end.get(name))}
    if not moving or start.keys() != project.devices.keys():
        return
    known = {*_broken(_engine(project, start).prove()), *_broken(_engine(project, end).prove())}
    now = dict(start)
    for number, wave in enumerate(waves, 1):
        down = [f"switch:{name}" for name in wave if name in project.devices]
        if down and in_waves:
            hit = _engine(project, now).prove_outage(outage(project.fabric, down))
            yield from _told(f"during wave {number}", {*_broken(hit)} - known)
        now |= {name: end[name] for name in wave if name in end}
        if moving & {*wave}:
            hit = _engine(project, now).prove()
            yield from _told(f"after wave {number}", {*_broken(hit)} - known)


def _carries_traffic(project: Project, before: Side) -> bool:
    """Return whether some pair of NICs is connected, as far as that is known."""
    if before.routing.keys() != project.devices.keys():
        return True
    proof = _engine(project, before.routing).prove()
    return proof.lost_pairs < proof.pairs


def _told(when: str, broken: set[str]) -> Iterator[str]:
    if broken:
        first, *others = sorted(broken)
        more = f" (and {len(others)} more)" if others else ""
        yield f"{when}: {first}{more}"


def _engine(project: Project, files: Mapping[str, Configured]) -> Engine:
    return Engine(project.fabric, project.devices, project.hosts, files)


def _broken(proof: Proof) -> Iterator[str]:
    for item in proof.breaches:
        if item.rule in _FORWARDING:
            yield f"{item.device}: {item.message}"


def _meaning(configured: Configured | None) -> str:
    """Return what a configuration says, wherever its lines are."""
    return _LINE.sub("", repr(configured))


def planned_nics(project: Project, name: str) -> dict[str, Any]:
    """Return the settings of the NICs of a host by the inventory, by interface."""
    state = next(item for item in project.host_artefacts[name] if item.kind == "expected-state")
    nics: dict[str, Any] = json.loads(state.text)["nics"]
    return nics
