"""Ctrl-C: the first one stops in good order, the second one ends the process at once."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fabric.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ENDS = (
    b"rocefab: terminated. Commit timers roll back the devices that are not confirmed; "
    b"if a run was in progress, `rocefab status` shows it and `rocefab apply --resume` "
    b"continues it\n"
)


@contextmanager
def second_one_ends() -> Iterator[None]:
    """Let a second Ctrl-C end the process without waiting for anything.

    What a run has done is on disk before the next step begins, and its lock goes with the process.
    A process that has its own way with Ctrl-C, or a caller in another thread, is left alone.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    pressed = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            os.write(2, _ENDS)
            os._exit(Exit.INTERRUPTED)
        pressed = True
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
