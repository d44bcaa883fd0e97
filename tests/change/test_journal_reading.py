"""What is read of the journal while a run goes over many devices: never all of it again."""

from __future__ import annotations

import sqlite3

import pytest

from fabric.change import tables
from fabric.change.journal import Journal, State
from fabric.core.errors import JournalError
from fabric.devices.driver import OWN_TOKEN


def test_names_of_changes_come_from_all_runs_and_processes(tmp_path):
    journal, other = Journal(tmp_path / "state"), Journal(tmp_path / "state")
    run = journal.begin("apply", "demo", "{}")
    first, second, third = (f"{OWN_TOKEN}{run}-{number}-0a" for number in (1, 2, 3))
    journal.record(run, "leaf1", State.STAGING, first)
    assert journal.tokens("leaf1") == [first]
    other.record(run, "leaf1", State.STAGING, second)
    other.record(run, "leaf2", State.STAGING, third)
    other.record(run, "leaf1", State.COMMITTING, first)
    other.record(run, "leaf1", State.FAILED, "not a name")
    assert journal.tokens("leaf1") == [first, second]
    assert journal.tokens("leaf2") == [third]
    assert journal.tokens("leaf3") == []
    assert journal.tokens("leaf1") == Journal(tmp_path / "state").tokens("leaf1")


def test_events_of_the_run_itself_are_those_without_a_device(tmp_path):
    journal = Journal(tmp_path / "state")
    for run in (journal.begin("apply", "demo", "{}"), journal.begin("apply", "demo", "{}")):
        journal.record(run, "leaf1", State.STAGING)
        journal.record(run, "", State.PENDING, f"of run {run}")
    assert [event.detail for event in journal.own_events(1)] == ["of run 1"]


def test_a_row_is_chained_without_the_row_of_its_run(tmp_path):
    """The hash of a run lies behind its plan, which may have hundreds of megabytes."""
    journal = Journal(tmp_path / "state")
    run = journal.begin("apply", "demo", "{}")
    journal.record(run, "leaf1", State.STAGING)
    read: list[str] = []
    with sqlite3.connect(tmp_path / "state" / "journal.sqlite3") as connection:
        connection.set_trace_callback(read.append)
        values = {"run": run, "at": 1.0, "device": "leaf1", "state": "done", "detail": ""}
        tables.insert(connection, "events", values)
        connection.set_trace_callback(None)
    connection.close()
    of_runs = [line for line in read if "FROM runs" in line]
    assert of_runs
    assert all(line.startswith("SELECT position FROM runs") for line in of_runs)
    assert Journal(tmp_path / "state").chain.whole


def test_a_journal_that_is_moved_away_stops_its_run(tmp_path):
    journal = Journal(tmp_path)
    with journal.exclusive():
        run = journal.begin("apply", "tiny", "{}")
        journal.record(run, "leaf", State.STAGING)
        (tmp_path / "journal.sqlite3").rename(tmp_path / "moved")
        with pytest.raises(JournalError, match="the journal cannot be used"):
            journal.record(run, "leaf", State.COMMITTING)
