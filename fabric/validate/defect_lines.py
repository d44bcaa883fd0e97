"""Lines of a configuration, as tests of facts about defects ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.core.findings import Position
from fabric.defects.fact import fits
from fabric.observe.configuration.lossless import lossless_readers
from fabric.validate.origins import Place

if TYPE_CHECKING:
    from fabric.defects.conditions import ConfigCondition


class _Line(NamedTuple):
    number: int
    text: str
    under: str


class LinesContent:
    """Lines of a configuration.

    Parameters
    ----------
    file : str
        Path in messages.
    """

    def __init__(self, system: str, text: str, file: str = "") -> None:
        self._file = file
        self._lines = _lines(system, text)

    def holds(self, test: ConfigCondition) -> bool:
        """Tell whether a line fits a test; one about rows fits none."""
        return bool(test.line) and (self._first(test) is None) is test.absent

    def place(self, test: ConfigCondition) -> Place | None:
        """Return where the first line that fits stands."""
        line = None if test.absent else self._first(test)
        return Place("", Position(self._file, line.number)) if line else None

    def _first(self, test: ConfigCondition) -> _Line | None:
        fitting = (
            line
            for line in self._lines
            if fits(line.text, test.line) and (not test.under or fits(line.under, test.under))
        )
        return next(fitting, None)


def _lines(system: str, text: str) -> list[_Line]:
    """Return the lines of a configuration with the line that opens the section of each."""
    statements = lossless_readers[system].statements if system in lossless_readers else None
    if statements:
        return [_Line(number, words, "") for number, words in statements(text)]
    lines, above = [], list[tuple[int, str]]()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        if words:
            lines.append(_Line(number, words, above[-1][1] if above else ""))
            above.append((depth, words))
    return lines
