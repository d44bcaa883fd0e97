"""From the events of the YAML parser to plain data with positions.

Events, not nodes: only they tell where an alias stands and whether a tag was written, and a
deeply nested file cannot exhaust the stack.

What an unquoted YAML word means to us, and the words that mean different things to others.

YAML 1.1 reads ``no`` as false, ``0123`` as 83 and ``1:30`` as 90; YAML 1.2 reads ``1e3`` as a
number where YAML 1.1 reads text. We read only what all readers agree on, and reject the rest.

Sources: YAML 1.1 type repository (yaml.org/type: bool, int, float, timestamp, null) and the core
schema of YAML 1.2.2, section 10.3.2.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import found, quoted
from fabric.intent.yaml.reasons import syntax_finding

if TYPE_CHECKING:
    from collections.abc import Iterator


Node = Any  # a value of the document, or one of the two marks below
Event = Any  # the events of the C parser are untyped
Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 32
_SHIFT = 32
_SURROGATE = re.compile("[\ud800-\udfff]")  # libyaml refuses these itself
_NO_KEY = object()
_DROPPED = object()


Scalar = str | int | float | bool | None
_WORDS: dict[str, Scalar] = {
    "true": True, "false": False, "": None, "~": None, "null": None, "Null": None, "NULL": None,
}  # fmt: skip
_BOOLEAN_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false"})
_LONGEST_WORD = 5
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,18})")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_QUOTE = "put it in quotes"
_QUOTE_OR_DECIMAL = "use a plain decimal number, or quotes if it is text"
_TRAPS = (
    (re.compile(r"[-+]?0[0-9]+"), "is read as an octal number by some parsers", _QUOTE_OR_DECIMAL),
    (
        re.compile(r"[-+]?0[xXoObB][0-9a-fA-F_]+"),
        "is read as a hexadecimal, octal or binary number by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(r"[-+]?(?=[0-9.]*_)[0-9][0-9_]*(?:\.[0-9_]*)?"),
        "is read as a number with underscores by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(
            r"[-+]?(?:[1-9][0-9_]*(?::[0-5]?[0-9])+|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)"
        ),
        "is read as a base-60 number by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
            r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*"
        ),
        "is read as a date by some parsers",
        _QUOTE,
    ),
    (
        re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)[eE][-+]?[0-9]+"),
        "is read as a number by some parsers and as text by others",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"),
        "is not a finite number",
        _QUOTE_OR_DECIMAL,
    ),
    (re.compile(r"[-+]?[1-9][0-9]{19,}"), "is a number of more than 19 digits", _QUOTE),
)


@dataclass(slots=True)
class Places:
    """Positions inside one mapping or list; line and column share one number to save memory."""

    start: int
    keys: dict[str | int, int] = field(default_factory=dict)
    values: dict[str | int, int] = field(default_factory=dict)
    children: dict[str | int, Places] = field(default_factory=dict)

    def find(self, path: tuple[str | int, ...], *, want_key: bool) -> tuple[int, int]:
        """Return line and column, both from 1, of the path or its nearest known ancestor."""
        node, place = self, self.start
        for part in path:
            if part not in node.values:
                break
            value = node.values[part]
            place = node.keys.get(part, value) if want_key else value
            if part not in node.children:
                break
            node = node.children[part]
        return (place >> _SHIFT) + 1, (place & ((1 << _SHIFT) - 1)) + 1

    def below(self, path: tuple[str | int, ...]) -> tuple[object, ...]:
        """Return where the key and the value at a path stand, and what is inside it."""
        if not path:
            return (self,)
        node = self
        for part in path[:-1]:
            node = node.children[part]
        last = path[-1]
        return node.keys.get(last), node.values[last], node.children.get(last)


@dataclass(slots=True)
class _Frame:
    container: dict[Any, Any] | list[Any]
    places: Places
    key: Any = _NO_KEY


class _TooDeepError(Exception):
    """The rest of the file is not read."""


class Builder:
    """Builds the data of one file and collects what is wrong with it."""

    def __init__(self, file: str, *, listed: bool = False, foreign: bool = False) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self._listed, self._foreign = listed, foreign
        self._root: list[Any] = []
        self._stack = [_Frame(self._root, Places(0))]

    def build(self, text: str) -> tuple[dict[str | int, Any], Places]:
        """Return the top-level mapping and its positions; empty when there are findings.

        A list, where one is asked for, comes as a mapping of places to items.
        """
        try:
            for event in self._events(text):
                self._take(event)
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # last two: PyYAML escapes
            self.findings.append(syntax_finding(error, text, self.file))
        except _TooDeepError:
            pass
        else:
            self._check_root()
        if self.findings:
            return {}, Places(0)
        root = self._root[0]
        places = self._stack[0].places.children[0]
        return (dict(enumerate(root)) if self._listed else root), places

    def _events(self, text: str) -> Iterator[Any]:
        loader = Loader(text)
        documents = 0
        try:
            while loader.check_event():
                event = loader.get_event()
                documents += isinstance(event, yaml.DocumentStartEvent)
                if documents > 1:
                    message = "the file contains more than one document"
                    self._add(
                        "INT009", event, message, "remove the line '---' and everything after it"
                    )
                    return
                yield event
        finally:
            loader.dispose()

    def _take(self, event: Event) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            if event.tag is not None or event.anchor is not None:
                self._check_node(event)
            self._attach(event, self._scalar(event), None)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._check_node(event)
            self._open(event, {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._stack.pop()
        elif kind is yaml.AliasEvent:
            self._refuse_reuse(event, f"the alias '*{event.anchor}' is not allowed")
            self._attach(event, _DROPPED, None)

    def _check_node(self, event: Event) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!", 1)
            message = f"the tag {quoted(tag)} is not allowed"
            self._add("INT004", event, message, "remove it; put text in quotes")
        if event.anchor is not None:
            self._refuse_reuse(event, f"the anchor '&{event.anchor}' is not allowed")

    def _refuse_reuse(self, event: Event, message: str) -> None:
        fix = "write the value in full; name ranges and inventory defaults avoid repetition"
        self._add("INT005", event, message, fix)

    def _scalar(self, event: Event) -> Node:
        if event.style or event.tag is not None:
            if event.style == '"' and _SURROGATE.search(event.value):
                message = "the text contains an escaped surrogate, half a character"
                self._add("INT001", event, message, "use the character itself")
            return event.value
        try:
            return plain_value(event.value)
        except TrapError as trap:
            if self._foreign:
                return event.value
            self._add("INT007", event, f"unquoted {quoted(event.value)} {trap}", trap.fix)
            return event.value

    def _open(self, event: Event, container: dict[Any, Any] | list[Any]) -> None:
        if len(self._stack) > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            self._add("INT010", event, message, "reduce the nesting")
            raise _TooDeepError
        places = Places(_packed(event))
        self._attach(event, container, places)
        self._stack.append(_Frame(container, places))

    def _attach(self, event: Event, value: Node, child: Places | None) -> None:
        """Put a node where it belongs: the next list item, the next key, or the key's value."""
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            key: Any = len(frame.container)
            frame.container.append(value)
        elif frame.key is _NO_KEY:
            frame.key = self._key(frame, event, value)
            return
        else:
            key, frame.key = frame.key, _NO_KEY
            if key is _DROPPED:
                return
            frame.container[key] = value
        frame.places.values[key] = _packed(event)
        if child is not None:
            frame.places.children[key] = child

    def _key(self, frame: _Frame, event: Event, key: Node) -> Node:
        """Return the key to store the next value under, or the mark that drops that value."""
        if key is _DROPPED:
            return _DROPPED
        if key == "<<" and not event.style:
            self._refuse_reuse(event, "the merge key '<<' is not allowed")
            return _DROPPED
        if isinstance(key, bool) or not isinstance(key, str | int):
            message = f"a key must be text or a whole number, found {found(key)}"
            self._add("INT010", event, message, "use text as the key, in quotes if necessary")
            return _DROPPED
        if key in frame.container:
            line = (frame.places.keys[key] >> _SHIFT) + 1
            message = f"the key {quoted(str(key))} is already set on line {line}"
            self._add("INT003", event, message, "remove one of them")
            return _DROPPED
        frame.places.keys[key] = _packed(event)
        frame.container[key] = None  # type: ignore[index]  # the frame of a mapping
        return key

    def _check_root(self) -> None:
        if not self._root or self._root[0] is None:
            message, place = "the file is empty", 0
        elif not isinstance(self._root[0], list if self._listed else dict):
            word = "list" if self._listed else "mapping"
            message = f"the top level must be a {word}, found {found(self._root[0])}"
            place = self._stack[0].places.values[0]
        else:
            return
        if not self.findings:
            line, column = (place >> _SHIFT) + 1, (place & ((1 << _SHIFT) - 1)) + 1
            fix = "use '- item'" if self._listed else "use 'key: value'"
            self._append("INT010", Position(self.file, line, column), message, fix)

    def _add(self, rule: str, event: Event, message: str, fix: str) -> None:
        mark = event.start_mark
        self._append(rule, Position(self.file, mark.line + 1, mark.column + 1), message, fix)

    def _append(self, rule: str, position: Position, message: str, fix: str) -> None:
        self.findings.append(Finding(rule, Severity.ERROR, message, fix, position=position))


def _packed(event: Event) -> int:
    mark = event.start_mark
    place: int = mark.line << _SHIFT | mark.column
    return place


class TrapError(ValueError):
    """An unquoted word that readers of YAML understand differently."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


def plain_value(text: str) -> Scalar:
    """Return the value of an unquoted scalar.

    Raises
    ------
    TrapError
        When YAML readers disagree about the word.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-.":
        if len(text) <= _LONGEST_WORD and text.lower() in _BOOLEAN_WORDS:
            message = "is read as a boolean by some parsers and as text by others"
            raise TrapError(
                message,
                "use true or false, a number where the field counts, or quotes if it is text",
            )
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
    for pattern, message, fix in _TRAPS:
        if pattern.fullmatch(text):
            raise TrapError(message, fix)
    return text
