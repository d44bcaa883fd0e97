"""A file of readings says how old it is, and is refused from a limit on."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.workflow.recording import Recording
from tests.cases import each
from tests.cli.runs import run
from tests.workflow.test_nothing_read import DEMO, platforms, written

FILE = Path("readings.jsonl")
NOW = datetime.now(UTC).replace(microsecond=0).isoformat()


def times(**ages: float | None) -> dict[str, datetime | None]:
    """Return when devices were read, by their ages in seconds."""
    now = datetime.now(UTC)
    return {
        name: None if age_s is None else now - timedelta(seconds=age_s)
        for name, age_s in ages.items()
    }


#: Ages of readings in seconds, and what is said of them.
SAID = {
    "one age": ({"leaf1": 600.5, "leaf2": 601.0}, ["the readings are 10 min old"]),
    "several": ({"leaf1": 30.5, "leaf2": 90_000.5}, ["the readings are 30 s to 25 h old"]),
    "days": ({"leaf1": 3.5 * 86_400}, ["the readings are 3 days old"]),
    "clocks apart": ({"leaf1": -5.0}, ["the readings are 0 s old"]),
    "no time": ({"leaf1": None}, ["leaf1: no time in the reading: its age is not known"]),
    "future": (
        {"leaf1": 600.5, "leaf2": -7_300.0, "leaf3": -100.0},
        [
            "the readings are 10 min old",
            "leaf[2-3]: read in the future, by 2 h; compare the clocks",
        ],
    ),
}


@each("name", SAID)
def test_the_age_is_said(name: str) -> None:
    ages, lines = SAID[name]
    said: list[str] = []
    Recording(FILE, said.append).check(times(**ages))
    assert said == [f"{FILE}: {line}" for line in lines], name


def test_what_is_too_old_is_refused() -> None:
    recording = Recording(FILE, print, 86_400)
    recording.check(times(leaf1=86_000, leaf2=-100, leaf3=None))
    words = (
        r"readings.jsonl: the reading of leaf2 is 2 days old, and none may be older than 24 h; "
        r"read the devices again, or raise --snapshot-max-age"
    )
    with pytest.raises(InputError, match=words):
        recording.check(times(leaf1=1, leaf2=200_000))


VERBS = {
    "verify": ("verify", DEMO, "--snapshot"),
    "cabling": ("cabling", DEMO, "--snapshot"),
    "whatif": ("whatif", DEMO, "--no-rules", "--fail", "switch:spine01", "--snapshot"),
}


@pytest.mark.parametrize("name", VERBS)
def test_verbs_refuse_an_old_file(tmp_path, monkeypatch, name: str) -> None:
    moment = datetime.now(UTC) - timedelta(hours=30)
    file = written(tmp_path / "old.jsonl", time=lambda _: moment.isoformat())
    ended = run(*VERBS[name], file)
    assert ended.code == 2
    assert "is 30 h old, and none may be older than 24 h" in ended.said
    assert ended.out == ""
    longer = run(*VERBS[name], file, "--snapshot-max-age", "2d")
    assert longer.code != 2
    assert f"{file}: the readings are 30 h old" in longer.err
    monkeypatch.setenv("ROCEFAB_SNAPSHOT_MAX_AGE", "31h")
    assert run(*VERBS[name], file).code != 2


def test_the_time_of_each_reading_is_in_the_data(tmp_path) -> None:
    file = written(tmp_path / "new.jsonl", time=lambda name: None if name == "gpu001" else NOW)
    ended = run("verify", DEMO, "--snapshot", file, "--format", "json")
    told = {item["device"]: item.get("time") for item in json.loads(ended.out)}
    assert told == dict.fromkeys(platforms(), NOW) | {"gpu001": None}
    assert f"{file}: gpu001: no time in the reading: its age is not known" in ended.err


def test_a_judgement_of_a_file_says_its_age_and_is_never_refused(tmp_path) -> None:
    """An incident is judged again long after it."""
    moment = datetime.now(UTC) - timedelta(days=90)
    file = written(tmp_path / "old.jsonl", time=lambda _: moment.isoformat())
    ended = run("judge", DEMO, "--readings", file)
    assert f"{file}: the readings are 90 days old" in ended.err
