"""Readers that are made from a book: what each line means, and what to do with it.

A rule says what it means to a reader:

``nothing``
    it is passed over, with everything inside.
``unread``
    it is not understood, where a rule below it would pass over it.
``.FIELD``
    its argument is the value of a field of the target.
``.FIELD yes``, ``.FIELD no``
    it switches a field, and its negation switches it back.
``NAME``, ``NAME either way``
    a function of the reader takes its arguments by their names; ``no`` is one of them where its
    negation means something too. What the function returns is the target of the lines inside.

A rule that says nothing of the kind is not understood: its lines are left over.
"""

from __future__ import annotations

from functools import cached_property, partial
from inspect import Parameter, signature
from typing import TYPE_CHECKING

from fabric.book.absent import YES_NO
from fabric.book.book import Book, BookRule, books
from fabric.book.file import TOP
from fabric.observe.configuration.blocks import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fabric.observe.configuration.blocks import Action

_EITHER_WAY = "either way"
_NO_FUNCTIONS = ("nothing", "unread")


class BookReader:
    """What the lines of a system mean to a reader.

    Parameters
    ----------
    reader : str
        ``routing`` or ``lossless``.
    negation : str
        The word that negates a line.
    topics : mapping, optional
        What the reader is about, by mode: patterns of how lines begin. Others are passed over
        where no rule takes them. In a mode without topics every line counts.
    """

    def __init__(
        self, system: str, reader: str, negation: str, topics: Mapping[str, str] | None = None
    ) -> None:
        self._book: Book = books()[system]
        self.system, self.kind = system, reader
        self._topics = topics or {}
        self._reader, self._negation = reader, negation
        self._actions: dict[str, Action] = {}
        self._contexts: dict[str, Context] = {}

    def means(self, name: str) -> Callable[[Action], Action]:
        """Return a decorator of what lines of a meaning do."""

        def decorate(action: Action) -> Action:
            self._actions[name] = action
            return action

        return decorate

    def takes(self, rule: BookRule) -> set[str]:
        """Return the named arguments of a rule that this reader looks at."""
        names = {part.name for one in rule.rule.variants for part in one.elements} - {""}
        meaning = rule.known.means.get(self._reader, "").partition(" ")[0]
        if meaning.startswith("."):
            return names
        parameters = (
            signature(self._actions[meaning]).parameters if meaning in self._actions else {}
        )
        if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
            return names
        return names & parameters.keys()

    @cached_property
    def top(self) -> Context:
        """Return the table of the lines of a whole configuration.

        Raises
        ------
        BookError
            When the book has a meaning that is not known here, or that does not fit its function.
        ValueError
            When the book has no line for what is known here.
        """
        context = self._context(TOP)
        meanings = (rule.known.means.get(self._reader, "") for rule in self._book.rules)
        if unused := self._actions.keys() - {words.partition(" ")[0] for words in meanings}:
            raise ValueError(f"no line of {self._book.system} means {', '.join(sorted(unused))}")
        return context

    def _context(self, mode: str) -> Context:
        if mode not in self._contexts:
            context = self._contexts[mode] = Context()
            for rule in self._book.rules:
                if mode in rule.known.modes and self._reader in rule.known.means:
                    self._add(context, rule)
            if mode in self._topics:
                context.passes_over(rf"(?!{self._topics[mode]}).*")
        return self._contexts[mode]

    def _add(self, context: Context, rule: BookRule) -> None:
        name, _, more = rule.known.means[self._reader].partition(" ")
        for message in self._mistakes(rule, name, more):
            raise self._book.mistake(rule, message)
        if name == "nothing":
            context.passes_over(*rule.lines())
            return
        is_negative = rule.known.text.startswith(f"{self._negation} ")
        undone = rf"(?P<no>{self._negation} )?" if more and not is_negative else ""
        patterns = [f"{undone}{line}" for line in rule.lines()]
        inside = self._context(rule.rule.opens) if rule.rule.opens else None
        if name == "unread":
            action: Action = _leave
        elif name.startswith("."):
            action = partial(_set, name[1:], YES_NO.get(more), rule.numbers)
        else:
            action = self._actions[name]
        context.line(*patterns, inside=inside)(action)

    def _mistakes(self, rule: BookRule, name: str, more: str) -> Iterator[str]:
        """Yield what is wrong with the meaning of a rule."""
        is_field = name.startswith(".")
        if not is_field and name not in {*_NO_FUNCTIONS, *self._actions}:
            yield f"no reader of {self._reader} takes {name!r}"
            return
        known = YES_NO if is_field else () if name in _NO_FUNCTIONS else (_EITHER_WAY,)
        if more and more not in known:
            yield f"{more!r} is none of the words behind a meaning: {', '.join(known) or 'none'}"
        spellings = [{part.name for part in one.elements} - {""} for one in rule.rule.variants]
        if is_field and not more and not all(spellings):
            yield f"no argument of the line has a name, so {name} has no value"
        if name not in self._actions:
            return
        needed, taken = _parameters(self._actions[name], {"no"} if more else set())
        for names in spellings:
            if missing := needed - names:
                yield f"{name} needs {', '.join(sorted(missing))}, which a spelling does not have"
            if taken is not None and names - taken:
                yield f"{name} does not take {', '.join(sorted(names - taken))}"


def _parameters(action: Action, given: set[str]) -> tuple[set[str], set[str] | None]:
    """Return the names that a function needs from a line, and those that it takes: None for all."""
    _, _, *parameters = signature(action).parameters.values()
    kinds = {one.kind for one in parameters}
    words = [
        one
        for one in parameters
        if one.kind not in {Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL}
    ]
    needed = {one.name for one in words if one.default is Parameter.empty} - given
    return needed, None if Parameter.VAR_KEYWORD in kinds else {one.name for one in words}


def _leave(*_: object, **__: str | None) -> None:
    raise ValueError("a line that is not understood")


def _set(
    field: str,
    switch: bool | None,  # noqa: FBT001
    numbers: frozenset[str],
    target: object,
    _: int,
    **words: str | None,
) -> None:
    """Set a field of a target to the argument of a line, or switch it."""
    if switch is not None:
        setattr(target, field, switch is not bool(words.get("no")))
    for name, word in words.items() if switch is None else ():
        setattr(target, field, int(word) if word and name in numbers else word)
