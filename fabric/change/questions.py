"""What gates ask devices, side by side; who has not answered for long is named."""

from __future__ import annotations

import time
from concurrent.futures import wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fabric.change.options import TELL_S
from fabric.core import hostlist

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

T = TypeVar("T")


@dataclass(frozen=True)
class Questions:
    """Asks devices of a run.

    Parameters
    ----------
    progress : callable
        Called with ``""`` for the run, and what a gate waits for.
    """

    executor: Executor
    progress: Callable[[str, str], None]

    def ask(self, gate: str, questions: Mapping[str, Callable[[], T]]) -> dict[str, T]:
        """Return the answer of each device.

        Parameters
        ----------
        gate : str
            Name of the gate that asks.
        questions : mapping of str to callable
            What asks a device, by its name.
        """
        futures = {name: self.executor.submit(question) for name, question in questions.items()}
        begin_s = time.monotonic()
        while silent := wait(futures.values(), TELL_S).not_done:
            names = hostlist.in_short(name for name, one in futures.items() if one in silent)
            waited_s = time.monotonic() - begin_s
            self.progress("", f"gate {gate}: waits for {names}, {waited_s:.0f} s so far")
        return {name: future.result() for name, future in futures.items()}
