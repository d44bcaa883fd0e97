"""Printing: data to stdout, messages and progress to stderr; how much of it, and in which form."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.cli import terminal
from fabric.cli.like_steps import LikeSteps
from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.errors import FabricError
    from fabric.core.findings import Finding
    from fabric.report.table import Table
    from fabric.workflow.devices import Selection
    from fabric.workflow.project import Project

#: Seconds between two lines of progress where no terminal shows one that changes.
_PAUSE_S = 5.0
#: Steps that are shorter show no progress.
_QUICK_S = 0.5
#: Devices work at the same time, so that the time of the first says nothing of that of all: the
#: time left is shown from a quarter of them on; our choice.
_KNOWN_PART = 4
_JSON = "json"
#: Cell of a value that is not there.
_ABSENT = "-"
_COUNTED = re.compile(r"(\w+ (\d+) of (\d+))\b")


@dataclass
class _Settings:
    """What the user asked for, and what the terminal shows at this time."""

    quiet: bool = False
    verbose: bool = False
    colour: str = "auto"
    pager: bool = True
    form: str = ""
    has_data: bool = False
    is_line_open: bool = False
    last_s: float = 0.0
    steps: LikeSteps | None = None
    warned: set[str] = field(default_factory=set)


_now = _Settings()


class _Log(logging.Handler):
    """Prints what is read, and each warning once."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno < logging.WARNING:
            note(text)
        elif text not in _now.warned:
            _now.warned.add(text)
            result(f"warning: {text}")


_log = _Log()


def configure(
    *, quiet: bool = False, verbose: bool = False, colour: str = "auto", pager: bool = True
) -> None:
    """Take what the user asks of all output; without words, what holds when nothing is asked."""
    _now.quiet, _now.verbose, _now.colour, _now.pager = quiet, verbose, colour, pager
    _now.form, _now.has_data = "", False
    _now.last_s, _now.is_line_open, _now.steps = time.monotonic(), False, None
    _now.warned.clear()
    logger = logging.getLogger("fabric")
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING)
    logger.addHandler(_log)


def take_form(form: str) -> None:
    """Take the form of the data, as ``--format`` names it."""
    _now.form = form


def refusal(error: FabricError) -> None:
    """Write an error to stdout where JSON was asked for and none of it was written."""
    if _now.form != _JSON or _now.has_data:
        return
    from fabric.report.refusal import as_dict  # no command that succeeds needs it

    as_json(as_dict(error))


def data(text: str) -> None:
    """Write data to stdout."""
    _now.has_data = _now.has_data or bool(text)
    end_line()
    sys.stdout.write(text)


def paged(text: str) -> None:
    """Write data to stdout; on a terminal in the pager of the user, where it is long."""
    if _now.pager and terminal.is_taller(text, sys.stdout):
        from fabric.programs.pager import page

        end_line()
        if page(text):
            return
    data(text)


def findings(text: str) -> None:
    """Write findings to stdout, their severities in colour."""
    data(terminal.with_severities(text) if _has_colour() else text)


def alarming(text: str, words: str) -> None:
    """Write long data to stdout, as `paged`; in colour, lines with these words are red."""
    if _has_colour():
        lines = text.split("\n")
        text = "\n".join(terminal.painted(line, 31) if words in line else line for line in lines)
    paged(text)


