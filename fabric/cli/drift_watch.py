"""drift --watch: events on stdout, in a file, and to a syslog server."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from fabric.cli import output
from fabric.core.events import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.core.events import Event


@dataclass(frozen=True)
class Wanted:
    """Which devices are watched, how often, and where their journal is.

    Parameters
    ----------
    selected : tuple
        Switches, hosts, and a range of names.
    """

    selected: tuple[bool, bool, str]
    interval_s: float
    timeout_s: float
    state: Path | None


@dataclass(frozen=True)
class Takers:
    """Where events go besides stdout, and their form there."""

    file: Path | None
    syslog: str
    form: str

    def opened(self, stack: ExitStack) -> tuple[Ledger, list[Callable[[Event], None]]]:
        """Return what lasts by the file, and what takes each event."""
        from fabric.workflow.drift_events import EventsFile, Sender
        from fabric.workflow.syslog import Syslog

        ledger = Ledger()
        takers: list[Callable[[Event], None]] = [_text if self.form == "text" else _line]
        if self.file:
            file = stack.enter_context(EventsFile(self.file))
            ledger = file.ledger
            takers.insert(0, file.write)
        if self.syslog:
            sender = Sender(Syslog(self.syslog), output.note)
            stack.callback(sender.close)
            takers.append(sender.send)
        return ledger, takers


def watch(inventory: Path, connections: Path | None, wanted: Wanted, takers: Takers) -> None:
    """Watch until the user or a service manager ends it."""
    from fabric.workflow.drift_service import DriftService, Pace, Selection

    if takers.form == "json":
        raise typer.BadParameter("--watch prints text or jsonl; set --format jsonl")
    switches, hosts, only = wanted.selected
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as a service manager ends it
    with ExitStack() as stack:
        ledger, take = takers.opened(stack)
        service = DriftService(
            inventory,
            connections,
            Selection(switches=switches, hosts=hosts, only=only),
            Pace(wanted.interval_s, 0, wanted.timeout_s),
            wanted.state,
            output.progress,
            ledger,
        )
        events = service.events()
        stack.callback(events.close)
        try:
            for event in events:
                for one in take:
                    one(event)
        except KeyboardInterrupt:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
            output.note("stopped")


def _text(event: Event) -> None:
    output.data(f"{event.time:%Y-%m-%dT%H:%M:%SZ} {event}\n")
    sys.stdout.flush()


def _line(event: Event) -> None:
    from fabric.report.events import line

    output.data(line(event))
    sys.stdout.flush()
