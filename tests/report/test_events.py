"""Events as lines: their schema, and read back by the next process."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.report.events import line, read_events, schema

NOW = datetime(2026, 11, 24, 12, 0, 0, 250_000, tzinfo=UTC)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
FINDINGS = st.builds(
    Finding, TEXT, st.sampled_from(Severity), TEXT, TEXT, TEXT, st.none(), *[TEXT] * 4
)
EVENTS = st.builds(
    Event,
    st.datetimes(timezones=st.just(UTC)),
    st.booleans(),
    FINDINGS,
    st.datetimes(timezones=st.just(UTC)),
    st.lists(TEXT, max_size=2).map(tuple),
)


@given(st.lists(EVENTS, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, events: list[Event]) -> None:
    file = tmp_path_factory.mktemp("events") / "events.jsonl"
    file.write_text("".join(map(line, events)), encoding="utf-8", newline="")
    assert list(read_events(file)) == events


def test_a_line_is_as_its_schema_says() -> None:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(schema()))
    event = Event(NOW, True, Finding("A1", Severity.ERROR, "x", device="leaf1"), NOW, ("eve",))
    document = json.loads(line(event))
    assert not list(validator.iter_errors(document))
    assert (document["time"], document["event"], document["by"]) == (
        "2026-11-24T12:00:00.250000Z",
        "opened",
        ["eve"],
    )


def test_a_file_that_is_not_there_has_no_events(tmp_path) -> None:
    assert list(read_events(tmp_path / "none")) == []


def test_a_line_that_was_cut_is_ignored(tmp_path) -> None:
    file = tmp_path / "events.jsonl"
    whole = line(Event(NOW, True, Finding("A1", Severity.ERROR, "x"), NOW))
    file.write_text(whole + whole[:20])
    assert len(list(read_events(file))) == 1


@pytest.mark.parametrize("text", ["{}\n", "not JSON\n", "\xff\n", "[" * 100_000 + "\n"])
def test_another_file_is_rejected(tmp_path, text: str) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"events\.jsonl:1: not an event"):
        list(read_events(file))
