"""A file as paths of words: lines of ``nv set`` and ``nv unset``, or a tree of YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.json_text import MAX_DEPTH
from fabric.intent.yaml.tree import Loader
from fabric.observe.configuration.blocks import Block
from fabric.observe.parsers import UnreadableError
from fabric.systems.cumulus.platforms.lines import paths, split, whole_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.systems.cumulus.platforms.lines import Path

#: Values that a file may set; a limit that we chose: 512 ports with 100 values each have 51,200.
MOST_VALUES = 1 << 20
#: Commands in a script of ``nv`` that set nothing (NVUE CLI reference).
_OF_A_SCRIPT = ("action", "config", "list-commands", "show")


def paths_of(text: str) -> list[Block]:
    """Return one block for each value that a file sets; what it unsets later is left out.

    Raises
    ------
    UnreadableError
        When it is neither of the two forms, or sets more than `MOST_VALUES`.
    """
    standing: dict[Path, int] = {}
    unset: dict[Path, int] = {}
    count = 0
    for number, verb, words in _lines(text) if is_lines(text) else _tree(text):
        try:
            values = list(paths(words))
        except ValueError as error:
            raise UnreadableError(f"line {number}: {error}") from error
        count += len(values)
        if count > MOST_VALUES:
            raise UnreadableError(f"line {number}: more than {MOST_VALUES:,} values")
        for path in values:
            if verb == "set":
                standing.pop(path, None)
            (standing if verb == "set" else unset)[path] = number
    return [
        Block(number, " ".join(path))
        for path, number in standing.items()
        if not unset
        or all(unset.get(path[:length], 0) < number for length in range(1, len(path) + 1))
    ]


def is_lines(text: str) -> bool:
    """Return whether a text is lines of ``nv``, and not YAML."""
    return bool(re.search(r"^nv (un)?set ", text, re.MULTILINE))


def _lines(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield number, verb and words of each line.

    Raises
    ------
    UnreadableError
        When a line is not a line of NVUE.
    """
    for number, row in _rows(text):
        program, verb, *words = [*split(row), "", ""]
        words = [word for word in words if word]
        if program == "nv" and verb in _OF_A_SCRIPT:
            continue
        if program != "nv" or verb not in ("set", "unset") or not words:
            raise UnreadableError(f"line {number} is not a line of NVUE: {row.strip()[:80]!r}")
        yield number, verb, words


def _rows(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that is no comment.

    Raises
    ------
    UnreadableError
        When a message has no end.
    """
    try:
        for number, row in whole_rows(text):
            if row.strip() and not row.lstrip().startswith("#"):
                yield number, row
    except ValueError as error:
        raise UnreadableError(str(error)) from error


def _tree(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line, verb and words of each leaf of a YAML text: the ``set`` part, or a mapping.

    Raises
    ------
    UnreadableError
        When it is no such text.
    """
    try:
        _check_events(text)
        root = yaml.compose(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise UnreadableError(f"neither lines of NVUE nor YAML: {error}") from error
    parts = root.value if isinstance(root, yaml.SequenceNode) else [root]
    trees = [
        value
        for part in parts
        if isinstance(part, yaml.MappingNode)
        for key, value in part.value
        if key.value == "set"
    ]
    if not trees:
        raise UnreadableError("there is no `set` part")
    for tree in trees:
        for number, words in _leaves(tree):
            yield number, "set", words


def _check_events(text: str) -> None:
    """Refuse what `yaml.compose` would follow without end.

    Raises
    ------
    UnreadableError
        When there is an anchor, or the text is nested too deeply.
    """
    depth = 0
    event: Any  # the events of the C parser are untyped
    for event in yaml.parse(text, Loader):
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableError("NVUE knows no anchors")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            line = event.start_mark.line + 1
            raise UnreadableError(f"line {line}: nested deeper than {MAX_DEPTH} levels")


def _leaves(node: yaml.Node) -> Iterator[tuple[int, list[str]]]:
    if isinstance(node, yaml.MappingNode) and node.value:
        for key, value in node.value:
            for number, words in _leaves(value):
                yield number, [*str(key.value).split(), *words]
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _leaves(item)
    else:
        words = [node.value] if isinstance(node, yaml.ScalarNode) and node.value else []
        yield node.start_mark.line + 1, words
