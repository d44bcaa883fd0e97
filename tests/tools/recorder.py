"""Records what each test takes, where ``ROCEFAB_DURATIONS`` names a folder: a plugin of pytest.

Each process writes a file of its own, a JSON line for each test: seconds of processor time, with
those of programs that ended, of set-up, call and tear-down, and seconds of the clock.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PARTS = ("setup", "call", "teardown")


def cpu_s() -> float:
    """Return the processor time of this process and of its children that ended."""
    return time.process_time() + sum(os.times()[2:4])


class Recorder:
    """Hooks that time a test."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder.absolute() / f"{os.getpid()}.jsonl"
        self._start_s = 0.0
        self._parts: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Write a line when a test is over."""
        start_s, self._parts = time.monotonic(), {}
        result = yield
        is_mechanism = item.get_closest_marker("mechanism") is not None
        row = {
            "test": item.nodeid,
            "mechanism": is_mechanism,
            "wall_s": round(time.monotonic() - start_s, 4),
            **self._parts,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return result

    def _timed(self, part: str) -> Iterator[None]:
        start_s = cpu_s()
        try:
            return (yield)
        finally:
            self._parts[f"{part}_cpu_s"] = round(cpu_s() - start_s, 4)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        """Time the set-up."""
        return (yield from self._timed("setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Time the test itself."""
        return (yield from self._timed("call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """Time the tear-down."""
        return (yield from self._timed("teardown"))
