"""The grammar of a configuration that is lines below lines, as data for each system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from fabric.change.model import Risk
from fabric.core.lines import NEVER, LineTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: A line by its words, and what negates it. The groups of the pattern are what the line is about:
#: of two lines with the same ones the later replaces the earlier.
Form: TypeAlias = tuple[re.Pattern[str], str]


def either(*patterns: str) -> re.Pattern[str]:
    """Return a pattern that matches where one of several does."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def valued(negation: str, *words: str, end: str = "(?= )") -> tuple[Form, ...]:
    r"""Return the forms of lines with one value: the words that begin them, then the value.

    Parameters
    ----------
    negation : str
        What negates a line; ``\1`` are its words, ``\g<0>`` is the whole line.
    words : str
        Regular expressions without groups that are captured.
    end : str
        What follows the words.
    """
    return tuple((re.compile(f"({word}){end}.*"), negation) for word in words)


class LayerChange(Enum):
    """What a port does when it changes between switched and routed."""

    #: Loses all but `shutdown`: the line goes first, then all others again (Comware).
    LOSES_ALL = auto()
    #: Is empty by then: the line goes between what is negated and what is added (VRP8).
    IS_EMPTY = auto()
    #: Loses its settings: all lines go again, in their order (NX-OS).
    LOSES_SETTINGS = auto()


def _nothing_implied(_root: LineTree, _section: str, _printed: set[str]) -> Iterable[str]:
    return ()


def _as_it_runs(now: LineTree, _wanted: LineTree) -> LineTree:
    return now


