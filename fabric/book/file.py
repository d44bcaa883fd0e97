r"""The book of a system as a file, which can be laid beside a reference of commands.

``lines.book`` has one rule in a line, below its mode, and what is known of it indented below it::

    [sources]
    guide = Acme command reference 9.3

    [if-ethernet if-vlan]
    mtu = <bytes:68-9214>
      routing .mtu_bytes | risk port flap
      ours interfaces: lossless.mtu.port_bytes
      source guide (default 1500)

`fabric.book.grammar` says how a rule is written. Below it stand, each in a line or between bars,

``ours TEMPLATE [if NAME=PATTERN ...]: FIELD ...``
    rocefab owns the line: the template that prints it, and the inventory fields that it follows
    from. Without a template it is ours and never printed. Several of them are tried in their order.
``source KEY [(REMARK)]``
    where the form of the line stands, by a key of ``[sources]``; there may be several.
``risk WORDS``
    what a change of it does to traffic; without it a brief loss.
``stays``
    never removed, whether rocefab adds it or not.
``shared``
    a row in which others may have fields too.
``in place``
    another value is taken while the switch runs, and touches nothing else.
``negate first``
    another value is not taken while the line is there.
``as above``
    what stands below the rule before it; what the rule has itself counts first.
``batfish misses it``
    Batfish may leave the line over: it says nothing of routing.

``routing MEANING``, ``lossless MEANING``
    what the readers of `prove` and of `audit` take from it (`fabric.observe.configuration.book`).

A rule behind ``? `` is one for readers alone: switches have such lines, the stand-in takes none. A
mode may come again: its rules have the order of the file. Below ``[hidden MODE ...]`` are lines
that say what is so anyway, which the running configuration does not show; below ``[kinds]`` the
arguments that this system alone has, each with the pattern of its word: ``lanes \d+(,\d+)*``.
``#`` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_HEADER = re.compile(r"\[(\S[^\]]*)\]")
_OURS = re.compile(
    r"ours(?: (?!if )(?P<template>\w+))?(?: if (?P<when>.+?))?(?::(?= |$)(?P<fields>.*))?"
)
_SOURCE = re.compile(r"(?P<key>[\w-]+)(?P<remark> \(.+\))?")
_TABLES = ("kinds", "sources", "hidden")
_READERS = ("routing ", "lossless ")
_MARKS = ("stays", "shared", "in place", "negate first", "batfish misses it")


class BookError(ValueError):
    """A book that is wrong; names file and line."""

    def __init__(self, file: object, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")


@dataclass(frozen=True, slots=True)
class Ours:
    """Why a line is ours: its template, empty where none prints it, and its inventory fields.

    ``when`` has the pattern of an argument by its name.
    """

    template: str
    fields: tuple[str, ...]
    when: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class RuleText:
    """A rule as it is written, with what stands below it."""

    line: int
    text: str
    modes: tuple[str, ...]
    ours: list[Ours] = field(default_factory=list)
    source: str = ""
    risk: str = ""
    marks: set[str] = field(default_factory=set)
    means: dict[str, str] = field(default_factory=dict)
    is_shown: bool = True


@dataclass(slots=True)
class Texts:
    """What a file holds.

    Parameters
    ----------
    rules : list of RuleText
        In their order.
    modes : dict of str to None
        All modes; one without rules takes no line.
    hidden : dict
        Lines by mode that the running configuration does not show.
    """

    rules: list[RuleText] = field(default_factory=list)
    hidden: dict[str, list[str]] = field(default_factory=dict)
    modes: dict[str, None] = field(default_factory=dict)

    def tables(self) -> dict[str, str]:
        """Return the rules of each mode as text, as a grammar takes them."""
        read = {mode for rule in self.rules if not rule.is_shown for mode in rule.modes}
        shown = {mode for rule in self.rules if rule.is_shown for mode in rule.modes}
        rows: dict[str, list[str]] = {mode: [] for mode in self.modes if mode not in read - shown}
        for rule in self.rules:
            for mode in rule.modes if rule.is_shown else ():
                rows[mode].append(rule.text)
        return {mode: "\n".join(lines) for mode, lines in rows.items()}


def read_texts(file: Path | Traversable) -> Texts:
    """Return what a book holds.

    Raises
    ------
    BookError
        When a line stands below no header, or is of no kind.
    """
    reader = _Reader(file)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            reader.take(number, line)
    names = "|".join(reader.kinds) or "(?!)"
    own = re.compile(rf"<([a-z_]+:)?({names})(,\.\.\.| \.\.\.)?>")
    for rule in reader.texts.rules:
        rule.text = own.sub(
            lambda kind: f"<{kind[1] or ''}~{reader.kinds[kind[2]]}{kind[3] or ''}>", rule.text
        )
    return reader.texts


class _Reader:
    """Takes a book line by line."""

    def __init__(self, file: Path | Traversable) -> None:
        self._file = file
        self._header: tuple[str, ...] = ()
        self._sources: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.texts = Texts()

    def take(self, number: int, line: str) -> None:
        """Take a line that says something."""
        if section := _HEADER.fullmatch(line):
            self._header = tuple(section[1].split())
            if self._header[0] not in _TABLES:
                self.texts.modes |= dict.fromkeys(self._header)
        elif not self._header:
            raise BookError(self._file, number, "a rule stands below the name of its mode")
        elif self._header[0] in _TABLES:
            self._entry(line)
        elif line.startswith(" "):
            for part in line.strip().split(" | "):
                self._below(number, part)
        else:
            text, is_shown = line.removeprefix("? "), not line.startswith("? ")
            self.texts.rules.append(RuleText(number, text, self._header, is_shown=is_shown))

    def _entry(self, line: str) -> None:
        """Take a line of a section that is no mode."""
        table, *modes = self._header
        if table == "kinds":
            name, pattern = line.split()
            self.kinds[name] = pattern
        elif table == "sources":
            key, _, words = line.partition(" = ")
            self._sources[key] = words
        else:
            for mode in modes:
                self.texts.hidden.setdefault(mode, []).append(line)

    def _below(self, number: int, line: str) -> None:
        """Take what a line below a rule says of it."""
        above, rule = ([None, None, *self.texts.rules])[-2:]
        if rule is None:
            raise BookError(self._file, number, "there is no rule above it")
        if ours := _OURS.fullmatch(line):
            rule.ours.append(_ours(ours))
        elif line.startswith("source "):
            words = self._source(number, line.removeprefix("source "))
            rule.source = f"{rule.source}; {words}" if rule.source else words
        elif line.startswith("risk "):
            rule.risk = line.removeprefix("risk ")
        elif line == "as above" and above:
            rule.ours, rule.source, rule.risk = [*above.ours], above.source, above.risk
            rule.marks, rule.means = {*above.marks}, {**above.means, **rule.means}
        elif line.startswith(_READERS):
            reader, _, words = line.partition(" ")
            rule.means[reader] = words
        elif line in _MARKS:
            rule.marks.add(line)
        else:
            raise BookError(self._file, number, f"{line!r} says nothing that is known of a rule")

    def _source(self, number: int, words: str) -> str:
        source = _SOURCE.fullmatch(words)
        if source is None or source["key"] not in self._sources:
            raise BookError(self._file, number, f"[sources] has no {words!r}")
        return self._sources[source["key"]] + (source["remark"] or "")


def _ours(words: re.Match[str]) -> Ours:
    pairs = [pair.partition("=") for pair in (words["when"] or "").split()]
    when = tuple((name, pattern) for name, _, pattern in pairs)
    return Ours(words["template"] or "", tuple((words["fields"] or "").split()), when)


def rules(module: str) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Return the rules and the hidden lines of each mode.

    Parameters
    ----------
    module : str
        ``__file__`` of the module that has ``grammar.txt`` beside it.

    Raises
    ------
    BookError
        When a line stands below no header.
    """
    texts = read_texts(Path(module).with_name("grammar.txt"))
    return texts.tables(), {mode: frozenset(lines) for mode, lines in texts.hidden.items()}
