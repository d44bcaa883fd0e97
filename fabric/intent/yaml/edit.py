"""Edits of YAML text that leave every other character as it is: comments, order, quotes.

Places come from the composer of PyYAML, whose marks count characters. What an edit writes is in
flow style (``[a, b]``), or a line of the block that it joins.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = Sequence[str | int]
    #: A node of PyYAML: its types have no words for ``flow_style``.
    _Node = Any

#: No line is folded: longer than any value of an inventory.
_WIDTH = 2**20


def flow(value: object) -> str:
    """Return a value on one line, as YAML writes it."""
    text = yaml.safe_dump([value], default_flow_style=True, width=_WIDTH, sort_keys=False)
    return text.strip()[1:-1]


def value_at(text: str, path: Path) -> Any:
    """Return the value at a path of a document."""
    value: Any = yaml.load(text, Loader=yaml.CSafeLoader)
    for part in path:
        value = value[part]
    return value


def set_value(text: str, path: Path, value: object) -> str:
    """Return the text with another value of a field, which may be new in its mapping.

    Parameters
    ----------
    text : str
        A YAML document whose top is a mapping.
    path : sequence of str or int
        Keys and indices from the top; all but the last exist.
    value : object
        Strings, numbers, lists and mappings.

    Raises
    ------
    KeyError
        When a part of the path before the last does not exist.
    """
    parent = _node(text, path[:-1])
    node = _child(parent, path[-1])
    if node is None:
        return _insert(text, parent, f"{flow(path[-1])}: {flow(value)}")
    end = _end(node, text)
    if node.start_mark.index == end:  # nothing stands behind the colon
        return f"{text[:end]} {flow(value)}{text[end:]}"
    if (
        isinstance(node, yaml.CollectionNode)
        and not node.flow_style
        and not isinstance(path[-1], int)
    ):
        colon = text.index(":", _key(parent, path[-1]).end_mark.index)
        return f"{text[: colon + 1]} {flow(value)}{text[end:]}"
    quoted = getattr(node, "style", "") == '"' and isinstance(value, str)
    new = json.dumps(value, ensure_ascii=False) if quoted else flow(value)
    return text[: node.start_mark.index] + new + text[end:]


def remove(text: str, path: Path) -> str:
    """Return the text without an item of a list, or without a key and its value.

    The line of a block goes with the comment behind it; comments above stay.

    Raises
    ------
    KeyError
        When the path does not exist.
    """
    parent = _node(text, path[:-1])
    node = _child(parent, path[-1])
    if node is None:
        raise KeyError(path[-1])
    start = _key(parent, path[-1]).start_mark.index
    end = _end(node, text)
    if parent.flow_style:
        return _without(text, start, end)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[:first] + (text[last + 1 :] if last >= 0 else "")


def _without(text: str, start: int, end: int) -> str:
    """Return the text without a part of a flow collection and the comma beside it."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if after.startswith(","):
        return text[:start] + after[1:].lstrip()
    return before.removesuffix(",") + text[end:] if before.endswith(",") else before + after


def _insert(text: str, parent: _Node, entry: str) -> str:
    """Return the text with another entry at the end of a mapping."""
    if parent.flow_style:
        close = parent.end_mark.index - 1
        head = text[:close].rstrip()
        comma = "" if head.endswith(("{", ",")) else ","
        return f"{head}{comma}{' ' * bool(comma)}{entry}{text[close:]}"
    end = text.find("\n", _end(parent, text))
    end = len(text) if end < 0 else end
    column = parent.value[0][0].start_mark.column if parent.value else 0
    return f"{text[:end]}\n{' ' * column}{entry}{text[end:]}"


def _node(text: str, path: Path) -> _Node:
    node = yaml.compose(text, Loader=yaml.CSafeLoader)
    for part in path:
        child = _child(node, part)
        if child is None:
            raise KeyError(part)
        node = child
    return node


def _child(parent: _Node, part: str | int) -> _Node | None:
    if isinstance(parent, yaml.SequenceNode):
        return parent.value[part] if int(part) < len(parent.value) else None
    return next((value for key, value in parent.value if key.value == str(part)), None)


def _key(parent: _Node, part: str | int) -> _Node:
    if isinstance(parent, yaml.SequenceNode):
        node: _Node = parent.value[part]
        return node
    return next(key for key, _ in parent.value if key.value == str(part))


def _end(node: _Node, text: str) -> int:
    """Return where a node ends: PyYAML ends a block where the next token begins."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        end = int(node.end_mark.index)
        is_block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
        return len(text[:end].rstrip()) if is_block else end
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last, text)
