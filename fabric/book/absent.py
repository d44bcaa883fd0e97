"""What a system does where a line is absent, as its book says in the section ``[absent]``.

An entry is a key and the line that is not there; indented below it stand ``holds`` with the value,
``means`` with what that does, ``releases`` that the source is about, and ``source``::

    routed_mtu: mtu N
      holds 1500
      means a routed port takes packets of 1500 bytes
      source Acme guide, mtu

Without ``holds`` it is unknown, and what hangs on it is not judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ENTRY = re.compile(r"(?P<key>[a-z]\w*): (?P<line>\S.*)")
YES_NO = {"yes": True, "no": False}
_PARTS = ("holds", "means", "releases", "source")


@dataclass(slots=True)
class Absence:
    """What holds without a line.

    Parameters
    ----------
    line : str
        The line, as the system shows it.
    holds : bool, int or None
        What holds without it; None for unknown.
    means : str
        What that does, in words.
    releases : str
        Releases that the source is about.
    source : str
        Vendor page, or repository and path; empty where none tells it, and then nothing holds.
    at : int
        Line of the book.
    said : set of str
        What the book says of it.
    """

    line: str
    holds: bool | int | None = None
    means: str = ""
    releases: str = "all"
    source: str = ""
    at: int = 0
    said: set[str] = field(default_factory=set)


def take(absences: dict[str, Absence], text: str, at: int) -> None:
    """Take a line of the section.

    Raises
    ------
    ValueError
        When it says nothing that is known of a line that is absent.
    """
    entry = _ENTRY.fullmatch(text)
    if entry:
        if entry["key"] in absences:
            raise ValueError(f"{entry['key']}: the key is there twice")
        absences[entry["key"]] = Absence(entry["line"], at=at)
        return
    part, _, words = text.strip().partition(" ")
    if not text.startswith(" ") or part not in _PARTS or not words or not absences:
        raise ValueError(f"{text.strip()!r} says nothing that is known of a line that is absent")
    last = [*absences.values()][-1]
    if part in last.said:
        raise ValueError(f"`{part}` stands twice below the line")
    last.said.add(part)
    if part == "holds":
        last.holds = _value(words)
    else:
        setattr(last, part, words)


def _value(words: str) -> bool | int:
    if words in YES_NO:
        return YES_NO[words]
    if not words.isdecimal():
        raise ValueError(f"{words!r} is no value: write yes, no or a number")
    return int(words)


def check(key: str, absence: Absence) -> None:
    """Refuse a value without a source, and a line of which nothing is said.

    Raises
    ------
    ValueError
        Naming the key.
    """
    if absence.holds is not None and not absence.source:
        raise ValueError(f"{key}: a value without a source is unknown: leave `holds` out")
    if not absence.means:
        raise ValueError(f"{key}: what the absence means is missing")
