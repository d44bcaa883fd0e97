"""Readings that `observe --out` or `--format jsonl` wrote, read back."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.observe.snapshot import Snapshot
from fabric.report.observed import Seen
from fabric.report.readings import ReadingsDocument

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: A longer line is none of ours; our choice: a switch of 512 ports writes 2 MB.
_MOST_LINE_BYTES = 64 << 20
_NUMBERED = ("watchdog", "ecn", "queues", "priority_groups")
_FIELDS = {item.name for item in fields(Snapshot)}


def read_readings(file: Path) -> Iterator[Seen]:
    """Yield the records of a file of JSON lines, in their order; rates are left out.

    Raises
    ------
    InputError
        When the file cannot be read, or a line is not a record.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_MOST_LINE_BYTES), b""), 1):
                if line.strip():
                    yield _seen(line, file, number)
    except OSError as error:
        raise InputError(f"{file}: cannot read the readings: {error.strerror}") from error


def _seen(line: bytes, file: Path, number: int) -> Seen:
    try:
        document = ReadingsDocument.model_validate_json(line)
        state = {name: getattr(document.state, name) for name in document.state.model_fields_set}
        snapshot = None if document.error else Snapshot(document.device, **_state(state))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _refused(file, number, where, str(first["msg"])) from error
    except ValueError as error:
        raise _refused(file, number, "state", str(error)) from error
    return Seen(
        document.device,
        document.platform,
        snapshot=snapshot,
        unknown=tuple(document.unknown),
        unread=tuple(document.unread),
        error=document.error,
        time=document.time,
        clock_s=document.time.timestamp() if document.time else 0.0,
    )


def _state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a snapshot; a key of port and number is ``port|number`` in the file."""
    known = {name: value for name, value in state.items() if name in _FIELDS}
    for name in _NUMBERED:
        if name in known:
            known[name] = {_key(key): value for key, value in known[name].items()}
    return known


def _key(text: str) -> tuple[str, int]:
    port, _, number = text.rpartition("|")
    if not port or not (number.isascii() and number.isdigit()):
        raise ValueError(f"{text!r} is not PORT|NUMBER")
    return port, int(number)


def _refused(file: Path, line: int, field: str, message: str) -> InputError:
    fix = "give a file that `rocefab observe --out` wrote"
    place = Position(str(file), line)
    finding = Finding("OBS003", Severity.ERROR, message, fix, field, place)
    return InputError("the readings are wrong", [finding])
