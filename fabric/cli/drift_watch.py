"""drift --watch: events on stdout, in a file, and to a syslog server."""

from __future__ import annotations

import signal
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from fabric.cli import output
from fabric.core.events import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.core.events import Event


@dataclass(frozen=True)
class WatchOptions:
    """Which devices are watched, how often, and where their journal is.

    Parameters
    ----------
    selected : tuple
        Switches, hosts, and a range of names.
    parallel : int
        How many are read at the same time; 0 selects it automatically.
    """

    selected: tuple[bool, bool, str]
    interval_s: float
    timeout_s: float
    state: Path | None
    parallel: int = 0


@dataclass(frozen=True)
class Takers:
    """Where events go besides stdout, and their form there."""

    file: Path | None
    syslog: str
    form: str

    @contextmanager
    def opened(self) -> Iterator[tuple[Ledger, Callable[[list[Event]], None]]]:
        """Yield what lasts by the file, and what takes events."""
        from fabric.workflow.event_log import EventLog

        as_text = _text if self.form == "text" else _line
        with EventLog(self.file, self.syslog, output.note) as log:

            def take(events: list[Event]) -> None:
                log.write(events)
                for event in events:
                    output.data(as_text(event))
                sys.stdout.flush()

            ledger = Ledger()
            ledger.replay(log.past)
            yield ledger, take


def watch(inventory: Path, connections: Path | None, wanted: WatchOptions, takers: Takers) -> None:
    """Watch until the user or a service manager ends it."""
    from fabric.workflow.drift_service import DriftService, Pace, Selection

    if takers.form not in {"text", "jsonl"}:
        raise typer.BadParameter("--watch prints text or jsonl; set --format jsonl")
    switches, hosts, only = wanted.selected
    with takers.opened() as (ledger, take):
        service = DriftService(
            inventory,
            connections,
            Selection(switches=switches, hosts=hosts, only=only),
            Pace(wanted.interval_s, 0, wanted.timeout_s, wanted.parallel),
            wanted.state,
            output.progress,
            ledger,
        )
        with closing(service.events()) as looks:
            try:
                for events in looks:
                    take(events)
            except KeyboardInterrupt:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
                output.note("stopped")


def _text(event: Event) -> str:
    return f"{event.time:%Y-%m-%dT%H:%M:%SZ} {event}\n"


def _line(event: Event) -> str:
    from fabric.report.events import line

    return line(event)
