"""Settings of a device that are not as planned: a line in place of another is one setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.report.moved_sections import is_line, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.change.model import Change
    from fabric.report.explain import Answer


@dataclass(frozen=True, slots=True)
class DriftedSetting:
    """What runs, and what is planned.

    Parameters
    ----------
    running, planned : str
        Empty where there is none.
    lines : tuple of str
        The whole lines of the configuration, where the values are parts of lines.
    origin : Answer or None
        Where the planned value comes from, where that is known.
    is_line : bool
        Whether the path says all: it ends with the line.
    """

    path: str
    running: str
    planned: str
    lines: tuple[str, ...]
    origin: Answer | None
    is_line: bool = False

    def __str__(self) -> str:
        """Return the difference in words, the same for every system."""
        if self.running and self.planned:
            return f"{self.path}: runs {self.running}, planned {self.planned}"
        word = "runs, not planned" if self.running else "planned, does not run"
        value = "" if self.is_line else f" = {self.running or self.planned}"
        return f"{word}: {self.path.rstrip('|')}{value}"


def drifted_settings(
    changes: Sequence[Change], origins: Sequence[Answer | None]
) -> Iterator[DriftedSetting]:
    """Yield the settings of changes that lead from what runs to what is planned.

    Parameters
    ----------
    origins : sequence of Answer or None
        Of each change; empty where none is known.
    """
    pairs = {pair.going: pair for pair in replaced(changes)}
    coming = {pair.coming for pair in pairs.values()}
    origin = dict(zip(changes, origins, strict=False))
    for change in changes:
        lines = (change.before, change.after)
        if pair := pairs.get(change):
            lines = (change.before, pair.coming.after)
            known = origin.get(pair.coming)
            yield DriftedSetting(pair.path, pair.before, pair.after, lines, known)
        elif change not in coming:
            known = origin.get(change)
            yield DriftedSetting(change.path, *lines, lines, known, is_line(change))
