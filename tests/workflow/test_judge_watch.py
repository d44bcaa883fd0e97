"""Verdicts as events: each begins once and ends once; what could not be judged ends nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.health.settings import Settings
from fabric.observe.state import NicCounters
from fabric.report.newest import Newest
from fabric.report.observed import Seen
from fabric.workflow.judge_watch import JudgeOptions, JudgeWatch, Selection
from fabric.workflow.project import Project
from tests.cli.runs import DEMO, run
from tests.health.windows import HOST, LEAF, Fabric

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
STORM = {"tx_prio3_pause": 10, "tx_prio3_pause_duration": 9_000_000}
WRONG = Finding("OBS101", Severity.ERROR, "storm", device=HOST, port="eth1")
OPENED = Event(NOW, True, WRONG, NOW)


class Turns:
    """A watch over the demo, with a clock of its own."""

    def __init__(self, past: tuple[Event, ...] = ()) -> None:
        self.watch = JudgeWatch(Project(DEMO), JudgeOptions(Selection(), Settings()), past)
        self.clock_s = 0.0
        self.first = self.put(Fabric())

    def put(self, fabric: Fabric, *unread: str) -> list[str]:
        """Read every device of a fabric; return the events as words."""
        self.clock_s += 10.0
        for name, snapshot in fabric.after.items():
            seen = Seen(name, "host" if name.startswith("gpu") else "sonic", snapshot)
            seen = replace(seen, clock_s=self.clock_s)
            lost = replace(seen, snapshot=None, error="no route to host")
            self.watch.put(lost if name in unread else seen)
        return [_word(event) for event in self.watch.events()]


def _word(event: Event) -> str:
    one = event.finding
    return " ".join(filter(None, (event.word, one.rule, one.device, one.port)))


def storm(times: int = 1) -> Fabric:
    fabric = Fabric()
    fabric.nic(HOST, "eth1", **{name: value * times for name, value in STORM.items()})
    return fabric


def test_a_verdict_is_reported_when_it_begins_and_when_it_ends() -> None:
    turns = Turns()
    assert turns.put(storm()) == [f"opened OBS101 {HOST} eth1"]
    assert turns.put(storm(2)) == []
    assert [one.rule for one in turns.watch.lasting] == ["OBS101"]
    assert turns.watch.has_errors
    assert turns.put(storm(2)) == [f"closed OBS101 {HOST} eth1"]
    assert not turns.watch.lasting


def test_a_device_that_cannot_be_read_ends_nothing() -> None:
    turns = Turns()
    turns.put(storm())
    assert turns.put(storm(), HOST) == [f"opened OBS117 {HOST}"]
    assert turns.put(storm()) == [f"closed OBS117 {HOST}"]  # one reading is no interval
    assert turns.put(storm()) == [f"closed OBS101 {HOST} eth1"]


@pytest.mark.parametrize("of_leaf", [True, False])
def test_counters_that_are_not_reported_end_nothing(of_leaf: bool) -> None:
    """Without the NIC, pauses that its leaf counts end a storm; without both nothing does."""
    blind = storm()
    blind.change(HOST, nics={"eth1": NicCounters("mlx5", True, {}, {})})
    if not of_leaf:
        blind.after[LEAF] = replace(blind.after[LEAF], pfc_counters=None)
    turns = Turns()
    turns.put(storm())
    assert turns.put(blind) == ([f"closed OBS101 {HOST} eth1"] if of_leaf else [])
    assert turns.put(blind) == []


def test_a_reset_ends_nothing() -> None:
    turns = Turns()
    turns.put(storm(2))
    reset = storm(1)
    reset.after[LEAF] = replace(reset.after[LEAF], pfc_counters=None)
    assert turns.put(reset) == []
    assert turns.put(reset) == [f"closed OBS101 {HOST} eth1"]


def test_a_new_process_continues() -> None:
    turns = Turns((OPENED, replace(OPENED, finding=replace(WRONG, device="gone"))))
    assert turns.first == ["closed OBS101 gone eth1"]
    assert turns.put(storm()) == []
    assert turns.put(storm()) == [f"closed OBS101 {HOST} eth1"]


def test_devices_without_a_reading_are_not_judged() -> None:
    watch = JudgeWatch(Project(DEMO), JudgeOptions(Selection(), Settings()), ())
    watch.put(Seen(HOST, "host", Fabric().after[HOST], clock_s=1.0))
    assert watch.events() == []


def test_one_series_for_each_rule_and_port() -> None:
    newest = Newest()
    newest.put_findings([WRONG, replace(WRONG, field="x"), replace(WRONG, port='e"2')])
    rows = [row for row in "".join(newest.exposition()).splitlines() if row[0] != "#"]
    assert rows == [
        f'rocefab_finding{{device="{HOST}",rule="OBS101",port="eth1",severity="error"}} 1',
        f'rocefab_finding{{device="{HOST}",rule="OBS101",port="e\\"2",severity="error"}} 1',
    ]
    newest.put_findings([])
    assert "".join(newest.exposition()) == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--judge",), "--judge needs --interval-s"),
        (("--events", "x"), "need --judge"),
        (("--syslog", "udp://192.0.2.1:514"), "need --judge"),
        (("--judge", "--once", "--format", "junit"), "set --once, omit"),
        (("--judge", "--interval-s", "1", "--syslog", "x"), "is not the address of a syslog"),
    ],
)
def test_options_that_do_not_fit(words, message) -> None:
    ended = run("observe", DEMO, *words)
    assert ended.code == 2
    assert message in ended.err
