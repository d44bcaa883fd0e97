"""Events in a file and to a syslog server: one writer, nothing torn, nothing lost meanwhile."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.report.events import line, read_events, schema
from fabric.workflow import event_log
from fabric.workflow.event_log import EventLog

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
OPENED = Event.opened(Finding("OBS101", Severity.ERROR, "storm", device="gpu1", port="eth1"), NOW)
CLOSED = OPENED.closed(NOW)


def test_the_file_is_read_back_and_a_torn_line_is_cut(tmp_path: Path) -> None:
    from jsonschema import Draft202012Validator

    file = tmp_path / "events.jsonl"
    with EventLog(file, "", print) as log:
        log.write([OPENED])
    with file.open("a") as more:
        more.write('{"for')
    with EventLog(file, "", print) as log:
        assert log.past == [OPENED]
        log.write([CLOSED])
    assert [event.word for event in read_events(file)] == ["opened", "closed"]
    validator = Draft202012Validator(json.loads(schema()))
    documents = map(json.loads, file.read_text().splitlines())
    assert not [error for one in documents for error in validator.iter_errors(one)]


@pytest.mark.parametrize("length", [1, 4095, 4096, 4097, 9000])
@pytest.mark.parametrize("whole", [0, 1, 40])
def test_torn_lines_of_any_length(tmp_path: Path, length: int, whole: int) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(line(OPENED) * whole + "x" * length)
    with EventLog(file, "", print) as log:
        assert len(log.past) == whole
    assert file.read_text() == line(OPENED) * whole


def test_a_compressed_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        EventLog(tmp_path / "events.zst", "", print)
    assert refused.value.findings[0].rule == "EVT002"


def test_one_process_writes_a_file(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    with EventLog(file, "", print) as log:
        with pytest.raises(InputError, match="another process writes it"):
            EventLog(file, "", print)
        log.write([OPENED])
    with EventLog(file, "", print) as log:
        assert log.past == [OPENED]


def test_a_file_that_is_renamed_gets_the_events_until_the_next_process(tmp_path: Path) -> None:
    """As logrotate does it: docs/judge.md."""
    file, rotated = tmp_path / "events.jsonl", tmp_path / "events.jsonl.1"
    with EventLog(file, "", print) as log:
        log.write([OPENED])
        file.rename(rotated)
        log.write([CLOSED])
        with EventLog(file, "", print) as following:
            assert following.past == []
            following.write([OPENED])
    assert [event.word for event in read_events(rotated)] == ["opened", "closed"]
    assert [event.word for event in read_events(file)] == ["opened"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("", "not a regular file but a folder"), ("none/events.jsonl", "cannot write the events")],
)
def test_a_file_that_cannot_be_written_is_an_error_of_the_user(
    tmp_path: Path, name: str, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        EventLog(tmp_path / name, "", print)


def test_events_wait_for_a_syslog_server_that_is_away(monkeypatch) -> None:
    monkeypatch.setattr(event_log, "_RETRY_S", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    notes: list[str] = []
    with EventLog(None, f"tcp://127.0.0.1:{port}", notes.append) as log:
        log.write([OPENED])
        log.write([CLOSED])
        assert len(notes) == 1
        with socket.create_server(("127.0.0.1", port)) as server:
            log.write([])
            taken, _ = server.accept()
            text = taken.recv(1 << 16).decode()
            taken.close()
    assert text.index("opened: ") < text.index("closed: ")
    assert notes[1:] == ["the syslog server takes events again"]


def test_a_server_that_is_away_is_not_tried_for_each_event(monkeypatch) -> None:
    """And what waits is bounded: the newest events are kept."""
    tries: list[Event] = []

    def away(event: Event) -> None:
        tries.append(event)
        raise ConnectionRefusedError

    monkeypatch.setattr(event_log, "_MOST_WAITING", 3)
    with EventLog(None, "tcp://127.0.0.1:9", lambda _: None) as log:
        monkeypatch.setattr(log._syslog, "send", away)
        events = [replace(OPENED, by=(str(number),)) for number in range(5)]
        for event in events:
            log.write([event])
        assert tries == events[:1]
        monkeypatch.setattr(event_log, "_RETRY_S", 0.0)
        monkeypatch.setattr(log._syslog, "send", tries.append)
        log.write([])
    assert tries[1:] == events[2:]
