"""Steps are counted and stages timed for whoever watches, and for nobody else."""

from __future__ import annotations

from contextlib import suppress

import pytest

from fabric.core.steps import report, stage, steps, timed, watched


def test_each_step_is_reported_when_it_is_done() -> None:
    told: list[tuple[str, int, int]] = []
    with watched(lambda *words: told.append(words)):
        told.extend(("now", ord(item), 0) for item in steps("rules", "ab"))
    assert told == [
        ("rules", 0, 2),
        ("now", ord("a"), 0),
        ("rules", 1, 2),
        ("now", ord("b"), 0),
        ("rules", 2, 2),
    ]


def test_nobody_has_to_watch() -> None:
    told: list[tuple[str, int, int]] = []
    with watched(lambda *words: told.append(words)):
        pass
    assert list(steps("rules", [1, 2])) == [1, 2]
    assert told == []


def test_work_that_does_many_at_once_counts_them() -> None:
    told: list[tuple[str, int, int]] = []
    with watched(lambda *words: told.append(words)):
        report("failures", 40, 100)
        with watched(None):
            report("failures", 50, 100)
            list(steps("rules", "ab"))
        report("failures", 100, 100)
    assert told == [("failures", 40, 100), ("failures", 100, 100)]


def test_a_stage_inside_another_one_counts_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("fabric.core.steps.time.monotonic", lambda: now[0])

    def passes(seconds: float) -> None:
        now[0] += seconds

    @stage("load")
    def load() -> None:
        passes(4)

    load()
    with timed() as seconds:
        passes(32)
        with stage("rules"):
            passes(1)
            load()
            passes(2)
        load()
        with suppress(ValueError), stage("render"):
            passes(8)
            raise ValueError
        passes(16)
    load()
    assert seconds == {"rules": 3, "load": 8, "render": 8}