@dataclass(frozen=True, eq=False, kw_only=True)
class Grammar:
    """What a system does with lines.

    Parameters
    ----------
    negation : str
        The word that negates a line.
    owned, kept : re.Pattern
        Top-level lines that rocefab writes, and those of them that stay when no design asks for
        them.
    risks : tuple
        Risk in words, and beginnings of lines that have it; the first match counts, and what is not
        there means a brief loss.
    forms : tuple of Form
        Lines that replace each other, or that are negated in another way than by the word before
        the line, at any depth; the first match counts.
    toggles : re.Pattern
        Lines that their own negation replaces.
    indent : str
        Of one level.
    server : re.Pattern
        Lines that name a server; the groups say which. How it is reached stays as it runs.
    server_vrf : re.Pattern
        What stands in a line whose VRF the inventory names: that VRF replaces what runs.
    defaults : tuple
        By sections, as regular expressions, lines that hold although they are not printed.
    implied : callable
        Further ones, from the whole configuration, the first line of a section (empty for the top
        level) and what is printed in it.
    without_new_ports : callable
        From what runs and what is intended to what is left of the first once ports were made anew.
    opening : re.Pattern
        Top-level lines that change before all others: other ports exist after them.
    first_removed : re.Pattern
        Sections whose removal makes room for what is added.
    fixed : re.Pattern
        Sections that cannot be removed, only emptied.
    vanishing : re.Pattern
        Sections that are removed along with a line elsewhere.
    addition_order, removal_order : tuple of str
        Beginnings of top-level lines in the order in which they are added or removed; empty for all
        others.
    entry : re.Pattern
        Numbered entries of a list, up to their number. A list never runs empty: what comes with a
        new number is added before entries are replaced.
    backwards : bool
        Whether a section is emptied from its end.
    removed_first : re.Pattern
        Lines of a section that are negated before all others of it.
    not_replaced : re.Pattern
        Lines with a form that must nevertheless be negated before another one is added.
    peer : re.Pattern
        Lines of a section whose removal takes along all others, there and one level below, that
        begin with the same words: the group.
    layer : str
        What the line is about that switches a port between switched and routed.
    layer_change : LayerChange
        What a port does then.
    share : re.Pattern
        Lines of shares, whose sum is limited at any moment; the group is the number. What shrinks
        is sent before what grows.
    spelling : tuple
        A pattern and its replacement, for lines that are sent.
    binding : re.Pattern
        Lines of a port that bind it to a VRF.
    bound : re.Pattern
        Lines of a port that it may lose when it is bound to another VRF.
    address : re.Pattern
        Those of them that are addresses.
    vni : re.Pattern
        Lines of a section that give VRFs their VNI: they go before all others.
    """

    negation: str
    owned: re.Pattern[str]
    kept: re.Pattern[str]
    risks: tuple[tuple[str, tuple[str, ...]], ...]
    forms: tuple[Form, ...]
    toggles: re.Pattern[str]
    indent: str = " "
    server: re.Pattern[str] = NEVER
    server_vrf: re.Pattern[str] = NEVER
    defaults: tuple[tuple[str, str], ...] = ()
    implied: Callable[[LineTree, str, set[str]], Iterable[str]] = _nothing_implied
    without_new_ports: Callable[[LineTree, LineTree], LineTree] = _as_it_runs
    opening: re.Pattern[str] = NEVER
    first_removed: re.Pattern[str] = NEVER
    fixed: re.Pattern[str] = NEVER
    vanishing: re.Pattern[str] = NEVER
    addition_order: tuple[str, ...] = ("",)
    removal_order: tuple[str, ...] = ("",)
    entry: re.Pattern[str] = NEVER
    backwards: bool = False
    removed_first: re.Pattern[str] = NEVER
    not_replaced: re.Pattern[str] = NEVER
    peer: re.Pattern[str] = NEVER
    layer: str = ""
    layer_change: LayerChange = LayerChange.IS_EMPTY
    share: re.Pattern[str] = NEVER
    spelling: tuple[re.Pattern[str], str] = (NEVER, "")
    binding: re.Pattern[str] = NEVER
    bound: re.Pattern[str] = NEVER
    address: re.Pattern[str] = re.compile(r"ip(?:v6)? address .*")
    vni: re.Pattern[str] = NEVER

    def key_of(self, line: str) -> str:
        """Return what a line is about: of two lines with one key the later replaces the earlier."""
        return _described(self, line)[0]

    def negated(self, line: str) -> str:
        """Return what negates a line."""
        return _described(self, line)[1]

    def risk_of(self, line: str) -> Risk:
        """Return what a changed line, or its negation, does to traffic."""
        whole = f"{line} "  # a negation may end where the value stood
        positive = whole.removeprefix(f"{self.negation} ")
        for risk, beginnings in self.risks:
            if whole.startswith(beginnings) or positive.startswith(beginnings):
                return Risk.from_word(risk)
        return Risk.BRIEF_LOSS

    def unprinted(self, root: LineTree, section: str, lines: Iterable[str]) -> set[str]:
        """Return the lines that hold in a section although they are not printed.

        Parameters
        ----------
        root : LineTree
            The whole configuration.
        section : str
            First line of the section; empty for the top level.
        lines : iterable of str
            What is printed in it.
        """
        printed = set(lines)
        unprinted = {*_defaults(self, section), *self.implied(root, section, printed)}
        keys = set(map(self.key_of, printed)) if unprinted else ()
        return {line for line in unprinted if self.key_of(line) not in keys}

    def compose(
        self,
        running: LineTree,
        intended: LineTree,
        *,
        keeps: Callable[[str], bool] = lambda _: False,
    ) -> LineTree:
        """Return the whole configuration that is intended.

        What is not ours is kept as it runs, and how a server is reached.

        Parameters
        ----------
        running, intended : LineTree
            What runs, and what is rendered.
        keeps : callable
            Tells which further top-level lines are not ours.
        """
        servers = {
            server.groups(): line
            for line in running.children
            if (server := self.server.fullmatch(line))
        }
        whole = LineTree({
            line: section
            for line, section in running.children.items()
            if line not in intended.children
            and (not self.owned.fullmatch(line) or self.kept.fullmatch(line) or keeps(line))
        })
        for line, section in intended.children.items():
            server = self.server.fullmatch(line)
            now = servers.get(server.groups(), line) if server else line
            differs = self.server_vrf.search(line) and not {*line.split()} <= {*now.split()}
            whole.children[line if differs else now] = section
        return whole


@lru_cache(maxsize=4096)
def _defaults(grammar: Grammar, section: str) -> tuple[str, ...]:
    return tuple(line for sections, line in grammar.defaults if re.fullmatch(sections, section))


@lru_cache(maxsize=65_536)
def _described(grammar: Grammar, line: str) -> tuple[str, str]:
    """Return what a line is about, and what negates it."""
    word = f"{grammar.negation} "
    positive = line.removeprefix(word)
    negated = positive if line.startswith(word) else f"{word}{line}"
    toggles = grammar.toggles.fullmatch(positive)
    for pattern, negation in grammar.forms:
        match = pattern.fullmatch(positive if toggles else line)
        if match:
            key = " ".join(group for group in match.groups() if group)
            return key, negated if positive != line else match.expand(negation)
    return positive if toggles else line, negated
