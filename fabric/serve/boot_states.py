"""How many devices that start from the box are how far, for the page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.boot.log import State, read_log, states
from fabric.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class BootStates:
    """Counts of a log, read again when it changes.

    Parameters
    ----------
    path : Path
        The file that --boot-log names; it may come later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        #: A line for people; none when every device is verified.
        self.notes: list[str] = []

    def refresh(self, devices: Iterable[str]) -> None:
        """Read the log where it has changed."""
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                reached = Counter(states(read_log(self._path), devices).values())
                self.notes, self._stamp = _notes(reached), stamp
        except FileNotFoundError:
            self.notes, self._stamp = [], None
        except (OSError, InputError) as error:
            self.notes, self._stamp = [f"{self._path}: {error}"], None


def _notes(reached: Counter[State]) -> list[str]:
    if set(reached) <= {State.VERIFIED}:
        return []
    counts = (f"{reached[state]:,} {state.title}" for state in State if reached[state])
    return [f"from the box: {', '.join(counts)}"]
