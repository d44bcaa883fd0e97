"""The runs of a journal for who asks often: the same as a fresh reading, without reading again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fabric.change.chain import Row
from fabric.change.journal import Journal, State
from fabric.workflow import apply as workflow
from fabric.workflow.history import History
from tests.serve.reviewed import plan_of


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Journal(tmp_path)
    for state in (State.DONE, State.FAILED):
        run = begun(made)
        made.record(run, "su1-rail0", State.CONFIRMED)
        made.record(run, "", state)
    return made


def begun(journal: Journal) -> int:
    plan = plan_of()
    return journal.begin("apply", plan.fabric, plan.to_json())


def edit(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite3")) as connection, connection:
        connection.execute(statement)


def test_it_is_what_a_fresh_reading_is(journal: Journal) -> None:
    history = History(journal.folder)
    assert history.report(2).events == journal.events(2)
    for state in (State.COMMITTING, State.CONFIRMED, State.DONE):
        run = begun(journal) if state is State.COMMITTING else 3
        journal.record(run, "" if state is State.DONE else "su1-rail0", state)
        rows, chain = history.rows()
        # the service tells by it which plan a run applies
        assert {len(row["plan_sha256"]) for row in rows} == {64}
        plain = [{key: row[key] for key in row if key != "plan_sha256"} for row in rows]
        assert plain == workflow.status(journal.folder)
        assert str(chain) == str(workflow.verify(journal.folder))
        report, fresh = history.report(run), workflow.record(journal.folder, run)
        assert (report.facts(), report.events) == (fresh.facts(), fresh.events)


def test_what_was_read_is_not_read_again(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    history, hashed = History(journal.folder), []
    history.rows()
    digest = Row.digest
    monkeypatch.setattr(Row, "digest", lambda row, before: hashed.append(1) or digest(row, before))
    history.rows()
    assert hashed == []
    Journal(journal.folder)
    whole = len(hashed)
    hashed.clear()
    journal.record(2, "su1-rail0", State.ROLLED_BACK)  # hashed once by who writes it
    history.rows()
    assert 0 < len(hashed) < whole


DAMAGE = {
    "a later row": "UPDATE events SET detail = 'x' WHERE id = (SELECT max(id) FROM events)",
    "the last row that was read": "UPDATE events SET hash = 'x' WHERE id = 4",
    "rows that were removed": "DELETE FROM events WHERE id > 3",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_seen_as_it_comes(journal: Journal, name: str) -> None:
    history = History(journal.folder)
    assert history.rows()[1].whole
    if name == "a later row":
        journal.record(2, "", State.FAILED)
    edit(journal.folder, DAMAGE[name])
    assert not history.rows()[1].whole


def test_damage_of_what_was_read_is_seen_when_it_is_opened_again(journal: Journal) -> None:
    history = History(journal.folder)
    edit(journal.folder, "UPDATE runs SET plan = plan || ' ' WHERE id = 1")
    assert history.rows()[1].whole
    rows, chain = History(journal.folder).rows()
    assert not chain.whole
    assert [row["run"] for row in rows] == [1, 2]
