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

``ours TEMPLATE [in MODE ...] [if NAME=PATTERN ...]: FIELD ...``
    rocefab owns the line: the template that prints it, and the inventory fields that it follows
    from. Without a template it is ours and never printed. Several of them are tried in their order.
    With ``in`` it is about some modes of the rule alone.
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
    what stands below the rule before it; what the rule has itself counts first, wherever it stands.
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
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.book import absent
from fabric.book.kinds import compiled
from fabric.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from fabric.book.absent import Absence

#: The mode in which a configuration begins.
TOP = "config"
#: The mode of rows, where a configuration is tables.
TABLES = "tables"
#: Who takes a meaning from lines.
READERS = ("routing", "lossless")
_HEADER = re.compile(r"\[(\S[^\]]*)\]")
_OURS = re.compile(
    r"ours(?: (?!if |in )(?P<template>\w+))?(?: in (?P<modes>[\w -]+?))?(?: if (?P<when>.+?))?"
    r"(?::(?= |$)(?P<fields>.*))?"
)
_KIND = re.compile(r"(?P<name>\w[\w-]*) (?P<words>\S+)")
_SOURCE_OF_KEY = re.compile(r"(?P<name>[\w-]+) = (?P<words>\S.*)")
_SOURCE = re.compile(r"(?P<key>[\w-]+)(?P<remark> \(.+\))?")
_SECTIONS = ("kinds", "sources", "hidden", "absent")
_MARKS = ("stays", "shared", "in place", "negate first", "batfish misses it")
_ABOVE = "as above"
#: What a change of a line may do to traffic.
RISKS = ("harmless", "brief loss", "port flap", "restart")


