"""Waiting for what was just changed to come up."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from fabric.workflow import verify as module
from fabric.workflow.verify import Health, Selection, verify

PROJECT = SimpleNamespace(devices={}, hosts={})
FINE, LATE, UP = Health("a", "sonic"), Health("b", "eos", error="gone"), Health("b", "eos")


@pytest.fixture
def looks(monkeypatch):
    """Answers to looks that are still to come, and what each look was for."""
    answers: list[list[Health]] = []
    asked: list[str] = []

    def look(_project, _file, selection, _progress, _look):
        asked.append(selection.only)
        return answers.pop(0)

    monkeypatch.setattr(module, "_looks", look)
    monkeypatch.setattr(module, "_PAUSE_S", 0.001)
    return answers, asked


def test_only_what_is_not_as_planned_is_looked_at_again(looks):
    answers, asked = looks
    answers += [[FINE, LATE], [LATE], [UP]]
    found = verify(PROJECT, None, Selection(), lambda *_: None, wait_s=60)
    assert found == [FINE, UP]
    assert asked == ["", "b", "b"]


@pytest.mark.parametrize("wait_s", [0.0, 0.05])
def test_the_wait_ends(looks, wait_s):
    answers, asked = looks
    answers += [[FINE, LATE], *([LATE] for _ in range(1000))]
    found = verify(PROJECT, None, Selection(), lambda *_: None, wait_s=wait_s)
    assert found == [FINE, LATE]
    assert (len(asked) > 1) is (wait_s > 0)


def test_nobody_waits_for_what_is_as_planned(looks):
    answers, asked = looks
    answers += [[FINE]]
    assert verify(PROJECT, None, Selection(only="a"), lambda *_: None, wait_s=60) == [FINE]
    assert asked == ["a"]
