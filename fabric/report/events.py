"""Events as lines of JSON, and read back from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from fabric.core.errors import FileError, InputError
from fabric.core.events import Event
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.formats import form_of
from fabric.core.user_files import open_regular
from fabric.core.validation import own_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Form of a record: members are added to it, none is removed or changes its meaning.
EVENTS_FORMAT = form_of("events")
#: Longest line that is read back.
_LONGEST = 1 << 16
_LONGEST_NUMBER = 20


class EventDocument(BaseModel):
    """A finding that began or ended."""

    format: Literal["rocefab-events/1"]
    time: Annotated[AwareDatetime, Field(description="When that was seen, UTC.")]
    event: Literal["opened", "closed"]
    since: Annotated[AwareDatetime, Field(description="When the finding began.")]
    rule: str
    severity: Literal["info", "warning", "error"]
    device: str
    port: str
    field: str
    position: Annotated[
        str, Field(description="Place in the inventory, as FILE:LINE:COLUMN, or empty.")
    ] = ""
    message: str
    fix: str
    planned: Annotated[str, Field(description="What the inventory wants; empty: message.")] = ""
    running: Annotated[str, Field(description="What the device has; empty: message.")] = ""
    by: Annotated[list[str], Field(description="Who may have caused it, as the device says.")]


def document_of(event: Event) -> EventDocument:
    """Return the record of an event."""
    finding = event.finding
    return EventDocument(
        format=EVENTS_FORMAT,
        time=event.time,
        event="opened" if event.is_open else "closed",
        since=event.since,
        rule=finding.rule,
        severity=finding.severity.word,
        device=finding.device,
        port=finding.port,
        field=finding.field,
        position=str(finding.position or ""),
        message=finding.message,
        fix=finding.fix,
        planned=finding.planned,
        running=finding.running,
        by=list(event.by),
    )


def line(event: Event) -> str:
    """Return an event as a line of JSON."""
    return json.dumps(document_of(event).model_dump(mode="json")) + "\n"


def read_events(path: Path) -> Iterator[Event]:
    """Yield the events of a file, so that a new process goes on where another one ended.

    A last line without an end is of a process that was killed, and is left out.

    Raises
    ------
    InputError
        When the file cannot be read, or a line is no event.
    """
    try:
        with open_regular(path, FileKind.EVENTS) as file:
            for number, text in enumerate(_lines(file), 1):
                try:
                    document = EventDocument.model_validate_json(text)
                except ValidationError as error:
                    reason = own_words(error.errors()[0]["msg"])
                    raise InputError(f"{path}:{number}: not an event: {reason}") from error
                yield _event(document)
    except FileError as error:
        if error.fault != "missing":
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot read the events: {error.strerror}") from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines; of one that is too long, its beginning, which is no event."""
    while text := file.readline(_LONGEST):
        if text.endswith(b"\n") or len(text) == _LONGEST:
            yield text


def _event(document: EventDocument) -> Event:
    finding = Finding(
        document.rule,
        Severity.of_word(document.severity),
        document.message,
        document.fix,
        document.field,
        _position(document.position),
        device=document.device,
        port=document.port,
        planned=document.planned,
        running=document.running,
    )
    is_open = document.event == "opened"
    return Event(document.time, is_open, finding, document.since, tuple(document.by))


def _position(text: str) -> Position | None:
    file, line, column = text.rsplit(":", 2) if text.count(":") > 1 else ("", "", "")
    if file and line.isdecimal() and column.isdecimal() and len(line + column) < _LONGEST_NUMBER:
        return Position(file, int(line), int(column))
    return Position(text) if text else None


def schema() -> str:
    """Return the JSON Schema of a line; members that are not in it may be added."""
    body = EventDocument.model_json_schema(mode="serialization")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps({"$schema": dialect, **body}, indent=2) + "\n"