def as_json(value: Any) -> None:
    """Write a value as JSON to stdout."""
    data(json.dumps(value, indent=2) + "\n")


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows in aligned columns to stdout; on a terminal the widest text is wrapped."""
    texts = [[str(cell) for cell in row] for row in rows]
    width = terminal.terminal_width(sys.stdout)
    lines = terminal.table_lines(headers, texts, width, colour=_has_colour())
    data("".join(f"{line}\n" for line in lines))


def records(shown: Table, form: str) -> None:
    """Write the rows of a report as a table, or as a JSON list of objects; then its hint.

    A value that is not there is a dash in the table, and null in JSON.
    """
    if form == "json":
        members = shown.members or ({},) * len(shown.rows)
        cells = ([None if cell == _ABSENT else cell for cell in row] for row in shown.rows)
        rows = zip(cells, members, strict=True)
        as_json([dict(zip(shown.headers, row, strict=True)) | dict(more) for row, more in rows])
    elif shown.rows or not shown.hint:
        table(shown.headers, shown.rows)
    if shown.hint:
        note(shown.hint)


def note(text: str) -> None:
    """Write a message to stderr, unless the user wants results alone."""
    if not _now.quiet:
        result(text)


def result(text: str) -> None:
    """Write a message to stderr that belongs to the result, such as why a run stopped."""
    end_line()
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def warnings(findings: Iterable[Finding]) -> None:
    """Write what is odd about the input to stderr."""
    for finding in findings:
        result(f"warning: {finding}")


def detail(text: str) -> None:
    """Write a message to stderr for a user who wants to know more."""
    if _now.verbose:
        note(text)


def progress(device: str, text: str) -> None:
    """Write what happens to stderr, one line each."""
    note(f"{device}: {text}" if device else text)


class Meter:
    """Shows how far work on devices is, with a count and the time that is left.

    Parameters
    ----------
    total : int
        Devices; 0 where it is not known. Texts such as ``wave 2 of 4`` count themselves.
    lines : bool
        Whether each text is a message too.
    full : bool
        Whether a step that is the same on several devices is a message for each; so it is with -v.
    """

    def __init__(self, total: int = 0, *, lines: bool = False, full: bool = False) -> None:
        self._total = total
        self._steps = LikeSteps(progress)
        self._full = full or _now.verbose
        self._lines = lines
        self._devices: set[str] = set()
        self._started_s = self._shown_s = time.monotonic()
        self._steps_started_s: dict[str, float] = {}

    def __call__(self, device: str, text: str) -> None:
        """Take what happens on a device."""
        if self._lines and text:
            self._tell(device, text)
            if not terminal.is_terminal(sys.stderr):
                _show_waiting()
                return
        if steps := _COUNTED.match(text):
            self._show(steps[1], int(steps[2]), int(steps[3]))
        elif device and self._total:
            self._devices.add(device)
            done = len(self._devices)
            known = done if done * _KNOWN_PART >= self._total else 0
            self._show(f"{done} of {counted(self._total, 'device')}", known, self._total, device)
        else:
            self._show(f"{device}: {text}" if device else text, 0, 0)

    def _tell(self, device: str, text: str) -> None:
        if device and not self._full:
            _now.steps = self._steps
            self._steps.add(device, text)
        else:
            self._steps.forget()
            progress(device, text)

    def step(self, what: str, done: int, total: int) -> None:
        """Take how many steps are done; at most two changes of the line in a second."""
        now_s = time.monotonic()
        if done == 0:
            self._steps_started_s[what] = self._shown_s = now_s
        elif now_s - self._shown_s > _QUICK_S:
            self._shown_s, self._started_s = now_s, self._steps_started_s[what]
            self._show(f"{done:,} of {total:,} {what}", done, total)

    def _show(self, words: str, done: int, total: int, now: str = "") -> None:
        left = ""
        if 0 < done < total:
            left_s = (time.monotonic() - self._started_s) / done * (total - done)
            left = f", about {_duration(left_s)} left"
        _line(f"{words}{left}{': ' + now if now else ''}")


def meter_of(project: Project, selection: Selection, *, lines: bool = False) -> Meter:
    """Return a meter for the devices that a command selects."""
    from fabric.workflow.devices import chosen

    return Meter(len(chosen(project, selection)), lines=lines)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 100 else f"{round(whole / 60)} min"  # noqa: PLR2004


def _line(text: str) -> None:
    """Show a line that the next one replaces; without a terminal, one now and then."""
    if _now.quiet:
        return
    if terminal.is_terminal(sys.stderr):
        width = terminal.terminal_width(sys.stderr)
        sys.stderr.write(f"\r\033[K{text[: width - 1]}")
        sys.stderr.flush()
        _now.is_line_open = True
    elif _is_due():
        note(text)


def _show_waiting() -> None:
    """Show the steps that wait to be shown, where nothing was shown for a while."""
    if _is_due():
        end_line()


def _is_due() -> bool:
    """Tell whether a line is due, and begin the next pause if so."""
    now_s = time.monotonic()
    if now_s - _now.last_s < _PAUSE_S:
        return False
    _now.last_s = now_s
    return True


def end_line() -> None:
    """Remove the line of progress from the terminal; show the steps that wait to be shown."""
    if _now.steps:
        _now.steps.show()
    if _now.is_line_open:
        _now.is_line_open = False
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _has_colour() -> bool:
    return terminal.is_coloured(sys.stdout, _now.colour)
