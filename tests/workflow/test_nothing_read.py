"""A file of readings in which little was read: what was not looked at is named, and is not good."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache

import pytest

from fabric.workflow.devices import Selection, targets
from fabric.workflow.project import Project
from tests.cli.runs import DEMO, run

RECORD = {
    "format": "rocefab-readings/1",
    "time": datetime.now(UTC).isoformat(),
    "rates": None,
    "unknown": [],
    "unread": [],
    "error": "",
    "state": {},
}


@cache
def platforms():
    chosen = targets(Project(DEMO), None, Selection())
    return {name: target.connection.platform for name, target in chosen.items()}


def written(file, **more):
    """Write a record of each device of the demo fabric."""
    records = [{**RECORD, "device": name, "platform": of} for name, of in platforms().items()]
    records = [
        {**one, **{key: value(one["device"]) for key, value in more.items()}} for one in records
    ]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return file


def test_a_device_of_which_nothing_was_compared_is_not_as_planned(tmp_path) -> None:
    file = written(tmp_path / "empty.jsonl")
    ended = run("verify", DEMO, "--snapshot", file)
    assert ended.code == 3
    assert f"0 of {len(platforms())} devices are as planned" in ended.said
    assert "not checked, nothing to compare in the snapshot: " in ended.said
    ended = run("verify", DEMO, "--snapshot", file, "--format", "json")
    assert ended.code == 3
    assert {item["ok"] for item in json.loads(ended.out)} == {None}


def test_priorities_of_a_file_are_those_of_the_design(tmp_path) -> None:
    expected = {
        name: one.expected.pfc for name, one in targets(Project(DEMO), None, Selection()).items()
    }
    file = written(
        tmp_path / "pfc.jsonl",
        state=lambda name: {"pfc_priorities": {k: list(v) for k, v in expected[name].items()}},
    )
    ended = run("verify", DEMO, "--snapshot", file, "--no-hosts")
    assert "priorities" not in ended.out
    assert "devices are as planned" in ended.said


@pytest.mark.parametrize("question", [("--fail", "switch:spine01"), ("--all-switches",)])
def test_whatif_names_the_devices_that_were_not_read(tmp_path, question) -> None:
    file = written(tmp_path / "refused.jsonl", error=lambda _: "login refused")
    words = ("whatif", DEMO, "--no-rules", *question, "--snapshot", file)
    assert f"ports of {len(platforms())} devices were not read: " in run(*words).said
    unread = json.loads(run(*words, "--format", "json").out)["not_read"]
    assert set(unread) == set(platforms())


def test_verdicts_on_devices_that_were_not_read_say_so(tmp_path) -> None:
    file = written(tmp_path / "refused.jsonl", error=lambda _: "login refused")
    ended = run("judge", DEMO, "--readings", file, "--format", "junit")
    assert "not applicable, or ignored" not in ended.out
    assert "not judged: devices not read" in ended.out
