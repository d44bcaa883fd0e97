"""What a system's show commands print, what is read from it, and how it may be damaged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import Optic
from tests.reference import reference

SAMPLES = Path(__file__).parents[1] / "observe" / "samples"


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The samples of one system: parser and value by name, and the damage that they are put to."""

    nos: str
    cases: Mapping[str, tuple[Callable[[str], Any], Any]]
    pieces: Sequence[str]
    #: Nothing in these outputs counts their rows: what is missing as a whole cannot be seen.
    uncounted: Collection[str]
    part_of: Callable[[str, Any, Any], bool]
    wrong: Sequence[tuple[str, str, str]] = ()
    others: Sequence[str] = ()
    marks: Sequence[str] = ()
    marked: Collection[str] = ()
    #: Cases whose lines are taken away one by one, and the first that is.
    lines: Mapping[str, int] = field(default_factory=dict)
    rubbish: Collection[str] = ()
    #: The cases have no values: the whole sample is read, and other tests say that it is right.
    only_damaged: bool = False
    #: Files of the samples that are not named as their case.
    files: Mapping[str, str] = field(default_factory=dict)

    def sample(self, name: str) -> str:
        """Return the text of a sample."""
        file = SAMPLES / self.nos / self.files.get(name, name)
        return file.read_text(encoding="utf-8")

    def whole(self, name: str) -> Any:
        """Return what the whole sample says."""
        parse, value = self.cases[name]
        return parse(self.sample(name)) if self.only_damaged else value

    def read(self, name: str, text: str) -> Any:
        """Return the value, or None when it is unreadable; any other exception fails the test."""
        try:
            return self.cases[name][0](text)
        except UnreadableError:
            return None


def optics_part(found: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """Tell whether optics say nothing that the whole does not: fields or last lanes are missing."""
    return all(
        seen is None or seen == real or (isinstance(seen, tuple) and real[: len(seen)] == seen)
        for port, optic in found.items()
        for seen, real in (
            (getattr(optic, name), getattr(whole[port], name)) for name in Optic.__slots__
        )
    )


def recordings(folder: str) -> set[str]:
    """Return the names of the recorded outputs in a folder of the reference data."""
    root = reference("fixtures", folder)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
