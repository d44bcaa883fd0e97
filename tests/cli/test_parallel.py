"""Every command that talks to devices takes how many at a time, by the same option."""

from __future__ import annotations

import threading
import time

import pytest

from fabric.core.errors import ConnectionLostError
from fabric.devices import drivers
from fabric.devices.base import BaseDriver
from tests.cli import tree
from tests.cli.runs import DEMO, run

#: Commands that read devices, with what else they need; four hosts and six switches are there.
READING = {
    "plan": ("plan", DEMO),
    "verify": ("verify", DEMO),
    "drift": ("drift", DEMO),
    "cabling": ("cabling", DEMO),
    "observe": ("observe", DEMO),
    "judge": ("judge", DEMO, "--interval-s", "0.1"),
    "adopt": ("adopt", DEMO, "--running"),
    "prove": ("prove", DEMO, "--running"),
    "probe": ("probe", DEMO, "--run", "--stage", "ping"),
    "export": ("export", "rails", DEMO),
    "show buffer": ("show", "buffer", DEMO, "--observed"),
}


def test_it_is_one_option_of_all_that_talk_to_devices():
    with_devices = [
        leaf
        for leaf in tree.leaves()
        if any("--connections" in option.opts for option in leaf.options)
        and any("--ask-password" in option.opts for option in leaf.options)
    ]
    assert {"plan", "apply", "rollback", "status", "accept", "draw"} <= {
        leaf.name for leaf in with_devices
    }
    found = {
        leaf.name: [
            (option.help, option.default, option.envvar)
            for option in leaf.options
            if "--parallel" in option.opts
        ]
        for leaf in with_devices
    }
    assert len({tuple(options) for options in found.values()}) == 1, found
    assert all(len(options) == 1 for options in found.values()), found


class Away(BaseDriver):
    """A device that cannot be logged in to, and counts who tries at the same time."""

    now: list[str] = []  # noqa: RUF012 - of all of them
    most = 0
    turn = threading.Lock()

    def open(self) -> None:
        with Away.turn:
            Away.now.append(self.connection.device)
            Away.most = max(Away.most, len(Away.now))
        time.sleep(0.02)
        with Away.turn:
            Away.now.remove(self.connection.device)
        raise ConnectionLostError(self.connection.device, "away")

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("name", READING)
def test_so_many_at_a_time_are_read(name, monkeypatch, tmp_path):
    for platform in ("sonic", "eos", "host"):
        assert platform in drivers
        monkeypatch.setitem(drivers._items, platform, Away)
    monkeypatch.setattr(Away, "most", 0)
    monkeypatch.setenv("ROCEFAB_CACHE", str(tmp_path))
    ended = run(*READING[name], "--parallel", "2")
    assert ended.code in {2, 3, 4}, ended.said
    assert Away.most == 2, ended.said
