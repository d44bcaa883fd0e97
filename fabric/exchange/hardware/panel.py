"""From the ports of a switch to the kinds of cages of its front panel."""

from __future__ import annotations

import re
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.shown import quoted
from fabric.exchange.hardware.model import GBPS, FrontPort, Hardware, Panel, note, wrong
from fabric.exchange.hardware.patterns import (
    Name,
    exactly,
    part_pattern,
    part_words,
    port_pattern,
    port_words,
)
from fabric.intent.yaml.file import input_error
from fabric.platforms.breakout import parse_mode
from fabric.platforms.cage import CageKind
from fabric.platforms.model import ServicePort

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.core.findings import Finding

#: Ports for management or service: at most as many, behind those of the fabric, and of one lane or
#: of at most an eighth of the speed.
_MOST_SERVICE_PORTS = 4
_SERVICE_GBPS = 25
_SERVICE_SHARE = 8
#: More kinds than a front panel has; names that differ from port to port come out as kinds.
_MOST_KINDS = 9
_MOST_PORTS = 1024
_MOST_STEP = 64
_GBPS = frozenset(GBPS)


def panel(hardware: Hardware, shown: str) -> Panel:
    """Return the front panel in kinds of cages.

    Raises
    ------
    InputError
        With all that is wrong with the ports.
    """
    ports, service = _fabric_ports(hardware.ports)
    findings = list(_problems(ports))
    if findings:
        raise input_error(findings, shown)
    runs = [list(run) for _, run in groupby(ports, key=_kind_of)]
    if len(runs) > _MOST_KINDS:
        message = f"the ports change their kind {len(runs) - 1} times"
        fix = "give the ports of a switch whose cages are whole"
        raise input_error([wrong(message, fix, ports[0].place)], shown)
    builder = _Builder(hardware, shown)
    kinds = tuple(builder.kind(run) for run in runs)
    if builder.findings:
        raise input_error(builder.findings, shown)
    lanes = tuple(port.lanes[0] for port in ports if port.lanes)
    return Panel(
        kinds=kinds,
        first_lanes=lanes if len(lanes) == len(ports) and lanes != _usual(kinds) else (),
        service_ports=tuple(
            ServicePort(port.name, ",".join(map(str, port.lanes)), port.alias) for port in service
        ),
        notes=(*builder.notes, *_service_notes(service)),
    )


def _fabric_ports(ports: Sequence[FrontPort]) -> tuple[list[FrontPort], list[FrontPort]]:
    """Part the ports of the fabric from those for management and service behind them."""
    fastest = max((speed for port in ports for speed in port.speeds_gbps), default=0)
    last = len(ports)
    while last and _is_service(ports[last - 1], fastest):
        last -= 1
    if not last or len(ports) - last > _MOST_SERVICE_PORTS:
        return list(ports), []
    return list(ports[:last]), list(ports[last:])


def _is_service(port: FrontPort, fastest_gbps: int) -> bool:
    speed = max(port.speeds_gbps, default=0)
    narrow = port.lane_count == 1 and speed <= _SERVICE_GBPS and fastest_gbps > speed
    return narrow or speed * _SERVICE_SHARE <= fastest_gbps


def _service_notes(service: Sequence[FrontPort]) -> Iterator[Finding]:
    if service:
        names = ", ".join(port.name for port in service)
        yield note(f"ports for management or service are not part of the model: {names}", "")


def _kind_of(port: FrontPort) -> tuple[int, int]:
    return port.lane_count, max(port.speeds_gbps, default=0)


def _problems(ports: Sequence[FrontPort]) -> Iterator[Finding]:
    if not ports:
        yield wrong("no front panel ports", "give the outputs or files that list them", None)
    if len(ports) > _MOST_PORTS:
        yield wrong(counted(len(ports), "port"), f"a switch has at most {_MOST_PORTS:,}", None)
    lanes: dict[int, str] = {}
    names: dict[str, FrontPort] = {}
    for port in ports:
        if port.name in names:
            message = f"port {quoted(port.name)} appears twice"
            yield wrong(message, "name each port once", port.place)
            continue
        names[port.name] = port
        if port.lane_count < 1:
            yield wrong(f"{quoted(port.name)} has no lanes", "give its lanes", port.place)
        if not _GBPS & {*port.speeds_gbps}:
            message = f"{quoted(port.name)} has no speed"
            fix = f"give its speed or breakout modes; known: {', '.join(map(str, GBPS))}"
            yield wrong(message, fix, port.place)
        for lane in port.lanes:
            if lanes.setdefault(lane, port.name) != port.name:
                message = f"lane {lane} of {quoted(port.name)} is also of {quoted(lanes[lane])}"
                yield wrong(message, "a lane belongs to one port", port.place)


