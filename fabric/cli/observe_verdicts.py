"""`observe --judge`: verdicts on the readings as they come, as events."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from fabric.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.core.events import Event
    from fabric.report.newest import Newest
    from fabric.workflow.event_log import EventLog
    from fabric.workflow.judge_watch import JudgeWatch
    from fabric.workflow.observe import Selection
    from fabric.workflow.project import Project


@dataclass(frozen=True)
class Words:
    """What the user asks for: whether to judge, and where events go."""

    judge: bool
    events: Path | None
    syslog: str

    def check(self, interval_s: float) -> None:
        """Refuse options that need others."""
        if self.judge and not interval_s:
            message = "--judge needs --interval-s; to judge once: --once --format junit, or judge"
            raise typer.BadParameter(message)
        if (self.events or self.syslog) and not self.judge:
            raise typer.BadParameter("--events and --syslog need --judge")

    @contextmanager
    def opened(self, project: Project, selection: Selection) -> Iterator[Verdicts | None]:
        """Yield what judges readings while the body runs; None where nothing is judged."""
        if not self.judge:
            yield None
            return
        from fabric.workflow.event_log import EventLog
        from fabric.workflow.judge_watch import JudgeOptions, JudgeWatch, settings_of

        with EventLog(self.events, self.syslog, output.note) as log:
            watch = JudgeWatch(project, JudgeOptions(selection, settings_of(())), log.past)
            yield Verdicts(watch, log)


@dataclass(frozen=True)
class Verdicts:
    """Judges readings, and hands events to all who take them."""

    watch: JudgeWatch
    log: EventLog

    def turn(self, newest: Newest | None, *, is_shown: bool) -> None:
        """Judge, and report what began and what ended.

        Parameters
        ----------
        newest : Newest or None
            What Prometheus is served from.
        is_shown : bool
            Whether events are printed.
        """
        events = self.watch.events()
        self.log.write(events)
        if newest is not None:
            newest.put_findings(self.watch.lasting)
        if is_shown:
            output.data("".join(map(_line, events)))


def _line(event: Event) -> str:
    severity = event.finding.severity.word
    return f"{event.time:%Y-%m-%dT%H:%M:%SZ} {event.word} {severity}: {event.finding}\n"
