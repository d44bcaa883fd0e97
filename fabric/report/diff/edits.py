"""Which values of two inventory folders differ, by what they mean and not by their lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.errors import FabricError
from fabric.report.diff.alone import MOST_EDITS
from fabric.report.diff.model import Edit, Place
from fabric.report.diff.other_files import cable_edits, table_edits
from fabric.report.diff.sections import ValueChange, opened
from fabric.report.diff.traced import ABSENT, Traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.core.findings import Position
    from fabric.intent.yaml.file import Document
    from fabric.report.diff.traced import Contents, Path

#: Members that tell the items of a list apart, the first that every item has.
_NAMES = ("name", "names", "rule")
#: Characters of a value that are shown.
_MOST = 160


@dataclass(frozen=True)
class _Pair:
    """The documents of one file on both sides, and how its fields begin."""

    kind: str
    before: Document | None
    after: Document | None

    def edit(self, label: Path, paths: tuple[Path, Path], values: tuple[Any, Any]) -> Edit:
        # Commands that are run are read whole before they are.
        is_whole = self.kind == "fabric" and label[:1] == ("rollout",)
        texts = [_text(value, whole=is_whole) for value in values]
        places = [
            _place(document.position(path)) if document and text is not None else None
            for document, path, text in zip((self.before, self.after), paths, texts, strict=True)
        ]
        start = () if self.kind != "fabric" else ("fabric",)
        return _edit(".".join(map(str, (*start, *label))), texts, places)


def edits(before: Contents, after: Contents) -> list[Traced]:
    """Return the values that differ, in the order of file and place.

    A section that comes or goes is as many values as it has, unless there are then too many edits
    to try each alone: the fields that explain a setting may be others of the section.
    """
    opened_edits = list(_edits(before, after, is_open=True))
    if sum(edit.effective for edit in opened_edits) <= MOST_EDITS:
        return opened_edits
    return list(_edits(before, after, is_open=False))


def _edits(before: Contents, after: Contents, *, is_open: bool) -> Iterator[Traced]:
    old, new = before.documents(), after.documents()
    for name in dict.fromkeys((*old, *new)):
        kind = (new.get(name) or old[name])[0]
        documents = tuple(side[name][1] if name in side else None for side in (old, new))
        pair = _Pair(kind, *documents)
        nothing: dict[str, Any] = {} if kind in ("fabric", "platforms") else {kind: []}
        data = tuple(document.data if document else nothing for document in documents)
        for change in _between(data[0], data[1], (), ((), ())):
            values = opened(kind, data, change) if is_open else (change,)
            yield from (_traced(name if name in old else "", pair, data, value) for value in values)
    yield from cable_edits(before, after)
    yield from table_edits(before, after)


def _traced(file: str, pair: _Pair, data: tuple[Any, ...], change: ValueChange) -> Traced:
    label, paths, values, _ = change
    members = tuple(str(part) for part in label if not str(part).startswith("["))
    names = frozenset(_names(pair, data, paths))
    swap = change.swap(file) if file and _is_plain(values) else None
    return Traced(pair.edit(label, paths, values), pair.kind, members, names, swap)


def _is_plain(values: tuple[Any, Any]) -> bool:
    """Tell whether the values are those of the file, not the order of a list."""
    return not any(isinstance(value, _Order) for value in values)


def _between(old: Any, new: Any, label: Path, paths: tuple[Path, Path]) -> Iterator[ValueChange]:
    """Yield what differs, at the highest such level."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            below = tuple((*path, key) for path in paths)
            values = old.get(key, ABSENT), new.get(key, ABSENT)
            yield from _between(*values, (*label, key), (below[0], below[1]))
    elif _is_rows(old) and _is_rows(new):
        named = _items(old), _items(new)
        if None in named:
            named = dict(enumerate(old)), dict(enumerate(new))
        yield from _rows(named, (old, new), label, paths)
    elif old != new or type(old) is not type(new):
        yield ValueChange(label, paths, (old, new))


def _rows(
    items: tuple[Any, Any], lists: tuple[Any, Any], label: Path, paths: tuple[Path, Path]
) -> Iterator[ValueChange]:
    """Yield what differs between the items of two lists, by their names."""
    places = [{key: index for index, key in enumerate(side)} for side in items]
    for key in dict.fromkeys((*items[0], *items[1])):
        below = tuple(
            (*path, where.get(key, len(one) - 1))
            for path, where, one in zip(paths, places, lists, strict=True)
        )
        values = items[0].get(key, ABSENT), items[1].get(key, ABSENT)
        yield from _between(*values, (*label, f"[{key}]"), (below[0], below[1]))
    common = [[key for key in side if key in items[1 - n]] for n, side in enumerate(items)]
    if common[0] != common[1]:  # the order of units and spines gives ports and addresses
        yield ValueChange(label, paths, (_order(items[0]), _order(items[1])))


class _Order(str):
    """The names of the items of a list, in their order."""

    __slots__ = ()


def _order(items: Iterable[Any]) -> _Order:
    return _Order(", ".join(map(str, items)))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _items(rows: list[dict[str, Any]]) -> dict[Any, Any] | None:
    """Return the items of a list by name; None where a name is missing or not unique."""
    for member in _NAMES:
        named = {str(item.get(member, "")): item for item in rows}
        if len(named) == len(rows) and "" not in named:
            return named
    return None


def _names(pair: _Pair, data: tuple[Any, ...], paths: tuple[Path, Path]) -> Iterator[str]:
    """Yield the devices that the overrides of a difference name, on both sides."""
    if pair.kind not in ("devices", "hosts"):
        return
    for side, path in zip(data, paths, strict=True):
        rows = side.get(pair.kind) or []
        index = path[1] if len(path) > 1 else None
        chosen = rows[index : index + 1] if isinstance(index, int) and index >= 0 else rows
        for row in chosen:
            try:
                yield from hostlist.expand(str(row.get("names", "")))
            except (FabricError, ValueError):
                continue


def _edit(name: str, texts: Sequence[str | None], places: Sequence[Place | None]) -> Edit:
    return Edit(name, texts[0], texts[1], places[0], places[1])


def _text(value: Any, *, whole: bool) -> str | None:
    """Return a value on one line, cut where it need not be whole; None where it is absent."""
    if value is ABSENT:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if whole or len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _place(position: Position) -> Place:
    return Place(position.file, position.line)
