"""Steps that are the same on many devices: one line for the first, and one for the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING

from fabric.core import hostlist

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class LikeSteps:
    """Shows the first of like steps when it happens, and the others as one line.

    They are shown before the next line of any kind. Threads of several devices may call this.

    Parameters
    ----------
    write : callable
        Writes a line for a device, or a range of them, and a text.
    """

    write: Callable[[str, str], None]

    _others: dict[str, list[str]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def add(self, device: str, text: str) -> None:
        """Take a step of a device."""
        with self._lock:
            if text in self._others:
                self._others[text].append(device)
            else:
                self.write(device, text)
                self._others[text] = []

    def show(self) -> None:
        """Show the steps that were not shown yet."""
        with self._lock:
            waiting = {text: names for text, names in self._others.items() if names}
            self._others |= {text: [] for text in waiting}
            for text, names in waiting.items():
                self.write(hostlist.in_short(names), text)

    def forget(self) -> None:
        """Take what comes next as new, as for another wave."""
        with self._lock:
            self.show()
            self._others.clear()
