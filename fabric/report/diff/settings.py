"""What differs between two rendered files: settings by their path, not lines of text.

Rows of CONFIG_DB and of other JSON files are compared field by field. Lines are compared below the
lines that they are indented under; a line that goes and one that comes are one setting where all
words but one are equal, or all but numbers. Pairing is the same in both directions.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.counts import counted
from fabric.core.hostlist import natural_key
from fabric.core.lines import LineTree, nested
from fabric.devices.redaction import SECRET_FIELD, redacted
from fabric.platforms import platforms
from fabric.report.diff.model import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.core.lines import Path

    #: Path of a setting, and its two values.
    Apart: TypeAlias = tuple[str, str | None, str | None]
    #: What a line has in common with those that it may become.
    Masks: TypeAlias = Callable[[str], Iterable[tuple[object, ...]]]

#: How deep JSON is opened: TABLE, row, field of CONFIG_DB.
_LEVELS = 3
_MOST = 300
#: A word that is a number, or one with its unit; an address is none.
_NUMBER = re.compile(r"\d+(\.\d+)?[A-Za-z%]*")


def settings(before: Sequence[Artefact], after: Sequence[Artefact]) -> tuple[Setting, ...]:
    """Return what differs between the files of one device.

    Files that only clear what others set are left out, unless nothing else differs.
    """
    old, new = ({item.path: item for item in side} for side in (before, after))
    paths = sorted({*old, *new})
    found = {path: tuple(_file(path, old.get(path), new.get(path))) for path in paths}
    clearing = {*clearing_files(before, after)}
    own = [found[path] for path in paths if path not in clearing]
    return tuple(chain.from_iterable(own if any(own) else found.values()))


def clearing_files(before: Sequence[Artefact], after: Sequence[Artefact]) -> list[str]:
    """Return the files on both sides that differ, and only clear what another file then sets."""
    old = {item.path: item.content for item in before}
    return [
        item.path
        for item in after
        if item.platform in platforms  # a host is none
        and item.path.rpartition("/")[2] in platforms[item.platform].beside
        and old.get(item.path, item.content) != item.content
    ]


def lines_replaced(gone: Iterable[str], come: Iterable[str]) -> Iterator[tuple[str, str, Apart]]:
    """Yield lines of one section that go, with those that come in their place, as settings."""
    sides = ({line: LineTree() for line in side} for side in (gone, come))
    for was, now in _paired(*sides):
        if was is not None and now is not None:
            path, values = _value(was, now)
            yield was, now, (path, *values)


def _file(path: str, old: Artefact | None, new: Artefact | None) -> Iterator[Setting]:
    """Yield what differs between two files of one path; at least one setting where they do."""
    if old is None or new is None:
        yield Setting(path, "(whole file)", _size(old), _size(new))
        return
    if old.content == new.content and old.executable == new.executable:
        return
    is_json = old.path.endswith(".json")
    compared = _json(old.text, new.text) if is_json else _lines(old.text, new.text)
    found = [Setting(path, *one) for one in compared]
    if old.executable != new.executable:
        modes = ("executable" if one.executable else "plain" for one in (old, new))
        found.append(Setting(path, "(mode)", *modes))
    yield from found or [Setting(path, "(order, comments)", *_first_apart(old.text, new.text))]


def _size(artefact: Artefact | None) -> str | None:
    return (
        None if artefact is None else f"file of {counted(len(artefact.text.splitlines()), 'line')}"
    )


def _first_apart(old: str, new: str) -> tuple[str, str]:
    """Return the first line that is not the same on both sides."""
    pairs = zip([*old.splitlines(), ""], [*new.splitlines(), ""], strict=False)
    lines = next(((one, other) for one, other in pairs if one != other), ("", ""))
    return _shown(lines[0]) or "", _shown(lines[1]) or ""


def _json(old: str, new: str) -> Iterator[tuple[str, str | None, str | None]]:
    cells = _cells(json.loads(old), json.loads(new), ())
    for cell, *values in sorted(cells, key=lambda one: [natural_key(part) for part in one[0]]):
        secret = SECRET_FIELD.search(cell[-1])
        texts = ["***" if secret and value is not None else value for value in values]
        yield redacted("|".join(cell)), _shown(texts[0]), _shown(texts[1])


def _cells(
    old: Any, new: Any, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str | None, str | None]]:
    """Yield each field that differs with its values as text."""
    if old == new:
        return
    is_open = all(side is None or isinstance(side, dict) for side in (old, new))
    if is_open and (old or new) and len(path) < _LEVELS:
        for key in {**(old or {}), **(new or {})}:
            was, now = ((side or {}).get(key) for side in (old, new))
            yield from _cells(was, now, (*path, str(key)))
    else:
        yield path or ("",), _cell(old), _cell(new)


def _cell(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, sort_keys=True)


def _lines(old: str, new: str) -> list[Apart]:
    found = _between(_tree(old), _tree(new), ())
    return sorted(found, key=lambda one: (natural_key(one[0]), one[1] or "", one[2] or ""))


def _tree(text: str) -> LineTree:
    """Return the lines below the lines that they are indented under, without comments."""
    lines = (line.expandtabs() for line in text.splitlines())
    return nested(line for line in lines if line.strip() and line.strip()[0] not in "!#")


def _between(old: LineTree, new: LineTree, section: Path) -> Iterator[Apart]:
    for line, child in old.children.items():
        if line in new.children:
            yield from _between(child, new.children[line], (*section, _shown(line) or ""))
    gone = {line: old.children[line] for line in old.children if line not in new.children}
    come = {line: new.children[line] for line in new.children if line not in old.children}
    for was, now in _paired(gone, come):
        if was is not None and now is not None:
            path, values = _value(was, now)
            yield _path(section, path), *values
            yield from _between(gone[was], come[now], (*section, path))
        elif was is not None:
            yield from ((path, "present", None) for path in _whole(section, was, gone[was]))
        elif now is not None:
            yield from ((path, None, "present") for path in _whole(section, now, come[now]))


def _whole(section: Path, line: str, below: LineTree) -> Iterator[str]:
    """Yield the paths of a line and of all lines below it."""
    for path in ((), *below.lines()):
        yield _path((*section, _shown(line) or ""), *(_shown(one) or "" for one in path))


def _path(section: Path, *lines: str) -> str:
    return ": ".join((*section, *lines))


def _paired(
    gone: Mapping[str, LineTree], come: Mapping[str, LineTree]
) -> Iterator[tuple[str | None, str | None]]:
    """Yield lines that go with the one that comes in their place, and the others alone."""
    gone, come = dict(gone), dict(come)
    for masks in (_masks, _without_numbers):
        for was, now in _pairs(gone, come, masks):
            yield was, now
            del gone[was], come[now]
    yield from ((line, None) for line in gone)
    yield from ((None, line) for line in come)


def _pairs(
    gone: Mapping[str, LineTree], come: Mapping[str, LineTree], masks: Masks
) -> list[tuple[str, str]]:
    """Return lines that go with the first that comes and has a mask of it; each once."""
    places: dict[tuple[object, ...], list[int]] = {}
    lines = list(come)
    for index, line in enumerate(lines):
        for mask in masks(line):
            places.setdefault(mask, []).append(index)
    taken: set[int] = set()
    pairs = []
    for line, below in gone.items():
        fitting = {at for mask in masks(line) for at in places.get(mask, ()) if at not in taken}
        chosen = min((at for at in fitting if _alike(below, come[lines[at]])), default=None)
        if chosen is not None:
            taken.add(chosen)
            pairs.append((line, lines[chosen]))
    return pairs


def _alike(old: LineTree, new: LineTree) -> bool:
    """Tell whether two sections have most of their lines in common; empty ones have."""
    common = len(old.children.keys() & new.children.keys())
    return 2 * common >= max(len(old.children), len(new.children))


def _masks(line: str) -> Iterable[tuple[object, ...]]:
    """Yield the line without each of its words but the first."""
    words = line.split(" ")
    return ((at, *words[:at], *words[at + 1 :]) for at in range(1, len(words)))


def _without_numbers(line: str) -> Iterable[tuple[object, ...]]:
    """Yield the line without its words that are numbers, where it has some behind the first."""
    first, *rest = line.split(" ")
    words = (first, *("#" if _NUMBER.fullmatch(word) else word for word in rest))
    return [words] if "#" in words[1:] else []


def _value(old: str, new: str) -> tuple[str, tuple[str | None, str | None]]:
    """Return a line without the words in which it differs from another, and both sides' words."""
    words, others = old.split(" "), new.split(" ")
    apart = [n for n, word in enumerate(words) if word != others[n]]
    masked = redacted(old) != old or redacted(new) != new
    texts = (", ".join(side[n] for n in apart) for side in (words, others))
    was, now = map(_shown, texts)
    values = ("***", "***") if masked else (was, now)
    rest = ["..." if n in apart else word for n, word in enumerate(words)]
    if rest[-1] == "...":
        rest = rest[:-1]
    return _shown(" ".join(rest)) or "", values


def _shown(text: str | None) -> str | None:
    """Return a text without secrets and, when it is long, without its end."""
    if text is None:
        return None
    clean = redacted(text)
    return clean if len(clean) <= _MOST else f"{clean[: _MOST - 3]}..."
