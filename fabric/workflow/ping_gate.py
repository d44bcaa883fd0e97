"""Pings as a gate of a wave: grey failures show here, where BGP is up and packets are lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from fabric.change.gates import NOT_ASKED, passed_with
from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.errors import DeviceError
from fabric.observe import probe_output
from fabric.observe.parsers import UnreadableError
from fabric.probe.reach.commands import (
    ROUNDS,
    ProbeEnd,
    full_ping,
    new_unit,
    rping,
    start,
    stop,
)
from fabric.workflow.host_sessions import LoginError, ask_each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.questions import Questions
    from fabric.change.rollout import Ping, Stage
    from fabric.devices.driver import Driver
    from fabric.workflow.host_sessions import HostSessions

#: Failures that a message names.
_NAMED = 3
#: Why a ping has no answer where its source address is not on the host.
_NO_START = "ping could not start"


@dataclass
class Pings:
    """NICs behind the devices of a wave reach others with packets of full size.

    Those that were answered before the wave must be answered after it, and those of hosts that it
    changes, unless the other host has its turn in a later wave. A host that does not change, and
    could not be logged in to before, is not asked. Nothing is known of a new pair whose other host
    the plan does not change, where that host has no address or no login.

    Parameters
    ----------
    turns : mapping of str to int
        The number of the wave of each device that changes.
    settles : bool
        Whether pairs without an answer are tried again for a moment.
    """

    hosts: HostSessions
    questions: Questions
    turns: Mapping[str, int]
    name: str = "ping"
    settles: bool = False
    _good: list[Ping] = field(default_factory=list)
    _refused: set[str] = field(default_factory=set)
    _unset: set[str] = field(default_factory=set)
    _silent: frozenset[str] = frozenset()
    _planned: int = 0
    _asked: int = 0
    #: What is counted; why none was asked, and why some were not.
    _what: ClassVar[str] = "ping"
    _why_none: ClassVar[str] = "no pair answered before the wave, as in a new fabric"
    _why_left: ClassVar[str] = "not answered before"

    @property
    def passed(self) -> str:
        """How many pairs said so, and how many were not asked."""
        if self._planned and not self._asked:
            return f"not checked: {self._why_none}"
        if not self._planned:
            return NOT_ASKED
        left = self._planned - self._asked
        pairs = f"{left} of {counted(self._planned, 'pair')} {noun(left, 'was', 'were')}"
        return passed_with(self._asked, self._what, f"{pairs} {self._why_left}" if left > 0 else "")

    def begin(self, stage: Stage) -> list[str]:
        """Find out which are answered now; none is needed."""
        pairs = self._chosen(stage.pings)
        self._refused.clear()
        failures = self._failures(pairs)
        self._good = [ping for ping in pairs if ping not in failures]
        self._silent = frozenset(self._refused)
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Return which are not answered any more."""
        changed = {*stage.names}
        now = max(self.turns[name] for name in changed)
        waiting = {name for name, turn in self.turns.items() if turn > now}
        mute = self._silent - changed
        new = [
            ping
            for ping in stage.pings
            if ping.hosts & changed and not ping.hosts & waiting and ping.source_host not in mute
        ]
        good = [ping for ping in self._good if ping in stage.pings]
        wanted = self._chosen([*dict.fromkeys([*good, *new])])
        failures = self._failures(wanted)
        unknown = self._untold({ping: why for ping, why in failures.items() if ping not in good})
        failures = {ping: why for ping, why in failures.items() if ping not in unknown}
        self._planned = len(self._chosen(stage.pings))
        self._asked = len(wanted) - len(unknown)
        named = [f"{ping}: {failures[ping]}" for ping in list(failures)[:_NAMED]]
        more = len(failures) - len(named)
        if more > 0:
            named.append(f"and {more} more of {counted(len(wanted), 'pair')}")
        return named

    def after_soak(self, stage: Stage) -> list[str]:
        """Return which are not answered any more."""
        return self.after_change(stage)

    def _chosen(self, pings: Sequence[Ping]) -> Sequence[Ping]:
        """Return the pairs that are tried."""
        return pings

    def _untold(self, failures: Mapping[Ping, str]) -> set[Ping]:
        """Return those that say nothing: an end that the plan does not change may not be ready."""
        unknown = self._unknown(failures)
        back = {
            ping.reversed: ping
            for ping, reason in failures.items()
            if reason != _NO_START and ping.target_host not in self.turns
        }
        return unknown | {back[ping] for ping in self._unknown(self._failures([*back]))}

    def _unknown(self, failures: Mapping[Ping, str]) -> set[Ping]:
        """Return those whose source, which the plan does not change, has no address or no login."""
        others = {ping for ping in failures if ping.source_host not in self.turns}
        unset = {ping for ping in others if failures[ping] == _NO_START}
        self._unset |= {ping.source_host for ping in unset}
        return unset | {ping for ping in others if ping.source_host in self._refused}

    def _failures(self, pings: Sequence[Ping]) -> dict[Ping, str]:
        """Return why pings failed; those of one host run one after the other."""
        by_host: dict[str, list[Ping]] = {}
        for ping in pings:
            by_host.setdefault(ping.source_host, []).append(ping)
        answers = self.questions.ask(
            self.name, {host: partial(self._of_host, host, own) for host, own in by_host.items()}
        )
        return {ping: reason for of_host in answers.values() for ping, reason in of_host.items()}

    def _of_host(self, host: str, pings: Sequence[Ping]) -> dict[Ping, str]:
        commands = {str(number): full_ping(*ping.figures) for number, ping in enumerate(pings)}
        try:
            answers = self.hosts.use(host, lambda driver: ask_each(driver, commands))
        except DeviceError as error:
            if isinstance(error, LoginError):
                self._refused.add(host)
            return dict.fromkeys(pings, error.reason)
        rows = {ping: _lost(answers.get(str(number), "")) for number, ping in enumerate(pings)}
        return {ping: reason for ping, reason in rows.items() if reason}