def _usual(kinds: Sequence[CageKind]) -> tuple[int, ...]:
    """Return the first lane of each cage where nothing else is said."""
    steps = [kind.stride for kind in kinds for _ in range(kind.count)]
    return tuple(accumulate(steps[:-1], initial=0))


class _Builder:
    """Builds the kinds of cages one after the other."""

    def __init__(self, hardware: Hardware, shown: str) -> None:
        self.hardware = hardware
        self.shown = shown
        self.findings: list[Finding] = []
        self.notes: list[Finding] = []
        self._number, self._lane = 1, 0
        self._names: list[str] = []
        self._aliases: list[str] = []

    def kind(self, ports: list[FrontPort]) -> CageKind:
        """Return the kind of cage of ports that follow each other."""
        lanes = ports[0].lane_count
        step, name = self._named(ports)
        alias = port_pattern(self._words([port.alias for port in ports], step), self._aliases)
        if not alias:
            alias = name
            message = f"the aliases from {quoted(ports[0].alias)} on follow no pattern"
            self.notes.append(note(f"{message}; port names are used", "", ports[0].place))
        modes, part_name, part_alias = self._parts(ports, name, alias, step)
        self._number += len(ports)
        self._lane += len(ports) * step
        self._names.append(name)
        self._aliases.append(alias)
        common = _GBPS.intersection(*(port.speeds_gbps for port in ports))
        words = self.hardware.speed_words
        return CageKind(
            count=len(ports),
            lanes=lanes,
            speeds_gbps=tuple(sorted(common)),
            name=name,
            alias=alias,
            part_name=part_name,
            part_alias=part_alias,
            breakouts=modes,
            speed_tokens={
                speed: words[speed, lanes] for speed in sorted(common) if (speed, lanes) in words
            },
            step=0 if step == lanes else step,
        )

    def _words(self, names: list[str], step: int) -> list[Name]:
        return [
            Name(name, port_words(self._number + index, self._lane + index * step))
            for index, name in enumerate(names)
        ]

    def _named(self, ports: list[FrontPort]) -> tuple[int, str]:
        """Return the step of ``{lane}`` and the pattern of the names."""
        names = [port.name for port in ports]
        for step in (ports[0].lane_count, *_apart(names)):
            words = self._words(names, step)
            pattern = port_pattern(words, self._names, by_lane=bool(ports[0].lanes))
            if pattern and exactly(pattern, words):
                return step, pattern
        message = f"the names of the ports from {quoted(names[0])} on follow no pattern"
        fix = "a model names its ports by number or by first lane; give whole cages"
        self.findings.append(wrong(message, fix, ports[0].place))
        return ports[0].lane_count, ""

    def _parts(
        self, ports: list[FrontPort], name: str, alias: str, step: int
    ) -> tuple[tuple[str, ...], str, str]:
        """Return the modes that all ports offer, and the patterns of the names of parts."""
        common = [mode for mode in ports[0].modes if all(mode in port.modes for port in ports)]
        whole = tuple(mode for mode in common if parse_mode(mode).parts == 1)
        split = [mode for mode in common if parse_mode(mode).parts > 1]
        rule = self.hardware.part_names if ports[0].lane_count > 1 else None
        part_name, usual = rule(name, alias) if rule and name else ("", "")
        if not split:
            return (whole, "", "") if common else ((), part_name, usual)
        names = [Name(*pair) for mode in split for pair in self._part_names(ports, mode, step)]
        part_alias = part_pattern(names) or usual
        if part_name and not part_alias:
            message = f"the aliases of the parts of {quoted(ports[0].name)} follow no pattern"
            self.notes.append(note(message, "set ports.part_alias by hand", ports[0].place))
            part_alias = part_name
        return (tuple(common), part_name, part_alias) if part_name else ((), "", "")

    def _part_names(
        self, ports: list[FrontPort], mode: str, step: int
    ) -> Iterator[tuple[str, dict[str, object]]]:
        parsed = parse_mode(mode)
        each = (parsed.lanes or ports[0].lane_count) // parsed.parts
        for index, port in enumerate(ports):
            lane = self._lane + index * step
            for part, alias in enumerate(port.modes[mode]):
                yield alias, part_words(self._number + index, lane, part, each)


def _apart(names: Sequence[str]) -> Iterator[int]:
    """Yield how far the last numbers of the first two names are apart."""
    numbers = [re.findall(r"\d{1,6}", name) for name in names[:2]]
    if len(numbers) == 2 and all(numbers):  # noqa: PLR2004 - two names
        apart = int(numbers[1][-1]) - int(numbers[0][-1])
        if 0 < apart <= _MOST_STEP:
            yield apart
