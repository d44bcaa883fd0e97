"""Exit codes, and how errors become codes and messages.

Ctrl-C: the first one stops in good order, the second one ends the process at once.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

import typer

from fabric.cli import output
from fabric.core.errors import (
    DeviceError,
    FabricError,
    FileError,
    InputError,
    NoRoomError,
    PlanError,
)
from fabric.core.likeness import like_groups, others, shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from fabric.core.findings import Finding


#: Nobody reads more errors of one file than these.
MOST_LINES = 100
#: So many like errors are all listed; of more, so many are. Our choice.
_FEW, _ALIKE = 8, 5


_ENDS = (
    b"rocefab: terminated. If a run was in progress, commit timers roll back the devices that are "
    b"not confirmed, where they are set; `rocefab status` shows it and `rocefab apply --resume` "
    b"continues it\n"
)


#: What Python does at each signal that ends a command in good order (its module ``signal``).
_USUAL: dict[signal.Signals, Callable[[int, FrameType | None], object] | signal.Handlers] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}


class Exit(IntEnum):
    """Exit codes of every command; ``--help`` names those that a command uses."""

    OK = 0
    INTERNAL = 1
    INPUT = 2
    DEVICE = 3
    FINDINGS = 4
    CHANGES = 5
    INTERRUPTED = 130  # 128 + SIGINT, as shells say it
    TERMINATED = 143  # 128 + SIGTERM


#: What writing ends with where a disk, a quota or a limit of the shell is full.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class CommandExit(Exception):  # noqa: N818 - not an error: a command that ends with a code
    """Ends a command with an exit code; everything was printed already."""

    def __init__(self, code: Exit) -> None:
        super().__init__(code)
        self.code = code


def exit_code_of(error: BaseException) -> int:
    """Print an error for a person and return the exit code that it stands for."""
    if isinstance(error, CommandExit):
        return error.code
    cause = error.__context__ if isinstance(error, SystemExit) else error
    if isinstance(cause, BrokenPipeError):
        # The reader of stdout has seen enough (`rocefab show links | head -1`); typer makes a
        # SystemExit of it. What is still in the buffer must not fail again at the very end.
        _leave_stdout()
        return Exit.OK
    if isinstance(cause, OSError) and cause.errno in _FULL:
        _leave_stdout()
        where = cause.filename or "the output"
        sys.stderr.write(f"rocefab: {where} cannot be written: {cause.strerror}\n")
        return Exit.INPUT
    if isinstance(error, SystemExit):
        return int(error.code or 0)
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        is_terminated = signal.SIGTERM in error.args
        word = "terminated" if is_terminated else "interrupted by the user"
        sys.stderr.write(f"rocefab: {word}\n")
        return Exit.TERMINATED if is_terminated else Exit.INTERRUPTED
    if isinstance(error, FabricError):
        return _known(error)
    show = getattr(error, "show", None)  # usage errors of click, or of typer's own copy of it
    if show is not None:
        from fabric.cli.wrong_calls import reword  # no command but one that fails needs it

        reword(error)
        show()
        return Exit.INPUT
    return _internal(error)


def _leave_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def capped(lines: Sequence[str], most: int = MOST_LINES) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - most
    return [*lines[:most], *([f"... and {more} more"] if more > 0 else [])]


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield each finding with its place; of many that are alike, some and how many more."""
    for like in like_groups(findings, lambda one: (one.rule, shape(one.message), shape(one.fix))):
        shown = like if len(like) <= _FEW else like[:_ALIKE]
        yield from map(str, shown)
        if more := len(like) - len(shown):
            yield f"    {others(more)}"


def _internal(error: BaseException) -> int:
    sys.stderr.write(f"rocefab: internal error: {type(error).__name__}: {error}\n")
    if os.environ.get("ROCEFAB_TRACEBACK"):
        traceback.print_exception(error)
    else:
        sys.stderr.write("Set ROCEFAB_TRACEBACK=1 for a traceback, and please report the error.\n")
    return Exit.INTERNAL


def _known(error: FabricError) -> int:
    output.refusal(error)
    if isinstance(error, InputError):
        for line in capped([*_lines(error.findings)]):
            sys.stderr.write(f"{line}\n")
    says_all = isinstance(error, FileError)  # its headline is the finding without its fix
    for line in (*(() if says_all else (str(error),)), *getattr(error, "__notes__", ())):
        sys.stderr.write(f"rocefab: {line}\n")
    if isinstance(error, NoRoomError):
        return Exit.FINDINGS
    if isinstance(error, (InputError, PlanError)):
        return Exit.INPUT
    return Exit.DEVICE if isinstance(error, DeviceError) else Exit.INTERNAL


@contextmanager
def second_one_ends() -> Iterator[list[int]]:
    """Interrupt the command at Ctrl-C and SIGTERM; let a second one end it without waiting.

    What a run has done is on disk before the next step begins, and its lock goes with the process.
    A signal that is ignored, as Ctrl-C is behind ``&`` in a script, or that the process handles in
    its own way, is left alone, and so is a caller in another thread. The list has the signal that
    came.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def handle(number: int, _: FrameType | None) -> None:
        if received:
            os.write(2, _ENDS)
            os._exit(128 + number)
        received.append(number)
        raise KeyboardInterrupt(number)

    ours = [number for number, usual in _USUAL.items() if signal.getsignal(number) == usual]
    for number in ours:
        signal.signal(number, handle)
    try:
        yield received
    finally:
        for number in ours:
            signal.signal(number, _USUAL[number])