@dataclass
class Isolation(Pings):
    """NICs of different tenants do not answer each other, whatever was before the wave."""

    name: str = "isolation"
    _why_none: ClassVar[str] = "on no host could a ping start"
    _why_left: ClassVar[str] = "not probed"

    def begin(self, stage: Stage) -> list[str]:  # noqa: ARG002
        """Return nothing: what was answered before the wave does not count."""
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Return the pairs that answer."""
        self._refused.clear()
        failures = self._failures(stage.denied)
        tried = [
            ping
            for ping in stage.denied
            if ping.source_host not in self._refused and failures.get(ping) != _NO_START
        ]
        self._planned, self._asked = len(stage.denied), len(tried)
        return [
            f"{ping}: another tenant answers{_open(ping, stage)}"
            for ping in tried
            if ping not in failures
        ]


@dataclass
class Joined(Pings):
    """NICs that come into a tenant answer there, whatever was before the wave.

    A host that the plan does not change may have no address yet, or no login: its pings cannot
    start, and nothing is known of the NIC.
    """

    name: str = "tenant"

    @property
    def passed(self) -> str:
        """How many answered, and from which hosts none was sent."""
        unset, refused = (
            hostlist.fold_inside(sorted(hosts)) for hosts in (self._unset, self._refused)
        )
        reasons = (
            f"no address on {unset} yet, and this plan sets none" if unset else "",
            f"no login to {refused}, which this plan does not change" if refused else "",
        )
        silent = "; ".join(filter(None, reasons))
        if self._asked:
            return passed_with(self._asked, self._what, silent)
        return f"not checked: {silent}" if silent else NOT_ASKED

    def begin(self, stage: Stage) -> list[str]:  # noqa: ARG002
        """Return nothing: they were in quarantine, or not there."""
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Return the NICs that do not answer."""
        self._refused.clear()
        self._unset.clear()
        failures = self._failures(stage.joined)
        unknown = self._untold(failures)
        self._refused -= self.turns.keys()
        self._asked = len(stage.joined) - len(unknown)
        return [
            f"{ping}: {reason}{_open(ping, stage)}"
            for ping, reason in failures.items()
            if ping not in unknown
        ]


def _open(ping: Ping, stage: Stage) -> str:
    """Return what shuts the port of a host whose leaf was confirmed in an earlier wave."""
    if ping.target_host not in stage.names:
        return ""
    return "; its port stays open until `rocefab tenant revoke`, plan and apply shut it"


@dataclass
class Rdma(Pings):
    """NICs behind the devices of a wave read and write each other's memory, by ``rping``.

    A host takes part once: its server has one port.
    """

    name: str = "rdma"
    _what: ClassVar[str] = "pair"

    def _chosen(self, pings: Sequence[Ping]) -> Sequence[Ping]:
        """Return pairs of different hosts, none of which is in two."""
        used: set[str] = set()
        chosen = []
        for ping in pings:
            if len(ping.hosts) > 1 and not ping.hosts & used:
                chosen.append(ping)
                used |= ping.hosts
        return chosen

    def _untold(self, failures: Mapping[Ping, str]) -> set[Ping]:  # noqa: ARG002
        """Return none: a pair is not tried the other way round."""
        return set()

    def _failures(self, pings: Sequence[Ping]) -> dict[Ping, str]:
        """Return why pairs failed."""
        answers = self.questions.ask(
            self.name, {ping.source_host: partial(self._one, ping) for ping in pings}
        )
        return {ping: reason for ping in pings if (reason := answers[ping.source_host])}

    def _one(self, ping: Ping) -> str:
        def through(target: Driver) -> int:
            return self.hosts.use(ping.source_host, lambda source: _replies(ping, source, target))

        try:
            back = self.hosts.use(ping.target_host, through)
        except DeviceError as error:
            return error.reason
        except UnreadableError as error:
            return str(error)
        return "" if back == ROUNDS else f"{back} of {ROUNDS} replies of rping"


def _replies(ping: Ping, source: Driver, target: Driver) -> int:
    """Return how many replies a server of ``rping`` on the target gave the source."""
    server, client = rping(ProbeEnd(ping.source, ""), ProbeEnd(ping.target, ""))
    unit = new_unit()
    ask_each(target, {"gate": start(server, unit)})
    try:
        return probe_output.rping(ask_each(source, {"gate": client}).get("gate", ""))
    finally:
        ask_each(target, {"gate": stop(unit)})


def _lost(text: str) -> str:
    """Return why a ping is not good; empty where it is."""
    try:
        sent, received = probe_output.ping(text)
    except UnreadableError:
        return _NO_START
    return "" if received == sent else f"{received} of {counted(sent, 'reply')}"
