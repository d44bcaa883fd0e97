"""The lines that turn one configuration into another, in an order that a switch accepts.

Assumed for every system: two interfaces cannot have overlapping addresses at any moment, so
addresses are removed before others are added. Texts of several lines, such as banners, are left as
they are: one line cannot carry them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.lines.binding import unbind, up_last
from fabric.change.lines.grammar import LayerChange
from fabric.core.lines import LineTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.change.lines.grammar import Grammar


def patch(grammar: Grammar, now: LineTree, target: LineTree) -> list[str]:
    """Return the lines to send, indented as the configuration is."""
    before = unbind(grammar, grammar.without_new_ports(now, target), target)
    lines = _Patch(grammar, before.left, target, before.moved).lines()
    pattern, spelling = grammar.spelling
    return [pattern.sub(spelling, line) for line in (*before.lines, *lines)]


@dataclass(frozen=True)
class _Patch:
    """One patch.

    Parameters
    ----------
    now, target : LineTree
        The configuration that runs, without what new ports lose, and the one to reach.
    moved : frozenset of str
        Sections of ports that change their VRF.
    """

    grammar: Grammar
    now: LineTree
    target: LineTree
    moved: frozenset[str]

    def lines(self) -> Iterator[str]:
        """Yield the lines, top-level section by section."""
        grammar = self.grammar
        removed = [
            line
            for line in self.now.children
            if line not in self.target.children and "\n" not in line
        ]
        first = [line for line in removed if self._goes_first(line)]
        yield from self._opening(removed)
        yield from map(grammar.negated, first)
        yield from self._addresses_removed(first)
        yield from self._sections(removed)
        for line in removed:
            if grammar.fixed.fullmatch(line):
                yield from self._section(line, LineTree())
        yield from map(grammar.negated, self._removed_last(removed, first))

    def _goes_first(self, line: str) -> bool:
        grammar = self.grammar
        return bool(grammar.first_removed.fullmatch(line)) and not grammar.fixed.fullmatch(line)

    def _opening(self, removed: list[str]) -> Iterator[str]:
        grammar = self.grammar
        added = [
            line
            for line in self.target.children
            if grammar.opening.fullmatch(line) and line not in self.now.children
        ]
        keys = set(map(grammar.key_of, added))
        for line in removed:
            if grammar.opening.fullmatch(line) and grammar.key_of(line) not in keys:
                yield grammar.negated(line)
        yield from added

    def _addresses_removed(self, removed: list[str]) -> Iterator[str]:
        for section, child in self.now.children.items():
            if not section.startswith("interface ") or section in removed:
                continue
            kept = self.target.children.get(section, LineTree()).children
            lost = [line for line in child.children if _is_address(line) and line not in kept]
            if lost:
                yield section
                for line in sorted(lost, key=lambda line: not line.endswith(" sub")):
                    yield f"{self.grammar.indent}{self.grammar.negated(line)}"

    def _sections(self, removed: list[str]) -> Iterator[str]:
        grammar = self.grammar
        unprinted = grammar.unprinted(self.now, "", self.now.children)
        order = _ranked(self.target.children, grammar.addition_order)
        for line in self._new_entries_first(order, removed):
            known = line in self.now.children
            if "\n" in line or (not known and line in unprinted) or grammar.opening.fullmatch(line):
                continue
            yield from map(grammar.negated, self._replaced(line, removed))
            if known:
                yield from self._section(line, self.target.children[line])
            else:
                yield line
                yield from self._all(self.target.children[line], 1)

    def _new_entries_first(self, lines: Iterable[str], removed: list[str]) -> Iterator[str]:
        later: list[str] = []
        for line in lines:
            if self._replaced(line, removed):
                later.append(line)
                continue
            if not self.grammar.entry.match(line):
                yield from later
                later.clear()
            yield line
        yield from later

    def _replaced(self, line: str, others: Iterable[str]) -> list[str]:
        """Return the other entries with the number of an entry."""
        entry = self.grammar.entry.match(line)
        return [old for old in others if entry and old != line and old.startswith(entry[0])]

    def _removed_last(self, removed: list[str], first: list[str]) -> list[str]:
        grammar, target = self.grammar, self.target.children
        keys = set(map(grammar.key_of, target))
        unprinted = grammar.unprinted(self.target, "", target)
        elsewhere = (grammar.opening, grammar.fixed, grammar.vanishing)
        last = [
            line
            for line in removed
            if line not in first
            and not any(pattern.fullmatch(line) for pattern in elsewhere)
            and grammar.key_of(line) not in keys
            and line not in unprinted
            and not self._replaced(line, target)
        ]
        return _ranked(last, grammar.removal_order)

    def _section(self, line: str, target: LineTree) -> list[str]:
        before = self.now.children[line]
        lines = list(self._changes(before, target, line, 1)) if before != target else []
        lines = up_last(self.grammar, lines) if line in self.moved else lines
        return [line, *lines] if lines else []

    def _changes(
        self, before: LineTree, target: LineTree, section: str, depth: int
    ) -> Iterator[str]:
        """Yield the lines below the first line of a section."""
        grammar, indent = self.grammar, self.grammar.indent * depth
        now = self._without_lost_peers(before, target)
        unprinted = grammar.unprinted(self.now, section, before.children)
        known = {*now.children, *unprinted}
        added = [line for line in target.children if line not in known]
        layer = next((line for line in added if self._is_layer(line)), "")
        if layer and grammar.layer_change is LayerChange.LOSES_ALL:
            yield f"{indent}{layer}"
            now = LineTree({line: LineTree() for line in now.children if line == "shutdown"})
            added = [line for line in target.children if line not in {*now.children, layer}]
        removed = list(self._removed(section, now, target, added))
        yield from (f"{indent}{grammar.negated(line)}" for line in removed)
        if layer and grammar.layer_change is LayerChange.IS_EMPTY:
            yield f"{indent}{layer}"
            added.remove(layer)
        if grammar.layer_change is LayerChange.LOSES_SETTINGS:
            again = any(map(self._is_layer, (*added, *removed)))
            added = list(target.children) if again else added
        for line, child in self._shrinking_first(now, target):
            if line in added:
                yield f"{indent}{line}"
                yield from self._all(child, depth + 1)
            elif line in now.children and now.children[line] != child:
                below = list(self._changes(now.children[line], child, line, depth + 1))
                yield from [f"{indent}{line}", *below] if below else ()

    def _is_layer(self, line: str) -> bool:
        return self.grammar.key_of(line) == self.grammar.layer

    def _without_lost_peers(self, now: LineTree, target: LineTree) -> LineTree:
        """Return a section without what is removed along with peers."""
        peer_of = self.grammar.peer.fullmatch
        lost = tuple(
            f"{peer[1]} "
            for line in now.children
            if line not in target.children and (peer := peer_of(line))
        )
        if not lost:
            return now
        left = now.copy()
        for node in (left, *left.children.values()):
            for line in [line for line in node.children if line.startswith(lost)]:
                if line in target.children or not peer_of(line):
                    del node.children[line]
        return left

    def _removed(
        self, section: str, now: LineTree, target: LineTree, added: list[str]
    ) -> Iterator[str]:
        """Yield the lines of a section to negate, in order."""
        grammar = self.grammar
        unprinted = grammar.unprinted(self.target, section, target.children)
        keys = {grammar.key_of(line) for line in added if not grammar.not_replaced.fullmatch(line)}
        lines = reversed(now.children) if grammar.backwards else now.children
        for line in sorted(lines, key=self._removal_rank):
            if line in target.children or line in unprinted or grammar.key_of(line) in keys:
                continue
            if not (_is_address(line) and section.startswith("interface ")):
                yield line  # see _addresses_removed

    def _removal_rank(self, line: str) -> int:
        return self._is_layer(line) - bool(self.grammar.removed_first.fullmatch(line))

    def _shrinking_first(self, now: LineTree, target: LineTree) -> list[tuple[str, LineTree]]:
        """Return the lines of a section, shares that shrink before those that grow."""

        def growth(item: tuple[str, LineTree]) -> int:
            line, child = item
            return self._share(child) - self._share(now.children.get(line, LineTree()))

        items = list(target.children.items())
        return sorted(items, key=growth) if any(self._share(child) for _, child in items) else items

    def _share(self, node: LineTree) -> int:
        shares = map(self.grammar.share.fullmatch, node.children)
        return sum(int(share[1]) for share in shares if share)

    def _all(self, node: LineTree, depth: int) -> Iterator[str]:
        for path in node.lines():
            yield f"{self.grammar.indent * (depth + len(path) - 1)}{path[-1]}"


def _is_address(line: str) -> bool:
    return line.startswith("ip address ")


def _ranked(lines: Iterable[str], order: tuple[str, ...]) -> list[str]:
    """Return lines in the order of their beginnings; of several the longest one counts."""

    def rank(line: str) -> int:
        return order.index(max(filter(line.startswith, order), key=len))

    return sorted(lines, key=rank)
