"""A run without a roll-out asks its pings before and after each wave that changes a leaf."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from fabric.change import gates as gates_module
from fabric.change.apply import Applier, Options
from fabric.change.budget import MaxFailures
from fabric.change.journal import Journal
from fabric.change.questions import Questions
from fabric.change.rollout import LeafPings, Ping
from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.workflow import host_sessions
from fabric.workflow.apply import gates_of
from fabric.workflow.host_sessions import HostSessions
from fabric.workflow.ping_gate import Pings
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.change.scripted import ScriptedDriver
from tests.workflow.test_ping_gate import ANSWERED, LOST, Host

pytestmark = pytest.mark.fault(24)
OPTIONS = Options(verify_s=0.3, poll_s=0.01)
LEAVES = ("leaf1", "leaf2")
PINGS = {
    leaf: Ping(f"gpu{number}", "gpu9", f"10.0.0.{number}", "10.0.0.9", 9000, 104)
    for number, leaf in enumerate(LEAVES, 1)
}


class Hosts:
    """Hosts that answer, or not; what each says next is told by its name."""

    def __init__(self) -> None:
        self.answers: dict[str, list[str | None]] = {}
        self.asked: list[str] = []
        self.logins: list[str] = []

    def open_driver(self, host):
        self.logins.append(host)
        if self._next(host) is None:
            self._ask(host)
            raise ConnectionLostError(host, "cannot log in")
        return Host(lambda: self._ask(host))

    def _next(self, host):
        return self.answers.get(host, [ANSWERED])[0]

    def _ask(self, host):
        self.asked.append(host)
        answer, left = self._next(host), self.answers.get(host, [])
        if len(left) > 1:
            left.pop(0)
        return answer


@pytest.fixture
def hosts(monkeypatch):
    hosts = Hosts()
    monkeypatch.setattr(host_sessions, "open_driver", hosts.open_driver)
    monkeypatch.setattr(gates_module, "_POLL_S", 0.01)
    return hosts


@pytest.fixture
def applied(folder):
    """Return what applies the plan: how it ended, and what was said."""

    def apply(**options):
        plan = replace(memory_fabric.make_plan(folder), leaf_pings=LeafPings(PINGS))
        reachable = memory_fabric.connections(folder)
        lines: list[str] = []
        names = {ping.source_host: ping.source_host for ping in PINGS.values()}
        with ThreadPoolExecutor(4) as pool, HostSessions(names) as sessions:
            gates = gates_of(plan, sessions, Questions(pool, silent))
            assert [type(gate) for gate in gates] == [Pings]
            working = Applier(
                Journal(folder / "state"),
                reachable,
                pool,
                lambda device, text: lines.append(f"{device}: {text}"),
                replace(OPTIONS, **options),
                gates,
            )
            return working.apply(plan), lines

    return apply


def test_each_leaf_is_tried_before_and_after_its_wave(folder, hosts, applied):
    result, lines = applied()
    assert result.ok, result.reasons
    assert sorted(hosts.asked) == ["gpu1", "gpu1", "gpu2", "gpu2"]
    assert sorted(hosts.logins) == ["gpu1", "gpu2"], "a session that is left open is used again"
    events = Journal(folder / "state").own_events(1)
    assert [event.detail for event in events if "ping" in event.detail] == [
        "gate ping: passed, 2 pings"
    ]
    assert [line for line in lines if "ping" in line] == [": gate ping: passed, 2 pings"]


def test_a_leaf_that_forwards_nothing_ends_the_run(folder, hosts, applied):
    hosts.answers["gpu2"] = [ANSWERED, LOST]
    result, lines = applied()
    assert not result.ok
    assert [line for line in lines if "ping" in line] == [": gate ping: failed; more at the end"]
    assert result.confirmed == ("spine01",)
    assert result.reasons[0].startswith("gate ping: gpu2 10.0.0.2 to gpu9 10.0.0.9: 0 of 3")
    assert sorted(result.rolled_back) == list(LEAVES)
    for name in LEAVES:
        assert memory_fabric.state(folder, name)["running"] == memory_fabric.BEFORE


def test_a_pair_that_needs_a_moment_is_asked_again(hosts, applied):
    """Its port comes up, and its gateway answers, after the sessions of the leaf."""
    hosts.answers["gpu2"] = [ANSWERED, LOST, LOST, ANSWERED]
    result, _ = applied(verify_s=30.0)
    assert result.ok, result.reasons


@pytest.mark.parametrize("before", [LOST, None], ids=["mute", "away"])
def test_that_nothing_could_be_asked_is_said(hosts, applied, before):
    hosts.answers |= {"gpu1": [before], "gpu2": [before]}
    result, lines = applied()
    assert result.ok, result.reasons
    said = ": gate ping: not checked: no pair answered before the wave, as in a new fabric"
    assert said in lines


def test_that_only_some_were_asked_is_said(hosts, applied):
    hosts.answers["gpu1"] = [LOST]
    result, lines = applied()
    assert result.ok, result.reasons
    assert ": gate ping: passed, 1 ping; 1 of 2 pairs was not answered before" in lines


def test_who_stopped_the_traffic_asks_for_no_pings(hosts, applied):
    hosts.answers["gpu2"] = [ANSWERED, LOST]
    result, _ = applied(traffic_stopped=True)
    assert result.ok, result.reasons
    assert hosts.asked == []


def test_a_leaf_that_may_fail_is_not_asked_for(folder, hosts, applied):
    """It is rolled back alone; packets through it say nothing of the other."""
    hosts.answers["gpu2"] = [ANSWERED, LOST]
    ScriptedDriver.fail("leaf2", "commit", RefusedError("leaf2", "no space left"))
    result, _ = applied(max_failures=MaxFailures(1))
    assert result.ok, result.reasons
    assert result.skipped == ("leaf2",)
    assert memory_fabric.state(folder, "leaf1")["startup"] == memory_fabric.wanted()
