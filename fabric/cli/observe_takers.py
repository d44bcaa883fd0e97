"""What takes each reading of `observe`: files, stdout, Prometheus, a receiver of OTLP."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from fabric.cli import output
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.record_files import RecordFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from fabric.report.newest import Newest
    from fabric.report.observed import Seen
    from fabric.serve.settings import Settings
    from fabric.workflow.project import Project

Taker: TypeAlias = "Callable[[Seen], None]"


@dataclass
class Opened:
    """What takes each reading, and what Prometheus is served from; None where it is not."""

    takers: list[Taker] = field(default_factory=list)
    newest: Newest | None = None


@dataclass(frozen=True)
class Takers:
    """Where readings go.

    Parameters
    ----------
    lines : bool
        Whether records are printed.
    settings : Settings or None
        How Prometheus is served; None does not.
    otlp : str
        URL of a receiver; empty sends nothing.
    """

    file: Path | None
    lines: bool
    settings: Settings | None
    otlp: str

    @contextmanager
    def opened(self, project: Project, devices: list[str]) -> Iterator[Opened]:
        """Yield what takes each reading, while the body runs."""
        with ExitStack() as stack:
            opened = Opened()
            takers = opened.takers
            if self.file:
                records = stack.enter_context(RecordFile(self.file))
                takers.append(lambda one: records.write(_line(one)))
            if self.lines:
                takers.append(lambda one: output.data(_line(one)))
            if self.settings:
                served = _served(project, devices, self.settings)
                opened.newest = stack.enter_context(served)
                takers.append(opened.newest.put)
            if self.otlp:
                takers.append(stack.enter_context(_sent(project, devices, self.otlp)))
            yield opened


def taken(readings: Iterable[Seen], takers: Sequence[Taker]) -> Iterator[Seen]:
    """Yield readings after they were taken."""
    for one in readings:
        for take in takers:
            take(one)
        yield one


def _line(one: Seen) -> str:
    return f"{json.dumps(one.as_dict())}\n"


@contextmanager
def _served(project: Project, devices: list[str], settings: Settings) -> Iterator[Newest]:
    """Serve readings to Prometheus while the body runs."""
    from fabric.report.newest import Newest
    from fabric.serve.exporter import exporter
    from fabric.workflow.observe_plan import plan_figures

    newest = Newest(plan_figures(project, devices))
    with exporter(newest.exposition, settings) as address:
        output.note(f"serving {counted(len(devices), 'device')} on {address}/metrics")
        yield newest


@contextmanager
def _sent(project: Project, devices: list[str], endpoint: str) -> Iterator[Taker]:
    """Send readings by OTLP while the body runs."""
    try:
        from fabric.workflow.observe_otlp import Otlp
    except ImportError as error:
        message = f"the package {error.name} is missing"
        finding = Finding("OBS009", Severity.ERROR, message, "install rocefab[otlp]")
        raise InputError("OTLP is not installed", [finding]) from error
    from fabric.workflow.observe_plan import plan_figures

    sender = Otlp(endpoint, plan_figures(project, devices), output.note)
    try:
        yield sender.put
    finally:
        sender.close()
