"""Pings as a gate of a wave: grey failures show here, where BGP is up and packets are lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError
from fabric.observe import probe_output
from fabric.observe.parsers import UnreadableError
from fabric.probe.reach.commands import full_ping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor

    from fabric.change.rollout import Ping, Stage
    from fabric.devices.driver import Connection

#: Failures that a message names.
_NAMED = 3


@dataclass
class Pings:
    """NICs behind the devices of a wave reach others with packets of full size.

    Only those that were answered before the wave must be answered after it.
    """

    connections: Mapping[str, Connection]
    executor: Executor
    name: str = "ping"
    _good: list[Ping] = field(default_factory=list)

    def begin(self, stage: Stage) -> None:
        """Find out which are answered now."""
        failures = self._failures(stage.pings)
        self._good = [ping for ping in stage.pings if ping not in failures]

    def after_change(self, stage: Stage) -> list[str]:
        """Return which are not answered any more."""
        changed = {*stage.names}
        new = [ping for ping in stage.pings if {ping.source_host, ping.target_host} & changed]
        wanted = [*dict.fromkeys([*self._good, *new])]
        failures = self._failures(wanted)
        named = [f"{ping}: {failures[ping]}" for ping in list(failures)[:_NAMED]]
        more = len(failures) - len(named)
        if more > 0:
            named.append(f"and {more} more of {len(wanted)} pings")
        return named

    def after_soak(self, stage: Stage) -> list[str]:
        """Return which are not answered any more."""
        return self.after_change(stage)

    def _failures(self, pings: Sequence[Ping]) -> dict[Ping, str]:
        """Return why pings failed; those of one host run one after the other."""
        by_host: dict[str, list[Ping]] = {}
        for ping in pings:
            by_host.setdefault(ping.source_host, []).append(ping)
        futures = [self.executor.submit(self._of_host, *item) for item in by_host.items()]
        failures: dict[Ping, str] = {}
        for future in futures:
            failures |= future.result()
        return failures

    def _of_host(self, host: str, pings: Sequence[Ping]) -> dict[Ping, str]:
        try:
            driver = open_driver(self.connections[host])
        except DeviceError as error:
            return dict.fromkeys(pings, error.reason)
        try:
            commands = {str(number): full_ping(*ping.figures) for number, ping in enumerate(pings)}
            read_each: Callable[..., Mapping[str, str]] = driver.read_each  # type: ignore[attr-defined]
            answers = read_each(commands)
        except DeviceError as error:
            return dict.fromkeys(pings, error.reason)
        finally:
            driver.close()
        rows = {ping: _lost(answers.get(str(number), "")) for number, ping in enumerate(pings)}
        return {ping: reason for ping, reason in rows.items() if reason}


def _lost(text: str) -> str:
    """Return why a ping is not good; empty where it is."""
    try:
        sent, received = probe_output.ping(text)
    except UnreadableError:
        return "ping could not start"
    return "" if received == sent else f"{received} of {sent} replies"
