"""The editor of a configuration that is made of lines; what a system has of its own, it adds.

A line is matched with the grammar of the open mode. A line with a key takes the place of the line
with the same key; a line that opens a mode enters it; the word of negation removes lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from fabric.book.grammar import InvalidInputError, LineRefusedError
from fabric.lab.lines.tree import Section, natural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.book.grammar import Grammar, Matched


class Editor:
    """Applies lines to a tree, as the configuration mode of a system does.

    Parameters
    ----------
    root : Section
        The tree to change.
    grammar : Grammar
        What the system accepts.

    Attributes
    ----------
    negations, leave : tuple of str
        Words that remove a line, and lines that leave a mode.
    comment : str
        Begins a line that says nothing.
    climbs : bool
        A line that the open mode does not know belongs to one of the modes around it.
    keeps_children : bool
        What stands below a section stays when its line changes.
    hidden : mapping
        Lines by mode that say what is so anyway; they are not shown.
    prefix : str
        Stands before the reason of a refusal, unless the reason begins with a percent sign.
    stack : list of list of Section
        Open modes; a line may open several sections at once.
    """

    negations: ClassVar[tuple[str, ...]] = ("no",)
    leave: ClassVar[tuple[str, ...]] = ("exit",)
    comment: ClassVar[str] = "!"
    climbs: ClassVar[bool] = False
    keeps_children: ClassVar[bool] = False
    hidden: ClassVar[Mapping[str, frozenset[str]]] = {}
    prefix: ClassVar[str] = "Error: "

    def __init__(self, root: Section, grammar: Grammar) -> None:
        self.root = root
        self.grammar = grammar
        self.stack: list[list[Section]] = [[root]]

    @property
    def context(self) -> Section:
        """The open section."""
        return self.stack[-1][0]

    def feed(self, line: str) -> None:
        """Apply one line.

        Raises
        ------
        LineRefusedError
            In the words of the system.
        """
        words = line.split()
        if not words or words[0].startswith(self.comment):
            return
        if " ".join(words) in self.leave:
            self.stack = self.stack[:-1] or self.stack
            return
        try:
            self._feed(words)
        except InvalidInputError as error:
            raise self.invalid(words, error) from None

    def _feed(self, words: list[str]) -> None:
        errors: list[InvalidInputError] = []
        for depth in range(len(self.stack), 0 if self.climbs else len(self.stack) - 1, -1):
            try:
                opened = self.apply(self.stack[depth - 1], words)
            except InvalidInputError as error:
                errors.append(error)
                continue
            self.stack = [*self.stack[:depth], *([opened] if opened else [])]
            return
        raise max(errors, key=lambda error: error.depth)

    def paste(self, line: str) -> None:
        """Apply one line of a text that is indented as the configuration is shown."""
        if line.strip() and not line.lstrip().startswith(self.comment):
            self.stack = self.stack[: len(line) - len(line.lstrip(" ")) + 1]
            self.feed(line)

    def apply(self, contexts: list[Section], words: list[str]) -> list[Section]:
        """Apply a line in some sections; return those that it opens."""
        mode = self.grammar[contexts[0].mode]
        try:
            matched = mode.match(words)
        except InvalidInputError as error:
            if words[0] not in self.negations or len(words) == 1:
                raise
            try:
                keys, longer = mode.match_removal(words[1:])
            except InvalidInputError as second:
                raise max(error, second, key=lambda e: e.depth) from None
        else:
            return [node for context in contexts for node in self.store(context, matched)]
        for context in contexts:
            self.remove(context, keys, longer=longer)
        return []

    def store(self, context: Section, matched: Matched) -> list[Section]:
        """Store a line in a section; return the sections that it opens."""
        opened = []
        for key, line, number in matched.entries():
            self.refuse(self.reason(context, line))
            mark, node = self.mark(context), context.children.get(key)
            if node is None or node.line != line:
                below = node.children if node is not None and self.keeps_children else {}
                node = context.children[key] = self.node(context, matched, line, number)
                node.children |= below
                self.arrived(context, node)
            if self.is_hidden(context, line):
                context.children.pop(key, None)
            elif matched.rule.opens:
                opened.append(node)
            self.settle(context, mark)
        return opened

    def remove(self, context: Section, keys: list[str], *, longer: bool) -> None:
        """Remove lines by their keys, and with ``longer`` those that begin with them."""
        for key in keys:
            names = [
                k for k in context.children if k == key or (longer and k.startswith(f"{key} "))
            ]
            for name in names:
                node = context.children.get(name)
                if node is not None:  # it may have gone with another one
                    self.refuse(self.removal_reason(context, node))
                    mark = self.mark(context)
                    del context.children[name]
                    self.left(context, node)
                    self.settle(context, mark)

    def refuse(self, reason: str) -> None:
        """Refuse a line when there is a reason.

        Raises
        ------
        LineRefusedError
            In the words of the system.
        """
        if reason:
            raise LineRefusedError(f"{'' if reason[0] == '%' else self.prefix}{reason}\n")

    # -- what a system adds ----------------------------------------------------------------------

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return what is raised for a line that no open mode knows."""
        return error

    def reason(self, context: Section, line: str) -> str:
        """Return why a line that fits the grammar does not fit the state; empty when it does."""
        return ""

    def removal_reason(self, context: Section, node: Section) -> str:
        """Return why a line cannot be removed; empty when it can."""
        return ""

    def is_hidden(self, context: Section, line: str) -> bool:
        """Tell whether a line says what is so anyway."""
        return line in self.hidden.get(context.mode, ())

    def node(self, context: Section, matched: Matched, line: str, number: int | None) -> Section:
        """Return the node of a line, with its place among its siblings."""
        return Section(line, matched.rule.opens, (matched.rule.rank, natural(line)))

    def arrived(self, context: Section, node: Section) -> None:
        """Bring along what comes with a line."""

    def left(self, context: Section, node: Section) -> None:
        """Take away what goes with a line."""

    def mark(self, context: Section) -> Any:
        """Return what `settle` is told of a section from before a change."""
        return None

    def settle(self, context: Section, mark: Any) -> None:
        """Adapt a section to a change."""


def feed_text(editor: Editor, text: str) -> None:
    """Apply a text of several lines.

    Raises
    ------
    ValueError
        When a line is refused; the lines before it are applied.
    """
    for number, line in enumerate(text.splitlines(), 1):
        try:
            editor.paste(line)
        except LineRefusedError as error:
            raise ValueError(f"line {number}: {line!r}: {str(error).strip()}") from error
