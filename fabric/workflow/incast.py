"""probe --incast: many NICs send to one at once, on every leaf and rail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.observe import probe_output
from fabric.observe.parsers import UnreadableError
from fabric.probe.reach.commands import (
    FAIRNESS,
    INCAST_S,
    MESSAGE_BYTES,
    Flow,
    bandwidth,
    ceiling_gbps,
    fairness,
    incast_needed_gbps,
)
from fabric.probe.reach.incast import incasts
from fabric.workflow.devices import targets
from fabric.workflow.nics import CounterWatch, losing
from fabric.workflow.probe import leg_of, marking, taking_part
from fabric.workflow.probe_run import AT_ONCE, Sessions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.probe.reach.commands import Marking
    from fabric.probe.reach.incast import Incasts
    from fabric.workflow.devices import Selection
    from fabric.workflow.probe import Leg
    from fabric.workflow.project import Project


@dataclass(frozen=True, slots=True)
class Group:
    """NICs that send to one."""

    target: Leg
    sources: tuple[Leg, ...]
    round: int

    @property
    def speed_gbps(self) -> int:
        """Rate at which the target can receive."""
        return self.target.nic.speed_gbps

    @property
    def packets(self) -> Marking:
        """Packets with the smallest MTU of RoCE in the group."""
        packets = (marking(leg, self.target) for leg in self.sources)
        return min(packets, key=lambda one: one.mtu_bytes)

    @property
    def needed_gbps(self) -> float:
        """Rate that all flows must reach together."""
        slow = sum(ceiling_gbps(leg.nic.speed_gbps, self.packets) for leg in self.sources)
        return min(incast_needed_gbps(self.speed_gbps, self.packets), slow)


@dataclass(frozen=True, slots=True)
class Incast:
    """What came of a group.

    Parameters
    ----------
    rates_gbps : tuple of float
        Rate of each flow; fewer when a flow failed.
    failure : str
        What is not as it must be, or empty.
    """

    group: Group
    rates_gbps: tuple[float, ...]
    failure: str

    def row(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "target": str(self.group.target),
            "sources": [str(leg) for leg in self.group.sources],
            "gbps": round(sum(self.rates_gbps), 1),
            "needed_gbps": round(self.group.needed_gbps, 1),
            "fairness": round(fairness(self.rates_gbps), 3),
            "failure": self.failure,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all groups; ``lost`` names NICs whose counters tell of lost packets."""

    groups: tuple[Incast, ...]
    lost: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is as it must be."""
        return not (self.lost or any(item.failure for item in self.groups))


def make_groups(project: Project, selection: Selection, senders: int) -> list[Group]:
    """Return the groups of the selected hosts, by round.

    Raises
    ------
    InputError
        When no rail has as many hosts as a group needs.
    """
    table: Incasts = incasts(project.fabric, senders, taking_part(project, selection))
    if not len(table):
        message = f"no rail has {senders + 1} selected hosts"
        finding = Finding("OBS002", Severity.ERROR, message, "select more hosts, or fewer senders")
        raise InputError("nothing to probe", [finding])
    return [
        Group(
            leg_of(project, int(table.target[number])),
            tuple(leg_of(project, row) for row in table.sources[number].tolist()),
            int(table.round[number]),
        )
        for number in np.argsort(table.round, kind="stable").tolist()
    ]


def run(
    project: Project,
    groups: list[Group],
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
) -> Report:
    """Carry the groups out, round by round.

    Raises
    ------
    InputError
        When the selection or the connections file is wrong.
    """
    by_name = targets(project, connections_file, selection)
    names = dict.fromkeys(leg.host for item in groups for leg in (item.target, *item.sources))
    hosts = {name: by_name[name] for name in names}
    at_once = selection.parallel or AT_ONCE
    watch = CounterWatch(project, hosts, selection.parallel)
    sessions = Sessions(hosts, at_once)
    results: list[Incast] = []
    try:
        for turn in range(groups[-1].round + 1):
            results += _round(sessions, [item for item in groups if item.round == turn], at_once)
            bad = sum(bool(item.failure) for item in results)
            progress("", f"round {turn + 1} of {groups[-1].round + 1}: {bad} failed")
    finally:
        sessions.close()
    return Report(tuple(results), losing(watch.finish(0.0)))


def _round(sessions: Sessions, groups: list[Group], flows: int) -> list[Incast]:
    """Run groups at once, as many as all their flows can run together."""
    results: list[Incast] = []
    at_once = max(1, flows // len(groups[0].sources))
    for start in range(0, len(groups), at_once):
        batch = groups[start : start + at_once]
        with ThreadPoolExecutor(len(batch)) as pool:
            results += list(pool.map(lambda item: _incast(sessions, item), batch))
    return results


def _incast(sessions: Sessions, group: Group) -> Incast:
    legs = (group.target, *group.sources)
    if dead := next((leg.host for leg in legs if leg.host in sessions.errors), None):
        return Incast(group, (), f"{dead} could not be read: {sessions.errors[dead]}")
    try:
        rates = _rates(sessions, group)
    except (DeviceError, UnreadableError, ValueError) as error:
        return Incast(group, (), f"could not run: {getattr(error, 'reason', error)}")
    return Incast(group, rates, _failure(group, rates))


def _rates(sessions: Sessions, group: Group) -> tuple[float, ...]:
    """Start a server for each flow, then all clients at once; return their rates in Gb/s."""
    clients = []
    with ExitStack() as servers:
        for number, leg in enumerate(group.sources):
            flow = Flow(number, INCAST_S)
            marks = marking(leg, group.target)
            near, far = sessions.perftest_ends(leg, group.target)
            server, client = bandwidth(near, far, marks, flow=flow)
            servers.enter_context(sessions.served(group.target, server))
            clients.append((leg.host, client))
        with ThreadPoolExecutor(len(clients)) as pool:
            texts = list(pool.map(lambda item: sessions.ask(*item), clients))
    return tuple(probe_output.bandwidth_gbps(text, MESSAGE_BYTES) for text in texts)


def _failure(group: Group, rates: tuple[float, ...]) -> str:
    total, alike = sum(rates), fairness(rates)
    reasons = []
    if total < group.needed_gbps:
        reasons.append(f"{total:.1f} Gb/s in total, {group.needed_gbps:.1f} required")
    if alike < FAIRNESS:
        slowest = group.sources[rates.index(min(rates))]
        reasons.append(f"fairness {alike:.2f}, {FAIRNESS} required: {slowest} is the slowest")
    return "; ".join(reasons)
