"""A session compares a device that is as planned once, and again when anything of it differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.adapter import adapters
from fabric.change.session import Session
from tests.change import memory_fabric


def test_a_device_as_planned_is_compared_again_only_when_it_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    plan = memory_fabric.make_plan(tmp_path)
    session = Session(plan.devices["leaf1"], memory_fabric.connections(tmp_path))
    compared: list[Any] = []
    adapter = adapters["sonic"]
    of_adapter = type(adapter).draft

    def draft(self: Any, running: Any, *others: Any) -> Any:
        compared.append(running)
        return of_adapter(self, running, *others)

    monkeypatch.setattr(type(adapter), "draft", draft)
    before = session.running()
    for _ in range(2):  # what is still to change is compared each time
        assert session.draft(before).changes
    after = session.running()
    config = memory_fabric.wanted()
    done = replace(after, config=config, canonical=str(config), saved=False)
    for running in (done, replace(done, saved=True)):
        assert not session.draft(running).changes
    assert compared == [before, before, done]
    foreign = {**config, "NTP_SERVER": {"192.0.2.77": {}}}
    others = [
        replace(done, config=foreign, canonical=str(foreign)),
        replace(done, files={"/etc/x": "1"}),
        replace(done, kernel={"net.x": "1"}),
        replace(done, system={"version": "2"}),
    ]
    for running in others:
        session.draft(done)
        session.draft(running)
        assert compared[-1] is running
    session.close()
