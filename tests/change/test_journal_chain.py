"""The rows of the journal are chained: damage is seen, named, and survived."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fabric.change.actor import Actor
from fabric.change.apply import Options
from fabric.change.journal import Journal, State
from fabric.core.errors import InputError, JournalError
from fabric.workflow import apply as workflow
from fabric.workflow import rollback as rolling_back
from fabric.workflow import rollback_states
from tests.cases import each
from tests.change import memory_fabric
from tests.change.test_kill import prepared, run_child
from tests.cli.runs import process

PAGE = Path(__file__).parents[2] / "docs" / "changes.md"
FLIPS = 60
ACTOR = Actor("alice", "bastion", 42, "more ECN", "CHG-7")


@pytest.fixture(autouse=True)
def memory_drivers(monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder of devices and a state folder after one whole run."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        memory_fabric.use_memory_drivers(patch)
        prepared(folder)
        patch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(folder))
        plan = workflow.read_plan(folder / "plan.json")
        words = (plan, folder / "state", None, Options(poll_s=0.01), lambda *_: None, ACTOR)
        assert workflow.apply(*words, workflow.Freshness(despite_inventory=True)).ok
    return folder


@pytest.fixture
def state(written, tmp_path):
    return shutil.copytree(written / "state", tmp_path / "state")


def change(state, words, values=()):
    with closing(sqlite3.connect(state / "journal.sqlite3")) as base, base:
        base.execute("PRAGMA foreign_keys = OFF")
        return base.execute(words, values).fetchall()


def flipped(value, chance):
    """Return a stored value with one bit of it flipped."""
    if isinstance(value, int):
        return value ^ (1 << chance.randrange(8, 30))  # lower ones may meet another row
    raw = bytearray(struct.pack("<d", value) if isinstance(value, float) else value)
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return struct.unpack("<d", raw)[0] if isinstance(value, float) else bytes(raw)


def places(state):
    """Return table, id and column of every stored value that has a bit to flip."""
    with closing(sqlite3.connect(state / "journal.sqlite3")) as base:
        base.text_factory = bytes
        for table in ("runs", "events"):
            cursor = base.execute(f"SELECT * FROM {table}")
            columns = [item[0] for item in cursor.description]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    if value != b"":
                        yield table, row[0], column, value


@each("seed", range(FLIPS))
def test_one_flipped_bit_is_seen(written, tmp_path, seed):
    state = shutil.copytree(written / "state", tmp_path / str(seed))
    chance = random.Random(seed)
    table, row, column, value = chance.choice(list(places(state)))
    new = flipped(value, chance)
    text = isinstance(new, bytes)
    cast = "CAST(? AS TEXT)" if text else "?"
    change(state, f"UPDATE {table} SET {column} = {cast} WHERE id = ?", (new, row))
    chain = Journal(state).verify()
    assert not chain.whole, (table, row, column)
    if chain.damaged and column not in {"id", "position"}:
        assert (chain.damaged[0].table, chain.damaged[0].id) == (table, row)


@pytest.mark.parametrize("table", ["runs", "events"])
def test_every_column_is_covered(written, table, tmp_path):
    columns = {column for name, _, column, _ in places(written / "state") if name == table}
    for column in columns - {"id"}:
        state = shutil.copytree(written / "state", tmp_path / column)
        change(state, f"UPDATE {table} SET {column} = 'x' WHERE id = 1")
        assert not Journal(state).verify().whole, column


def test_a_whole_journal_is_whole_and_names_its_last_hash(state):
    chain = Journal(state).verify()
    assert chain.whole
    assert chain.head in str(chain)
    assert chain.count == len(list(Journal(state).lines()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "DELETE FROM events WHERE id = 7",
            "before its end, the first is row 9 (event 8 of run 1)",
        ),
        ("DELETE FROM events WHERE id > 20", "the last number of table events is 20, expected"),
        ("UPDATE events SET id = 900 WHERE id = 3", "the last number of table events is 900"),
        ("UPDATE runs SET kind = 'rollback'", "the first is row 1 (run 1)"),
    ],
)
def test_removed_and_moved_rows_are_seen(state, words, said):
    change(state, words)
    assert said in str(Journal(state).verify())


def test_a_changed_saved_state_is_seen_and_not_restored(state):
    path = state / "runs" / "1" / "leaf1.before.json"
    path.write_text(path.read_text().replace("192.0.2.9", "192.0.2.8"))
    assert str(path) in str(Journal(state).verify())
    with pytest.raises(JournalError, match=r"damaged: .*leaf1\.before\.json was modified"):
        Journal(state).kept(1, "leaf1")
    assert Journal(state).kept(1, "leaf2")


def test_each_row_says_who_and_why(state):
    rows = list(Journal(state).lines())
    said = {
        (row["user"], row["host"], row["process"], row["reason"], row["ticket"]) for row in rows
    }
    assert said == {("alice", "bastion", 42, "more ECN", "CHG-7")}
    assert workflow.status(state)[0]["ticket"] == "CHG-7"
    assert workflow.status(state, 1)[0]["reason"] == "more ECN"


@pytest.mark.parametrize("text", ["x" * 201, "two\nlines", "\x1b[31m"])
def test_a_reason_is_one_printable_line(text):
    with pytest.raises(InputError, match="--reason must be one printable line"):
        Actor(reason=text)


def test_the_script_of_the_page_verifies_an_export(state, tmp_path):
    script = re.search(r"    (import hashlib.*?)\n\n", PAGE.read_text(), re.DOTALL)[1]
    (tmp_path / "verify.py").write_text(script.replace("\n    ", "\n") + "\n")
    assert len((tmp_path / "verify.py").read_text().splitlines()) <= 11

    def judged(file):
        words = [sys.executable, tmp_path / "verify.py", file]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    count = workflow.export(state, tmp_path / "rows.jsonl")
    good = judged(tmp_path / "rows.jsonl")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.split()[0] == str(count)
    assert Journal(state).verify().head in good.stdout
    rows = (tmp_path / "rows.jsonl").read_text().splitlines()
    edited = json.loads(rows[4]) | {"device": "leaf9"}
    for number, lines in (
        (5, [*rows[:4], json.dumps(edited), *rows[5:]]),
        (3, rows[:2] + rows[3:]),
    ):
        (tmp_path / "edited.jsonl").write_text("\n".join(lines) + "\n")
        assert judged(tmp_path / "edited.jsonl").stderr == f"line {number} is damaged\n"


def test_the_command_names_the_first_damaged_row(state, tmp_path):
    words = ("status", "--state", state, "--verify")
    assert process(*words, cwd=tmp_path).code == 0
    change(state, "UPDATE events SET device = 'leaf9' WHERE id = 5")
    ended = process(*words, cwd=tmp_path)
    assert ended.code == 4
    assert "1 row is damaged before its end, the first is row 6 (event 5 of run 1)" in ended.err


def resumed(folder, monkeypatch):
    said = []
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(folder))
    options = Options(poll_s=0.01)
    result = workflow.resume(folder / "state", None, options, lambda *words: said.append(words))
    return result, said


@pytest.mark.parametrize("lost", [1, 2, 3, 8])
@pytest.mark.parametrize("write", [17, 20, 23, 26])
def test_a_run_with_a_damaged_tail_is_resumed_from_the_last_good_row(
    tmp_path, monkeypatch, write, lost
):
    folder = prepared(tmp_path)
    assert run_child(folder, write, "after").returncode == -9
    (last,) = change(folder / "state", "SELECT max(id) FROM events")[0]
    change(
        folder / "state",
        "UPDATE events SET state = CAST(x'ff00' AS TEXT) WHERE id > ?",
        (last - lost,),
    )
    journal = Journal(folder / "state")
    assert journal.chain.is_tail
    assert len(journal.chain.damaged) == lost
    result, said = resumed(folder, monkeypatch)
    assert result.ok, result.reasons
    assert (
        f"the last good one is row {last + 1 - lost} (event {last - lost} of run 1)" in said[0][1]
    )
    for name in memory_fabric.names():
        assert memory_fabric.state(folder, name)["running"] == memory_fabric.wanted()


def test_a_rollback_finds_a_device_whose_rows_are_all_damaged(tmp_path, monkeypatch):
    folder = prepared(tmp_path)
    assert run_child(folder, 30, "after").returncode == -9
    change(folder / "state", "UPDATE events SET device = 'nobody' WHERE device = 'leaf2'")
    monkeypatch.setattr(
        rollback_states, "reachable_by", lambda *_: memory_fabric.connections(folder)
    )
    said = []
    result = rolling_back.rollback(1, folder / "state", None, lambda *words: said.append(words))
    assert result.ok, result.reasons
    assert "the journal is damaged" in said[0][1]
    assert memory_fabric.state(folder, "leaf2")["running"] == memory_fabric.BEFORE


def test_a_journal_of_before_the_chain_is_chained(state, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    rows = [
        change(state, f"SELECT {columns} FROM {table} {earlier}")
        for table, columns, earlier in (
            ("runs", "id, kind, fabric, plan, started", ""),
            ("events", "id, run, at, device, state, detail", "WHERE detail NOT LIKE '%sha256%'"),
        )
    ]
    with closing(sqlite3.connect(old / "journal.sqlite3")) as base, base:
        base.executescript(
            "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, "
            "fabric TEXT NOT NULL, plan TEXT NOT NULL, started REAL NOT NULL);"
            "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, "
            "at REAL NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL);"
        )
        base.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", rows[0])
        base.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows[1])
    journal = Journal(old)
    assert journal.verify().whole
    assert journal.verify().count == len(rows[0]) + len(rows[1])
    assert journal.states(1)["leaf1"].state is State.DONE
    assert journal.states(1)["leaf1"].by.user == ""
    journal.record(1, "leaf1", State.PENDING)
    assert Journal(old).verify().whole


def test_a_journal_of_a_later_version_is_not_touched(state):
    change(state, "PRAGMA user_version = 7")
    with pytest.raises(JournalError, match="has form 7, this version reads up to 1"):
        Journal(state)