class BookError(InputError):
    """A book that is wrong; names file and line."""

    def __init__(self, file: object, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")


@dataclass(frozen=True, slots=True)
class Ours:
    """Why a line is ours: its template, empty where none prints it, and its inventory fields.

    ``when`` has the pattern of an argument by its name; ``modes`` those of the rule that it is
    about, empty for all.
    """

    template: str
    fields: tuple[str, ...]
    when: tuple[tuple[str, str], ...] = ()
    modes: tuple[str, ...] = ()


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

    def add(self, above: RuleText) -> None:
        """Add what stands below another rule; the own words come first."""
        self.ours += above.ours
        self.source = "; ".join(filter(None, (self.source, above.source)))
        self.risk = self.risk or above.risk
        self.marks |= above.marks
        self.means = {**above.means, **self.means}


@dataclass(slots=True)
class Texts:
    """What a file holds.

    Parameters
    ----------
    rules : list of RuleText
        In their order.
    modes : dict of str to int
        All modes, each with the line of its first header; one without rules takes no line.
    hidden : dict
        Lines by mode that the running configuration does not show, each with where it stands.
    absent : dict of str to Absence
        By key: what holds without a line.
    """

    rules: list[RuleText] = field(default_factory=list)
    hidden: dict[str, dict[str, int]] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    absent: dict[str, Absence] = field(default_factory=dict)

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
    for number, line in enumerate(_text(file).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            reader.take(number, line)
    reader.end()
    names = "|".join(reader.kinds) or "(?!)"
    own = re.compile(rf"<([a-z_]+:)?({names})(,\.\.\.| \.\.\.)?>")
    for rule in reader.texts.rules:
        rule.text = own.sub(
            lambda kind: f"<{kind[1] or ''}~{reader.kinds[kind[2]]}{kind[3] or ''}>", rule.text
        )
    return reader.texts


def _text(file: Path | Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BookError(file, line, "the line is not UTF-8") from None


class _Reader:
    """Takes a book line by line."""

    def __init__(self, file: Path | Traversable) -> None:
        self._file = file
        self._header: tuple[str, ...] = ()
        self._sources: dict[str, str] = {}
        self._said: set[str] = set()
        self._like_above: list[tuple[RuleText, RuleText]] = []
        self.kinds: dict[str, str] = {}
        self.texts = Texts()

    def end(self) -> None:
        """Finish what the whole file comes to."""
        for rule, above in self._like_above:
            rule.add(above)
        for key, absence in self.texts.absent.items():
            with self._placed(absence.at):
                absent.check(key, absence)

    def take(self, number: int, line: str) -> None:
        """Take a line that says something."""
        if section := _HEADER.fullmatch(line):
            self._header = tuple(section[1].split())
            if self._header[0] not in _SECTIONS:
                self.texts.modes = {**dict.fromkeys(self._header, number), **self.texts.modes}
            elif self._header == ("hidden",):
                raise BookError(self._file, number, "no mode is named: write [hidden MODE]")
        elif not self._header:
            raise BookError(self._file, number, "a rule stands below the name of its mode")
        elif self._header[0] in _SECTIONS:
            with self._placed(number):
                self._entry(number, line)
        elif line[0].isspace():
            with self._placed(number):
                for part in line.strip().split(" | "):
                    self._below(part)
        else:
            text, is_shown = line.removeprefix("? "), not line.startswith("? ")
            self.texts.rules.append(RuleText(number, text, self._header, is_shown=is_shown))
            self._said = set()

    def _entry(self, number: int, line: str) -> None:
        """Take a line of a section that is no mode."""
        table, *modes = self._header
        if table == "kinds":
            _name(self.kinds, _KIND.fullmatch(line), "a kind is NAME PATTERN, without spaces")
        elif table == "sources":
            _name(self._sources, _SOURCE_OF_KEY.fullmatch(line), "a source is KEY = WORDS")
        elif table == "absent":
            absent.take(self.texts.absent, line, number)
        else:
            for mode in modes:
                self.texts.hidden.setdefault(mode, {})[line] = number

    @contextmanager
    def _placed(self, number: int) -> Iterator[None]:
        """Name file and line of a mistake."""
        try:
            yield
        except ValueError as error:
            raise BookError(self._file, number, str(error)) from None

    def _below(self, line: str) -> None:
        """Take what a line below a rule says of it."""
        above, rule = ([None, None, *self.texts.rules])[-2:]
        if rule is None:
            raise ValueError("there is no rule above it")
        word, _, words = line.partition(" ")
        if ours := _OURS.fullmatch(line):
            rule.ours.append(_ours(ours))
        elif word == "source":
            rule.source = "; ".join(filter(None, (rule.source, self._source(words))))
        elif word == "risk":
            self._once(word)
            rule.risk = _risk(words)
        elif line == _ABOVE and above:
            self._once(line)
            self._like_above.append((rule, above))
        elif word in READERS and words:
            self._once(word)
            rule.means[word] = words
        elif line in _MARKS:
            rule.marks.add(line)
        else:
            raise ValueError(f"{line!r} says nothing that is known of a rule")

    def _once(self, word: str) -> None:
        if word in self._said:
            raise ValueError(f"`{word}` stands twice below the rule")
        self._said.add(word)

    def _source(self, words: str) -> str:
        source = _SOURCE.fullmatch(words)
        if source is None or source["key"] not in self._sources:
            raise ValueError(f"[sources] has no {words!r}")
        return self._sources[source["key"]] + (source["remark"] or "")


def _name(named: dict[str, str], entry: re.Match[str] | None, form: str) -> None:
    """Note what has a name."""
    if entry is None:
        raise ValueError(form)
    if entry["name"] in named:
        raise ValueError(f"{entry['name']!r} is there twice")
    named[entry["name"]] = entry["words"]


def _risk(words: str) -> str:
    if words not in RISKS:
        raise ValueError(f"the risk {words!r} is none of {', '.join(RISKS)}")
    return words


def _ours(words: re.Match[str]) -> Ours:
    pairs = [pair.partition("=") for pair in (words["when"] or "").split()]
    for name, sign, pattern in pairs:
        if not name or not sign:
            raise ValueError(f"{name!r} narrows nothing: write NAME=PATTERN behind `if`")
        compiled(pattern)
    when = tuple((name, pattern) for name, _, pattern in pairs)
    fields, modes = (tuple((words[part] or "").split()) for part in ("fields", "modes"))
    return Ours(words["template"] or "", fields, when, modes)
