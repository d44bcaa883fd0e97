"""Faults that a stand-in takes from a script."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Literal

FaultKind = Literal[
    "cut_at_byte",  # close the session after `count` bytes of output
    "cut_at_command",  # close the session in place of answering
    "slow",  # wait `seconds` before answering
    "hang",  # never answer; the session stays open
    "drip",  # print a dot each `seconds` in place of answering, for ever
    "endless",  # print as fast as it goes in place of answering, for ever
    "pause",  # stop after `count` characters of the answer, go on after `seconds`
    "reboot",  # close all sessions, refuse connections for `seconds`, come back with startup config
    "refuse_line",  # refuse the command or configuration line with the system's own error text
    "accept_part",  # of a configuration of many lines or rows, apply only the first `count`
    "identity",  # answer with the identity `text` (hostname) in place of the own one
    "forget_save",  # say that it saved, and have its old startup configuration again
    "expire_timer",  # the running commit timer expires at once, as when its clock ran out
]


@dataclass(slots=True)
class Fault:
    """One fault.

    Parameters
    ----------
    kind : str
        What happens; the words are those of ``FaultKind``.
    pattern : str
        Regular expression that must match the command or line; empty matches all.
    nth : int
        The fault strikes at the n-th match, counted from 1 ...
    times : int
        ... and at the following ones, this many times in all; 0 means for ever.
    count : int
        Bytes (``cut_at_byte``), characters (``pause``) or lines (``accept_part``).
    seconds : float
        Duration for ``slow``, ``pause`` and ``reboot``, time between two dots for ``drip``.
    text : str
        Replacement text for ``identity``; error text for ``refuse_line`` (empty: the system's own).
    """

    kind: FaultKind
    pattern: str = ""
    nth: int = 1
    times: int = 1
    count: int = 0
    seconds: float = 0.0
    text: str = ""
    seen: int = 0

    def strikes(self, command: str) -> bool:
        """Count a match and tell whether the fault strikes now."""
        if self.pattern and not re.search(self.pattern, command):
            return False
        self.seen += 1
        if self.seen < self.nth:
            return False
        return self.times == 0 or self.seen < self.nth + self.times


@dataclass(slots=True)
class FaultScript:
    """The faults of one stand-in; safe to change while the stand-in serves."""

    faults: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, fault: Fault) -> None:
        """Add one fault."""
        with self._lock:
            self.faults.append(fault)

    def clear(self) -> None:
        """Forget all faults."""
        with self._lock:
            self.faults.clear()

    def strike(self, command: str, *kinds: FaultKind) -> Fault | None:
        """Return the first fault of the given kinds that strikes at this command, or None."""
        with self._lock:
            for fault in self.faults:
                if fault.kind in kinds and fault.strikes(command):
                    return fault
        return None
