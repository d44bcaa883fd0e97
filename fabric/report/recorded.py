"""Readings from a file: what `observe` wrote, for verbs that then need no device."""

from __future__ import annotations

import json
import re
from collections import deque
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import is_unfinished, parse_json, said
from fabric.core.record_files import lines_of
from fabric.core.validation import own_words
from fabric.report.counts import impossible_counts
from fabric.report.observed import READINGS_FORMAT, Seen
from fabric.report.oddities import Oddities, Oddity, folded
from fabric.report.readings import ReadingsDocument, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

#: How compressed files begin: RFC 1952 section 2.3.1, and xz-file-format.txt section 2.1.1.1.
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}
#: How a record begins that `observe` wrote: its device is known before the rest is looked at.
_HEAD = re.compile(rb'\{"format": "rocefab-readings/1", "device": "([!#-\[\]-~]{1,256})", ')
#: Of a JSON list, which is read as a whole: as `--avoid-state` takes.
_MOST_LIST_BYTES = 256 << 20
_MOST_FINDINGS = 20
_EXPECTED = "expected are lines of `rocefab observe --out FILE`, each a whole record"


def is_recorded(path: Path) -> bool:
    """Tell whether a file begins as JSON lines of readings do, compressed or not."""
    first = next(lines_of(path), (0, b""))[1]
    return _HEAD.match(first) is not None or b'"rocefab-readings/' in first[:100]


def newest_records(
    path: Path, devices: Collection[str], odd: Oddities | None = None
) -> dict[str, tuple[int, bytes]]:
    """Return number and text of the last record of each device that a fabric has.

    Raises
    ------
    InputError
        As `last_records`.
    """
    records = last_records(path, devices, 1, odd)
    return {name: of_device[-1] for name, of_device in records.items()}


def last_records(
    path: Path, devices: Collection[str], most: int, odd: Oddities | None = None
) -> dict[str, deque[tuple[int, bytes]]]:
    """Return number and text of the last records of each device that a fabric has.

    Parameters
    ----------
    devices : collection of str
        Names of the fabric; records of others are passed over, and so is a line that is there
        again.
    most : int
        How many of each device, the newest last.
    odd : Oddities, optional
        Takes what is odd about the file; without it, a last line that is cut is an error.

    Raises
    ------
    InputError
        When the file cannot be read, is of another form, or has none of the devices.
    """
    newest: dict[str, deque[tuple[int, bytes]]] = {}
    odd, takes_cut = odd or Oddities(path), odd is not None
    for number, line in _records(path):
        if takes_cut and _is_cut(line):
            odd.add(Oddity.CUT, number)
            continue
        head = _HEAD.match(line)
        name = head[1].decode() if head else _device_of(path, number, line)
        if name not in devices:
            odd.add(Oddity.STRANGER, number, name)
            continue
        records = newest.setdefault(name, deque(maxlen=most))
        if any(line == other for _, other in records):
            odd.add(Oddity.REPEATED, number, name)
        else:
            records.append((number, line))
    if not newest:
        raise InputError("nothing was read", [_nothing(path, odd)])
    return newest


def _nothing(path: Path, odd: Oddities) -> Finding:
    """Return why a file has no record of the fabric."""
    what = "is empty"
    if others := odd.of(Oddity.STRANGER):
        names = folded([name for _, name in others])
        what = f"the fabric has none of its devices, in {counted(len(others), 'record')}: {names}"
    elif odd.of(Oddity.CUT):
        what = "its only line is cut"
    fix = "write it by `rocefab observe --out FILE` with this inventory"
    return _finding(path, 1, what, fix)


def _is_cut(line: bytes) -> bool:
    """Tell whether a line is the begin of a record: of the last one, where a file ends early."""
    if line.endswith(b"\n") or not line.startswith(b"{"):
        return False
    try:
        parse_json(line)
    except JSONDecodeError:
        return True
    return False


def recorded(path: Path, devices: Collection[str], odd: Oddities | None = None) -> dict[str, Seen]:
    """Return the last reading of each device that a fabric has, from a file; without rates.

    Raises
    ------
    InputError
        As `newest_records`, and with each member of a record that is wrong.
    """
    newest = newest_records(path, devices, odd)
    return {name: read_record(path, *record) for name, record in newest.items()}


def read_record(path: Path, number: int, line: bytes) -> Seen:
    """Return the reading of a line.

    Raises
    ------
    InputError
        With each member of it that is wrong.
    """
    try:
        seen = seen_of(ReadingsDocument.model_validate_json(line))
    except ValidationError as error:
        findings = [
            _finding(path, number, f"{_place(item['loc'])}: {own_words(item['msg']).lower()}")
            for item in error.errors(include_url=False, include_input=False)[:_MOST_FINDINGS]
        ]
        raise InputError("a record is wrong", findings) from None
    except ValueError as error:
        raise InputError("a record is wrong", [_finding(path, number, str(error))]) from None
    wrong = [_finding(path, number, text) for text in impossible_counts(line)]
    if wrong:
        raise InputError("a record is wrong", wrong[:_MOST_FINDINGS])
    return seen


def documents(
    path: Path, devices: Collection[str], odd: Oddities | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the last record of each device that a fabric has, as plain data that is not judged.

    Raises
    ------
    InputError
        As `newest_records`.
    """
    for number, line in newest_records(path, devices, odd).values():
        yield _parsed(path, number, line)


def _records(path: Path) -> Iterator[tuple[int, bytes]]:
    lines = lines_of(path)
    for number, line in lines:
        if number == 1:
            _refuse_compressed(path, line)
        if number == 1 and line.lstrip()[:1] == b"[":
            yield from _of_list(path, line, lines)
        elif line.strip():
            yield number, line


def _refuse_compressed(path: Path, first: bytes) -> None:
    for magic, program in _COMPRESSED.items():
        if first.startswith(magic):
            what = f"the file is compressed by {program}"
            fix = "decompress it; files of Zstandard are read as they are"
            raise InputError("nothing was read", [_finding(path, 1, what, fix)])


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
        yield 1, json.dumps(record).encode() + b"\n"


def _device_of(path: Path, number: int, line: bytes) -> str:
    record = _record(path, number, line)
    if not isinstance(record, dict) or record.get("format") != READINGS_FORMAT:
        form = record.get("format") if isinstance(record, dict) else None
        shown = f"the form is {str(form)[:40]!r}" if form else "a record has no form"
        fix = f"a line of `rocefab observe --format jsonl` has {READINGS_FORMAT!r}"
        raise InputError("a record is wrong", [_finding(path, number, shown, fix)])
    return str(record.get("device", ""))


def _record(path: Path, number: int, line: bytes) -> Any:
    """Return the value of a line; a JSON text of several lines is no reading."""
    try:
        return parse_json(line.rstrip())
    except JSONDecodeError as error:
        is_cut = is_unfinished(error)
        what = "this line is not a whole JSON object" if is_cut else said(error)
        found = _finding(path, number, what, _EXPECTED, 1 if is_cut else error.colno)
        raise InputError("a record is wrong", [found]) from None


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
