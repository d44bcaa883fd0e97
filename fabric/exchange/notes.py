"""What a source has and an inventory has not: a warning for each kind, with the first names."""

from __future__ import annotations

from collections import defaultdict

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable

_SHOWN = 5
_MAX_NAME = 40


class Notes:
    """Names of objects under what is said of them, in the order of the source.

    Parameters
    ----------
    file : str
        The source, as messages show it.
    """

    def __init__(self, file: str) -> None:
        self._place = Position(file)
        self._names: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._others: list[Finding] = []

    def add(self, what: str, fix: str, name: str) -> None:
        """Note an object; ``what`` is true of all objects with the same one."""
        self._names[what, fix].append(name)

    def warn(self, message: str, fix: str) -> None:
        """Note something that is about no single object."""
        self._others.append(self._finding(message, fix))

    def all(self) -> tuple[Finding, ...]:
        """Return a warning for each kind, with the first names."""
        single = (
            self._finding(f"{what} ({len(names):,}): {shown(names)}", fix)
            for (what, fix), names in self._names.items()
        )
        return (*single, *self._others)

    def _finding(self, message: str, fix: str) -> Finding:
        return Finding("EXC012", Severity.WARNING, message, fix, position=self._place)


def shown(names: list[str]) -> str:
    """Return the first of some names."""
    first = ", ".join(printable(name)[:_MAX_NAME] for name in names[:_SHOWN])
    return first + (" ..." if len(names) > _SHOWN else "")
