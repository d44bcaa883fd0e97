"""Pings as a gate: which count, where some hosts cannot be logged in to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.change.questions import Questions
from fabric.change.rollout import Ping, Stage
from fabric.core.errors import ConnectionLostError
from fabric.workflow import host_sessions
from fabric.workflow.host_sessions import HostSessions
from fabric.workflow.ping_gate import Pings
from tests.change.labs import silent

ANSWERED = "3 packets transmitted, 3 received, 0% packet loss, time 402ms\n"
LOST = "3 packets transmitted, 0 received, 100% packet loss, time 402ms\n"
PINGS = tuple(
    Ping(one, two, f"10.0.0.{one[-1]}", f"10.0.0.{two[-1]}", 9000, 104)
    for one, two in (("gpu1", "gpu2"), ("gpu2", "gpu1"), ("gpu3", "gpu1"))
)
STAGE = Stage(
    kind="host", names=("gpu1",), left_percent=100.0, lost_rails=0, cut_pairs=0, pings=PINGS
)


class Host:
    """Answers all pings alike, or is gone.

    Parameters
    ----------
    answer : str or callable
        What it prints, or what returns that; None breaks the session.
    """

    def __init__(self, answer) -> None:
        self._answer = answer if callable(answer) else lambda: answer

    def read_each(self, commands):
        answer = self._answer()
        if answer is None:
            raise ConnectionLostError("host", "lost")
        return dict.fromkeys(commands, answer)

    def renew(self, within_s: float) -> None:
        """Take any time."""

    def close(self) -> None:
        """Nothing to close."""


CASES = {
    "all answer": ({}, {}, []),
    "a host of the wave is new": ({"gpu1": LOST}, {}, []),
    "a host of the wave is new and stays mute": ({"gpu1": LOST}, {"gpu1": LOST}, ["gpu1"]),
    "one is lost": ({}, {"gpu2": LOST}, ["gpu2"]),
    "another host is down all the time": ({"gpu3": None}, {"gpu3": None}, []),
    "another host went down": ({}, {"gpu3": None}, ["gpu3"]),
    "the host of the wave went down": ({}, {"gpu1": None}, ["gpu1"]),
    "the host of the wave stays down": ({"gpu1": None}, {"gpu1": None}, ["gpu1"]),
}


@pytest.mark.parametrize("name", CASES)
def test_which_pings_count(name, monkeypatch):
    before, after, expected = CASES[name]
    now = {}

    def open_driver(host):
        answer = now.get(host, ANSWERED)
        if answer is None:
            raise ConnectionLostError(host, "cannot log in")
        return Host(lambda: now.get(host, ANSWERED))

    monkeypatch.setattr(host_sessions, "open_driver", open_driver)
    names = {f"gpu{number}": f"gpu{number}" for number in (1, 2, 3)}
    with ThreadPoolExecutor(2) as pool, HostSessions(names) as hosts:
        gate = Pings(hosts, Questions(pool, silent), {"gpu1": 0})
        now.update(before)
        gate.begin(STAGE)
        now.clear()
        now.update(after)
        for look in (gate.after_change, gate.after_soak):
            assert [text.split()[0] for text in look(STAGE)] == expected
