"""Values that the configuration tells only together with defaults: map tables and PFC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree
from fabric.observe.parsers import UnreadableError
from fabric.qos.dscps import DSCPS
from fabric.systems.comware7.parsers.text import lines_of, whole_configuration
from fabric.systems.comware7.platforms import MAP_TABLES, PORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PRIORITIES = 8
_HEAD = re.compile(r"MAP-TABLE NAME: (\S+)\s+TYPE: pre-define\s*(DIRECTION: \S+)?\s*")
_COLUMNS = re.compile(r"IMPORT\s+:\s+EXPORT\s*")
_ROW = re.compile(r"\s*(\d+)\s+:\s+(\d)\s*")
_NO_DROP = "priority-flow-control no-drop dot1p "
_MODES = ("priority-flow-control auto", "priority-flow-control enable")
_LIST = re.compile(r"[0-7](?:-[0-7])?(?:,[0-7](?:-[0-7])?)*")


def map_tables(text: str) -> dict[str, tuple[int, ...]]:
    """Parse ``display qos map-table``: each table that has no direction.

    Raises
    ------
    UnreadableError
        When a table of ours is missing, or one has not a row for each value.
    """
    by_name: dict[str, dict[int, int]] = {}
    rows: dict[int, int] = {}
    for line in lines_of(text):
        head, row = _HEAD.fullmatch(line), _ROW.fullmatch(line)
        if head:
            rows = {}
            if not head[2]:
                by_name[head[1]] = rows
        elif row:
            rows[int(row[1])] = int(row[2])
        elif line.strip() and not _COLUMNS.fullmatch(line):
            raise UnreadableError(f"cannot read the row {line!r} of a map table")
    for name in MAP_TABLES:
        size = PRIORITIES if name.startswith("dot1p") else DSCPS
        if list(by_name.get(name, ())) != list(range(size)):
            raise UnreadableError(f"the map table {name} is not whole")
    return {name: tuple(by_name[name].values()) for name in MAP_TABLES}


def with_read_values(now: LineTree, tables: Mapping[str, Iterable[int]], *, lldp: bool) -> LineTree:
    """Return a configuration in which what is so by default is said too."""
    root = now.copy()
    read = ("lldp global enable", *(f"qos map-table {name}" for name in tables))
    for line in (*read, "undo lldp global enable"):
        root.children.pop(line, None)
    if lldp:
        root.child("lldp global enable")
    for name, values in tables.items():
        lines = {f"import {number} export {item}": LineTree() for number, item in enumerate(values)}
        root.children[f"qos map-table {name}"] = LineTree(lines)
    return root


def paused_priorities(text: str) -> dict[str, tuple[int, ...]]:
    """Parse the running configuration: the 802.1p priorities that each port pauses.

    What stands at a port counts before what stands for the whole switch.

    Raises
    ------
    UnreadableError
        When the configuration is not whole or a list is none.
    """
    root = whole_configuration(text)
    by_name = {}
    for line, node in root.children.items():
        if re.fullmatch(PORT, line) and not line.startswith("interface M-"):
            on = any(mode in node.children or mode in root.children for mode in _MODES)
            listed = _no_drop(node) or _no_drop(root)
            by_name[line.removeprefix("interface ")] = _priorities(listed) if on and listed else ()
    return by_name


def _no_drop(node: LineTree) -> str:
    lines = (line for line in node.children if line.startswith(_NO_DROP))
    return next((line.removeprefix(_NO_DROP) for line in lines), "")


def _priorities(text: str) -> tuple[int, ...]:
    if not _LIST.fullmatch(text):
        raise UnreadableError(f"{text!r} is not a list of priorities")
    spans = (part.partition("-") for part in text.split(","))
    numbers = {number for low, _, high in spans for number in range(int(low), int(high or low) + 1)}
    return tuple(sorted(numbers))
