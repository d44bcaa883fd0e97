"""The record of a run for people: like devices are one row, nothing is lost with --full."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

from fabric.change.journal import Event, RunRecord, State
from fabric.change.model import DevicePlan, Plan, Risk
from fabric.report.run import RunReport
from tests.report.followed import is_followed_by_markdown

HOSTS = tuple(f"gpu{number:03}" for number in range(1, 33))
#: 2026-11-28 14:34:00 UTC
BEGUN_S = 1795876440.0


def _device(name: str) -> DevicePlan:
    role = "host" if name.startswith("gpu") else "spine"
    diff = "\n".join(f"+ {name} line {'x' * number}" for number in range(70))
    return DevicePlan(name, "host", role, name, "", "", "", "files", (), diff, ())


def _events(name: str, number: int) -> list[Event]:
    return [
        Event(BEGUN_S, name, State.STAGING, f"rocefab-run-1-{number}"),
        Event(BEGUN_S + 80 + number % 3, name, State.DONE, ""),
    ]


def _report(*, full: bool) -> RunReport:
    names = ("spine01", *HOSTS)
    waves = ((names[0],), HOSTS)
    plan = Plan("mine", waves, {name: _device(name) for name in names}, ())
    events = [event for number, name in enumerate(names) for event in _events(name, number)]
    gates = [Event(BEGUN_S + at, "", State.PENDING, "gate ping: fine") for at in (1, 90)]
    ends = [Event(BEGUN_S + 99, "", State.DONE, "")]
    record = RunRecord(1, "apply", "mine", "", BEGUN_S)
    return RunReport(record, plan, [*events, *gates, *ends], "done", full=full)


def test_like_devices_of_a_wave_are_one_row() -> None:
    lines = _report(full=False).as_markdown().splitlines()
    assert f"| 1 | spine01 | {Risk.HARMLESS.word} | done | 80 s |" in lines
    assert f"| 2 | gpu[001-032] | {Risk.HARMLESS.word} | done | 80 to 82 s |" in lines
    time = "2026-11-28 14:34:00"
    assert f"| {time} UTC | gpu[001-032] | staging | rocefab-run-1-1 and 31 more |" in lines
    assert "| 2026-11-28 14:34:01 to 14:35:30 UTC | ping: fine |" in lines
    assert "<details><summary>gpu[001-032]: 32 devices that" in "\n".join(lines)
    assert "    ... 10 more lines; `--full` prints all" in lines
    assert len(lines) < 180


def test_full_and_json_have_every_row() -> None:
    text = _report(full=True).as_markdown()
    short, whole = (_report(full=value) for value in (False, True))
    for number, name in enumerate(HOSTS, 1):
        assert f"| {name} | staging | rocefab-run-1-{number} |" in text
        assert f"<summary>{name}</summary>" in text
    assert "more lines" not in text
    assert short.as_json() == whole.as_json()
    assert len(json.loads(short.as_json())["devices"]) == 33
    assert whole.as_html().count("<details>") == 33 > short.as_html().count("<details>") == 2


def test_markdown_may_follow_a_record() -> None:
    assert is_followed_by_markdown(_report(full=False).as_markdown())


def test_a_run_over_midnight_has_both_days() -> None:
    report = _report(full=False)
    midnight_s = BEGUN_S + (9 * 60 + 26) * 60
    gates = [Event(midnight_s + at, "", State.PENDING, "gate ping: fine") for at in (-9, 5)]
    text = replace(report, events=gates).as_markdown()
    assert "| 2026-11-28 23:59:51 to 2026-11-29 00:00:05 UTC | ping: fine |" in text


def test_waves_of_a_rollback_are_numbered_as_it_does_them() -> None:
    """The last one first, and those that the run has not changed not at all."""
    plan = SimpleNamespace(waves=(("a", "b"), ("c",), ("d",)))
    events = [SimpleNamespace(device=name) for name in ("", "c", "a")]
    order = {"apply": [("a", "b"), ("c",), ("d",)], "rollback": [["c"], ["a"]]}
    for kind, waves in order.items():
        report = RunReport(SimpleNamespace(kind=kind), plan, events, "")  # type: ignore[arg-type]
        assert report.waves == waves
