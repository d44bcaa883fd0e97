"""Shows a long text in the pager of the user, which sees no variables but what it needs."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from fabric.core.errors import ProgramError
from fabric.programs.environment import environment
from fabric.programs.run import attached, hide_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of less(1): end where all fits the screen, take colours, and leave the text on the terminal.
_LESS = "FRX"
#: Of less(1): no shell, no editor, no other files, no program before its input.
_SECURE = {"LESSSECURE": "1"}
_VARIABLES = ("TERM", "LESS", "LESSCHARSET")


def page(text: str) -> bool:
    """Show a text in ``PAGER``, by default less; tell whether it was shown there.

    An empty ``PAGER`` means none. Ctrl-C belongs to the pager while it runs.
    """
    argv = _pager()
    if not argv:
        return False
    hide_memory()
    try:
        process = attached(argv, {"LESS": _LESS, **environment(*_VARIABLES), **_SECURE})
    except ProgramError:
        return False
    assert process.stdin
    try:
        with _no_interrupts():
            with suppress(BrokenPipeError):  # the user has seen enough
                process.stdin.write(text.encode(errors="replace"))
            with suppress(BrokenPipeError):
                process.stdin.close()
            return process.wait() == 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def _pager() -> list[str]:
    """Return the words of the pager; none where there is none."""
    words = os.environ.get("PAGER")
    if words is None:
        return ["less"] if shutil.which("less", path=environment()["PATH"]) else []
    try:
        return shlex.split(words)
    except ValueError:
        return []


@contextmanager
def _no_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
