"""Findings: what a check says, with the place in the input that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

#: Behind the field of a value that stands in no file.
_DEFAULT = " (default, not in the file)"


class Severity(IntEnum):
    """How bad a finding is; comparable, ``ERROR`` is the worst."""

    INFO = 10
    WARNING = 20
    ERROR = 30

    @property
    def word(self) -> str:
        """Lower-case name, as printed and as accepted by ``--fail-on``."""
        return self.name.lower()

    @classmethod
    def of_word(cls, word: str) -> Severity:
        """Return the severity of a word; raises KeyError for another one."""
        return cls[word.upper()]


def advised(first: str, other: str) -> str:
    """Return a text and what to do besides; after a question the second begins a sentence.

    Examples
    --------
    >>> advised("did you mean 'nodes'?", "see the page")
    "did you mean 'nodes'? See the page"
    >>> advised("remove it", "see the page")
    'remove it; see the page'
    """
    if not (first and other):
        return first or other
    return f"{first} {other[0].upper()}{other[1:]}" if first.endswith("?") else f"{first}; {other}"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in an input file; both count from 1, and line 0 stands for the file as a whole."""

    file: str
    line: int = 0
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or worth knowing.

    Parameters
    ----------
    rule : str
        Rule id such as ``QOS012``; never reused.
    severity : Severity
        How bad it is.
    message : str
        What is wrong, as a clause without a full stop.
    fix : str
        What to do about it; may be empty.
    field : str
        Dotted path of the inventory value, such as ``lossless.ecn.kmin_bytes``.
    position : Position or None
        Where that value stands in the inventory, where known.
    device, port : str
        The switch or host, and its port or NIC, where the finding has one.
    planned, running : str
        What the inventory wants and what the device has, where they are two values.
    is_default : bool
        Whether the value is a default that stands in no file; ``position`` is where it would be.
    also : tuple of str
        Devices, with a port where there is one, that it is about too: the message has their number.
    is_example : bool
        Whether device and port are one of many with the same cause, which the message names.
    """

    rule: str
    severity: Severity
    message: str
    fix: str = ""
    field: str = ""
    position: Position | None = None
    device: str = ""
    port: str = ""
    planned: str = ""
    running: str = ""
    is_default: bool = False
    also: tuple[str, ...] = ()
    is_example: bool = False

    @property
    def subject(self) -> str:
        """The device, and its port where there is one."""
        return " ".join(part for part in (self.device, self.port) if part)

    @property
    def sentence(self) -> str:
        """What it is about, what is wrong and what to do: all but its place and its rule."""
        field = f"{self.field}{_DEFAULT}" if self.field and self.is_default else self.field
        what = ": ".join(part for part in (field, self.subject, self.message) if part)
        return advised(what, self.fix)

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position and self.position.file else ""
        return f"{place}{self.sentence} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Rules that a run ignores, and who says that.

    ``place`` is the line of a file, or an option or variable in the place of a file.
    """

    rules: tuple[str, ...]
    place: Position


def worst(findings: tuple[Finding, ...] | list[Finding]) -> Severity | None:
    """Return the highest severity among the findings, or None when there are none."""
    return max((finding.severity for finding in findings), default=None)
