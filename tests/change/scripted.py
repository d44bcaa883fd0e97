"""Memory devices that fail as a test says, and that count what is done to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from tests.change import memory_fabric
from tests.devices.memory import MemoryDriver

EFFECTS = ("stage", "commit", "confirm", "rollback", "save")


class ScriptedDriver(MemoryDriver):
    """What the script holds for (device, method), or its ``after``, is called once, or for good."""

    script: ClassVar[dict] = {}
    effects: ClassVar[Counter] = Counter()

    @classmethod
    def reset(cls):
        cls.script.clear()
        cls.effects.clear()

    @classmethod
    def fail(cls, device, method, error, *, for_good=False):
        def raise_it(_driver):
            raise error

        cls.script[device, method] = (raise_it, for_good)

    @classmethod
    def act(cls, device, method, action):
        cls.script[device, method] = (action, False)

    @classmethod
    def lose_answer(cls, device, method, error):
        cls.fail(device, f"after {method}", error)

    def _play(self, key):
        action, for_good = self.script.get((self.connection.device, key), (None, False))
        if action and not for_good:
            del self.script[self.connection.device, key]
        if action:
            action(self)


def _wrapped(method):
    original = getattr(MemoryDriver, method)

    def call(self, *arguments):
        self._play(method)
        if method in EFFECTS:
            self.effects[self.connection.device, method] += 1
        answer = original(self, *arguments)
        self._play(f"after {method}")
        return answer

    return call


for _name in ("open", "identify", "read_running", "foreign_sessions", "pending", *EFFECTS):
    setattr(ScriptedDriver, _name, _wrapped(_name))


@contextmanager
def scripted_fabric(
    folder: Path, patch: pytest.MonkeyPatch, waves: memory_fabric.Waves = memory_fabric.WAVES
) -> Iterator[Path]:
    """Make a fabric of scripted devices in a folder; the script is empty before and after."""
    memory_fabric.use_memory_drivers(patch, ScriptedDriver)
    patch.setattr(memory_fabric, "WAVES", waves)
    ScriptedDriver.reset()
    memory_fabric.create(folder)
    yield folder
    ScriptedDriver.reset()
