"""A file as paths of words: lines of ``nv set`` and ``nv unset``, or a tree of YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from fabric.observe.configuration.blocks import Block
from fabric.observe.parsers import UnreadableError
from fabric.systems.cumulus.platforms.lines import paths, split

if TYPE_CHECKING:
    from collections.abc import Iterator


def paths_of(text: str) -> list[Block]:
    """Return one block for each value that a file sets.

    Raises
    ------
    UnreadableError
        When it is neither of the two forms.
    """
    is_lines = re.search(r"^nv (un)?set ", text, re.MULTILINE)
    return list(_lines(text) if is_lines else _tree(text))


def _lines(text: str) -> Iterator[Block]:
    """Yield one block for each value of the lines; an ``unset`` takes away what it covers.

    Raises
    ------
    UnreadableError
        When a line is not a line of NVUE.
    """
    standing: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip() or row.lstrip().startswith("#"):
            continue
        program, verb, *words = [*split(row), "", ""]
        words = [word for word in words if word]
        if program != "nv" or verb not in ("set", "unset") or not words:
            raise UnreadableError(f"line {number} is not a line of NVUE: {row.strip()[:80]!r}")
        try:
            each = list(paths(words))
        except ValueError as error:
            raise UnreadableError(f"line {number}: {error}") from error
        for path in each:
            if verb == "set":
                standing.pop(path, None)
                standing[path] = number
            else:
                gone = [key for key in standing if key[: len(path)] == path]
                for key in gone:
                    del standing[key]
    yield from (Block(number, " ".join(path)) for path, number in standing.items())


def _tree(text: str) -> Iterator[Block]:
    """Yield one block for each leaf of a YAML text: the ``set`` part of a list, or a mapping.

    Raises
    ------
    UnreadableError
        When it is no such text.
    """
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise UnreadableError("NVUE knows no anchors")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
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
            for path in paths(words):
                yield Block(number, " ".join(path))


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
