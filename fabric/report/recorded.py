"""Readings from a file: what `observe` wrote, for verbs that then need no device."""

from __future__ import annotations

import json
import re
from collections import deque
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json, said
from fabric.core.record_files import lines_of
from fabric.report.observed import READINGS_FORMAT, Seen
from fabric.report.readings import ReadingsDocument, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

#: How a record begins that `observe` wrote: its device is known before the rest is looked at.
_HEAD = re.compile(rb'\{"format": "rocefab-readings/1", "device": "([!#-\[\]-~]{1,256})", ')
#: Of a JSON list, which is read as a whole: as `--avoid-state` takes.
_MOST_LIST_BYTES = 256 << 20
_MOST_FINDINGS = 20


def is_recorded(path: Path) -> bool:
    """Tell whether a file begins as JSON lines of readings do, compressed or not."""
    first = next(lines_of(path), (0, b""))[1]
    return _HEAD.match(first) is not None or b'"rocefab-readings/' in first[:100]


def newest_records(path: Path, devices: Collection[str]) -> dict[str, tuple[int, bytes]]:
    """Return number and text of the last record of each device that a fabric has.

    Raises
    ------
    InputError
        As `last_records`.
    """
    return {name: records[-1] for name, records in last_records(path, devices, 1).items()}


def last_records(
    path: Path, devices: Collection[str], most: int
) -> dict[str, deque[tuple[int, bytes]]]:
    """Return number and text of the last records of each device that a fabric has.

    Parameters
    ----------
    devices : collection of str
        Names of the fabric; records of others are passed over.
    most : int
        How many of each device, the newest last.

    Raises
    ------
    InputError
        When the file cannot be read, is of another form, or has none of the devices.
    """
    newest: dict[str, deque[tuple[int, bytes]]] = {}
    others = 0
    for number, line in _records(path):
        head = _HEAD.match(line)
        name = head[1].decode() if head else _device_of(path, number, line)
        if name in devices:
            newest.setdefault(name, deque(maxlen=most)).append((number, line))
        else:
            others += 1
    if not newest:
        what = f"the fabric has none of its devices, in {others} records" if others else "is empty"
        fix = "write it by `rocefab observe --out FILE` with this inventory"
        raise InputError("nothing was read", [_finding(path, 1, what, fix)])
    return newest


def recorded(path: Path, devices: Collection[str]) -> dict[str, Seen]:
    """Return the last reading of each device that a fabric has, from a file; without rates.

    Raises
    ------
    InputError
        As `newest_records`, and with each member of a record that is wrong.
    """
    newest = newest_records(path, devices)
    return {name: _read(path, *record) for name, record in newest.items()}


def recorded_twice(path: Path, devices: Collection[str]) -> list[Seen]:
    """Return the last two readings of each device that a fabric has, the older one first.

    Raises
    ------
    InputError
        As `recorded`.
    """
    records = last_records(path, devices, 2)
    return [_read(path, *record) for of_device in records.values() for record in of_device]


def _read(path: Path, number: int, line: bytes) -> Seen:
    try:
        return seen_of(ReadingsDocument.model_validate_json(line))
    except ValidationError as error:
        findings = [
            _finding(path, number, f"{_place(item['loc'])}: {item['msg'].lower()}")
            for item in error.errors(include_url=False, include_input=False)[:_MOST_FINDINGS]
        ]
        raise InputError("a record is wrong", findings) from None
    except ValueError as error:
        raise InputError("a record is wrong", [_finding(path, number, str(error))]) from None


def documents(path: Path, devices: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the last record of each device that a fabric has, as plain data that is not judged.

    Raises
    ------
    InputError
        As `newest_records`.
    """
    for number, line in newest_records(path, devices).values():
        yield _parsed(path, number, line)


def _records(path: Path) -> Iterator[tuple[int, bytes]]:
    lines = lines_of(path)
    for number, line in lines:
        if number == 1 and line.lstrip()[:1] == b"[":
            yield from _of_list(path, line, lines)
        elif line.strip():
            yield number, line


def _of_list(
    path: Path, first: bytes, lines: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    """Yield the records of `observe --format json`."""
    pieces, length = [first], len(first)
    for number, line in lines:
        length += len(line)
        if length > _MOST_LIST_BYTES:
            raise InputError(f"{path}:{number}: larger than {_MOST_LIST_BYTES >> 20} MiB")
        pieces.append(line)
    for record in _parsed(path, 1, b"".join(pieces)):
        yield 1, json.dumps(record).encode()


def _device_of(path: Path, number: int, line: bytes) -> str:
    record = _parsed(path, number, line)
    if not isinstance(record, dict) or record.get("format") != READINGS_FORMAT:
        form = record.get("format") if isinstance(record, dict) else None
        shown = f"the form is {str(form)[:40]!r}" if form else "a record has no form"
        fix = f"a line of `rocefab observe --format jsonl` has {READINGS_FORMAT!r}"
        raise InputError("a record is wrong", [_finding(path, number, shown, fix)])
    return str(record.get("device", ""))


def _parsed(path: Path, number: int, text: bytes) -> Any:
    try:
        return parse_json(text.rstrip())
    except JSONDecodeError as error:
        line = number + error.lineno - 1
        found = _finding(path, line, said(error), column=error.colno)
        raise InputError("a record is wrong", [found]) from None


def seen_of(record: ReadingsDocument) -> Seen:
    """Return the reading that a record holds, without rates.

    Raises
    ------
    ValueError
        When a key of it is not a port and a number.
    """
    return Seen(
        record.device,
        record.platform,
        None if record.error else snapshot_of(record),
        unknown=tuple(record.unknown),
        unread=tuple(record.unread),
        error=record.error,
        time=record.time,
        clock_s=record.time.timestamp() if record.time else 0.0,
        elapsed_s=record.rates.elapsed_s if record.rates else None,
    )


def _place(keys: tuple[int | str, ...]) -> str:
    return ".".join(str(key)[:80] for key in keys)


def _finding(
    path: Path, number: int, message: str, fix: str = "write the file again", column: int = 1
) -> Finding:
    return Finding(
        "OBS002", Severity.ERROR, message, fix, position=Position(str(path), number, column)
    )
