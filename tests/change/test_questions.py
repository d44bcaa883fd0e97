"""Who does not answer a gate for long is named meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from fabric.change import questions as module
from fabric.change.questions import Questions


def test_who_has_not_answered_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TELL_S", 0.05)
    said: list[str] = []
    named = Event()

    def tell(device: str, text: str) -> None:
        said.append(f"{device}: {text}")
        named.set()

    def slow() -> int:
        assert named.wait(30)
        return 2

    with ThreadPoolExecutor(3) as pool:
        asked = {"leaf1": lambda: 1, "leaf2": slow, "leaf3": slow}
        answers = Questions(pool, tell).ask("withdrawal", asked)
    assert answers == {"leaf1": 1, "leaf2": 2, "leaf3": 2}
    assert said[0] == ": gate withdrawal: waits for leaf[2-3], 0 s so far"


def test_quick_answers_say_nothing() -> None:
    said: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        asked = {"leaf1": lambda: 1}
        Questions(pool, lambda _, text: said.append(text)).ask("ping", asked)
        assert Questions(pool, lambda _, text: said.append(text)).ask("ping", {}) == {}
    assert said == []
