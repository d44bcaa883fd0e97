"""Steps are counted for whoever watches, and for nobody else."""

from __future__ import annotations

from fabric.core.steps import steps, watched


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
