"""What is odd about a file of readings that is read all the same: named once each, with a place."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Finding, Position, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

#: How many devices or ports a message names.
_NAMED = 8


class Oddity(Enum):
    """A kind: what it is, with the number of lines and the names, and what to do."""

    CUT = (
        "the last line is cut and ignored",
        "if the file is a copy, copy it again",
    )
    STRANGER = (
        "records of devices that the fabric does not have are ignored, {count} of {names}",
        "see that inventory and file belong together",
    )
    REPEATED = ("lines that are there again are ignored, {count} of {names}", "")
    SYSTEM = (
        "records of another system than in the inventory count where there are no others: {names}",
        "see that inventory and file belong together",
    )
    PORT = (
        "ports that the inventory does not give the device are ignored: {names}",
        "see that inventory and file belong together",
    )
    SAME_TIME = (
        "two records of one device have the same time, and the later line counts: {names}",
        "see whether two runs of `rocefab observe` wrote the file",
    )
    ORDER = (
        "records are not in the order of their times, and are taken in it: {names}",
        "",
    )
    CLOCK = (
        "rates.elapsed_s counts, and the times of the last two records differ from it: {names}",
        "see whether the clock jumped, or lines are missing",
    )
    NO_ELAPSED = (
        "the times of day count, as the last record has no rates.elapsed_s: {names}",
        "write both records in a run, by `rocefab observe --count 2 --out FILE`",
    )
    NO_TIME = (
        "the time between the last two records is not known, so that the last one counts: {names}",
        "write both records in a run, by `rocefab observe --count 2 --out FILE`",
    )

    @property
    def message(self) -> str:
        """What is odd, as a form."""
        return self.value[0]

    @property
    def fix(self) -> str:
        """What to do."""
        return self.value[1]


class Oddities:
    """Collects what is odd about a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> odd = Oddities(Path("readings.jsonl"))
    >>> odd.add(Oddity.REPEATED, 7, "leaf1")
    >>> odd.add(Oddity.REPEATED, 9, "leaf2")
    >>> print(*odd.findings())
    readings.jsonl:7:1: lines that are there again are ignored, 2 of leaf[1-2] [OBS002]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Oddity, list[tuple[int, str]]] = defaultdict(list)

    def add(self, kind: Oddity, line: int, name: str = "") -> None:
        """Take a line with the device that it is about."""
        self._places[kind].append((line, name))

    def of(self, kind: Oddity) -> Sequence[tuple[int, str]]:
        """Return the lines of a kind, with their devices."""
        return self._places.get(kind, ())

    def findings(self) -> list[Finding]:
        """Return a warning for each kind, at its first line."""
        return [
            Finding(
                "OBS002",
                Severity.WARNING,
                kind.message.format(count=len(places), names=folded(name for _, name in places)),
                kind.fix,
                position=Position(str(self.path), min(line for line, _ in places), 1),
            )
            for kind in Oddity
            if (places := self._places.get(kind))
        ]


def folded(names: Iterable[str]) -> str:
    """Return some of the names, folded, and how many more there are."""
    every = sorted(set(names))
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return f"{hostlist.fold_inside(every[:_NAMED])}{more}"
