"""Our lines merged into what runs, where other tools own the rest of the configuration.

A line is ours by the rules of the book that explain it. In a section that the inventory has, ours
go unless the inventory has them: lines that name nothing, such as ``shutdown``, and those that name
what the inventory has there, such as ``neighbor 10.0.0.1 bfd``. Other lines, those of other
neighbours, and whole sections that the inventory does not have stay as they run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.lines import NEVER, LineTree
from fabric.devices.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

    from fabric.core.lines import Path

_BEGIN = re.compile(r"\^(?:\\s[+*])?")


class TreeMerge(NamedTuple):
    """A configuration that is merged.

    Parameters
    ----------
    tree : LineTree
        The whole configuration.
    others : list of tuple of str
        Paths of lines of others that stay in sections of ours.
    """

    tree: LineTree
    others: list[Path]


class _About(NamedTuple):
    """What a line of ours is about: a thing with a name, or the words of the line."""

    words: str
    named: bool


def stem(line: str) -> str:
    """Return all words of a line but the value."""
    words = line.split()
    return " ".join(words[:-1] or words)


def indented(indent: str) -> Callable[[Path], tuple[str, ...]]:
    """Return what writes a line as its patterns have it, from its path."""

    def forms(path: Path) -> tuple[str, ...]:
        *above, line = path
        return (f"{indent * len(above)}{line}",)

    return forms


@dataclass(frozen=True, eq=False, kw_only=True)
class Scope:
    r"""What a system's patterns do not say about whose a line is.

    Parameters
    ----------
    system : str
        Folder of the templates.
    forms : callable
        From the path of a line to the texts in which its patterns are searched.
    sections : re.Pattern
        Sections by their first words, where a pattern does not name them: of two, both can be
        there. Not needed where the grammar of a system says what it keeps.
    alone : re.Pattern
        What is ours alone, by its name or because the lossless classes are: nothing else stays
        there, and it goes when it is not rendered. The words of a path.
    tenants : re.Pattern
        What is ours alone in a fabric with tenants. The words of a path.
    others : re.Pattern
        Lines of others although a pattern matches, such as a second address.
    tunnels : re.Pattern
        Further lines of others in a fabric without tenants.
    has_tenants : bool
        Whether the fabric has tenants.
    process : re.Pattern
        First lines of BGP; a switch has one.
    split : tuple
        First lines of ports, and what a line is about that splits such a port: it is ours with it.
    key : callable
        What a line without a pattern is about: it does not stay with one of ours.
    name : re.Pattern
        What in a pattern is a name, a number or an address. ``[0-7]`` is none: the queues of a
        port are ours.
    """

    system: str
    forms: Callable[[Path], Iterable[str]]
    alone: re.Pattern[str]
    sections: re.Pattern[str] = NEVER
    tenants: re.Pattern[str] = NEVER
    others: re.Pattern[str] = NEVER
    tunnels: re.Pattern[str] = NEVER
    has_tenants: bool = False
    process: re.Pattern[str] = NEVER
    split: tuple[re.Pattern[str], str] = (NEVER, "")
    key: Callable[[str], str] = stem
    name: re.Pattern[str] = re.compile(r"\\[Sd]")

    @cached_property
    def with_tenants(self) -> Self:
        """The scope in a fabric with tenants."""
        return replace(self, has_tenants=True)

    def merged(self, now: LineTree, wanted: LineTree) -> TreeMerge:
        """Return the configuration that is intended, with the lines of others.

        Parameters
        ----------
        now, wanted : LineTree
            What runs, and what is rendered.
        """
        port, words = self.split
        about = {_about(self, (line,)) for line in wanted.children} - {None}
        about |= {
            _About(match.expand(words), named=True)
            for line in wanted.children
            if (match := port.fullmatch(line))
        }
        both = LineTree({
            line: child
            for line, child in self._without_tenants(now).children.items()
            if line not in wanted.children
            and not self._is_alone((line,))
            and (
                child.children
                or self.sections.fullmatch(line)
                or _about(self, (line,)) not in about
            )
        })
        for line, child in wanted.children.items():
            both.children[line] = self._below((line,), now.children.get(line, LineTree()), child)
        ours = set(wanted.lines())
        others = [path for path in both.lines() if path[0] in wanted.children and path not in ours]
        return TreeMerge(both, others)

    def conflicts(self, now: LineTree, wanted: LineTree) -> tuple[str, ...]:
        """Return what to do about a BGP process that runs with another AS number."""
        return tuple(
            other_as(line)
            for line in now.children
            if self.process.fullmatch(line) and line not in wanted.children
        )

    def _without_tenants(self, now: LineTree, above: Path = ()) -> LineTree:
        """Return what runs without the VRFs of tenants, and without sections that had no more."""
        if not self.has_tenants:
            return now
        left = LineTree()
        for line, child in now.children.items():
            path = (*above, line)
            if not self.tenants.fullmatch(" ".join(path)):
                rest = self._without_tenants(child, path)
                if rest.children or not child.children:
                    left.children[line] = rest
        return left

    def _is_alone(self, path: Path) -> bool:
        words = " ".join(path)
        ours = self.has_tenants and self.tenants.fullmatch(words)
        return bool(ours or self.alone.fullmatch(words))

    def is_of_others(self, path: Path) -> bool:
        """Tell whether a line is one of others although a pattern matches."""
        words = " ".join(path)
        theirs = not self.has_tenants and self.tunnels.fullmatch(words)
        return bool(theirs or self.others.fullmatch(words))

    def _below(self, path: Path, now: LineTree, wanted: LineTree) -> LineTree:
        """Return the lines of a section that are wanted, then those of others."""
        if self._is_alone(path):
            return wanted
        both = LineTree({
            line: self._below((*path, line), now.children.get(line, LineTree()), child)
            for line, child in wanted.children.items()
        })
        ours = {one for line in wanted.children for one in self._subjects((*path, line))}
        for line, child in now.children.items():
            inner = (*path, line)
            if line not in wanted.children and not self._is_alone(inner):
                subject = self._subjects(inner)[0]
                if subject.named and subject not in ours:
                    both.children[line] = child
        return both

    def _subjects(self, path: Path) -> tuple[_About, ...]:
        """Return what a line is about by its pattern, if it has one, and by its words."""
        about, words = _about(self, path), _About(self.key(path[-1]), named=True)
        return (about, words) if about else (words,)


def other_as(line: str) -> str:
    """Return the conflict of a line with another AS number than that of the inventory."""
    return f"{line} runs, and the inventory has another AS number; correct one of them"


def notes(paths: Iterable[Path], between: str = ": ") -> tuple[str, ...]:
    """Return what a plan says of the lines of others."""
    return tuple(f"stays as it runs: {redacted(between.join(path))}" for path in paths)


@lru_cache(maxsize=65_536)
def _about(scope: Scope, path: Path) -> _About | None:
    """Return what a line is about; None where it is none of ours."""
    from fabric.render.explain import find  # with the template engine, which few changes need

    matches = [
        (re.search(entry.pattern, form), entry.pattern)
        for form in scope.forms(path)
        for entry in find(scope.system, form)
    ]
    known = [(match[0].split(), pattern) for match, pattern in matches if match]
    if not known or scope.is_of_others(path):
        return None
    plain = [words for words, pattern in known if not scope.name.search(pattern)]
    if plain:
        return _About(" ".join(plain[0]), named=False)
    words, pattern = known[0]
    parts = _BEGIN.sub("", pattern).split()
    until = next(at for at, part in enumerate(parts) if scope.name.search(part))
    return _About(" ".join(words[: until + 1]), named=True)
