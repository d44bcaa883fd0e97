"""A roll-out on the lab: gates stop what BGP does not show, and the wave is rolled back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.model import Plan, parse_plan
from fabric.change.options import Options
from fabric.core.errors import PlanError
from fabric.workflow import apply as applying
from fabric.workflow.plan import describe, plan
from fabric.workflow.project import Project
from tests.change import labs

TWO_LEAVES = (
    labs.INVENTORY
    .replace("hosts: gpu1", "hosts: 'gpu[1-2]'")
    .replace("rails: 1", "rails: 2")
    .replace(
        "gpus: 1, interfaces: eth1, rdma_devices: mlx5_1",
        "gpus: 2, interfaces: 'eth[1-2]', rdma_devices: 'mlx5_[1-2]'",
    )
    + "rollout: {soak_s: 1, gates: {ping: true}, "
    + "notify: [sh, -c, 'cat >> events; echo >> events'], "
    + "drain: {before: [sh, -c, 'cat >> drains; echo >> drains'], "
    + "after: [sh, -c, 'cat >> drains; echo >> drains']}}\n"
)
OPTIONS = Options(timer_s=120, verify_s=40.0)


@contextmanager
def running(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple]:
    """Yield lab, inventory folder and connections of a fabric on which everything is applied."""
    with labs.running_lab(folder, monkeypatch, TWO_LEAVES) as (lab, project, connections):
        first = plan(project, connections, labs.ALL, "rail", _silent)
        assert applying.apply(first, folder / "state", connections, OPTIONS, _silent).ok
        yield lab, folder / "inventory", connections


def _silent(_device: str, _text: str) -> None:
    """Say nothing."""


def _planned(project: Project, connections: Path) -> Plan:
    planned = plan(project, connections, labs.ALL, "rail", _silent, rollout=True)
    return parse_plan(planned.to_json(), "plan")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("rollout")
        with running(folder, patch) as parts:
            yield (*parts, folder / "state")


def test_gates_pass_and_the_plan_says_what_each_wave_takes(
    site: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, inventory, connections, state = site
    project = labs.changed(inventory, "kmin_bytes: 150000", "kmin_bytes: 160000")
    planned = _planned(project, connections)
    assert planned.rollout
    assert [stage.kind for stage in planned.rollout.stages] == ["spine", "leaf", "leaf"]
    assert all(stage.pings for stage in planned.rollout.stages)
    text = describe(planned)
    assert "wave 2: leaf; 0 % of the bandwidth" in text
    assert "gates of each wave: counters, ping; soak 1 s" in text

    monkeypatch.chdir(state)
    said: list[str] = []
    result = applying.apply(planned, state, connections, OPTIONS, lambda _, text: said.append(text))
    assert result.ok, result.reasons
    assert said.count("soak of 1 s") == 3
    events = [json.loads(line) for line in (state / "events").read_text().splitlines()]
    assert [one["event"] for one in events] == [
        "run",
        *["wave", "wave ended"] * 3,
        "run ended",
    ]
    assert events[1]["devices"] == ["spine01"]
    assert events[-1]["ok"]
    drains = [json.loads(line) for line in (state / "drains").read_text().splitlines()]
    assert [(one["event"], one["hosts"]) for one in drains] == [
        ("drain", "gpu[1-2]"),
        ("undrain", "gpu[1-2]"),
    ] * 2
    assert "wave 2: leaf; 0 % of the bandwidth" in text
    assert "gpu[1-2] are drained" in text


@pytest.mark.fault(24)
def test_a_grey_leaf_stops_the_run(site: tuple) -> None:
    """BGP is up, LLDP sees its neighbours, and no packet passes."""
    lab, inventory, connections, state = site
    project = labs.changed(inventory, "kmin_bytes: 160000", "kmin_bytes: 170000")
    planned = _planned(project, connections)
    paths = lab["gpu1"].probing.paths

    def watch(device: str, text: str) -> None:
        if device == "su1-rail0" and text.startswith("commit"):
            paths.broken.add("su1-rail0")

    before = json.dumps(lab["su1-rail0"].running["WRED_PROFILE"])
    try:
        result = applying.apply(planned, state, connections, OPTIONS, watch)
    finally:
        paths.broken.clear()
    assert not result.ok
    assert any("gate ping: gpu1 10.64.0." in reason for reason in result.reasons)
    assert result.confirmed == ("spine01",)
    assert result.rolled_back == ("su1-rail0",)
    assert json.dumps(lab["su1-rail0"].running["WRED_PROFILE"]) == before
    labs.changed(inventory, "kmin_bytes: 170000", "kmin_bytes: 160000")


@pytest.mark.fault(24)
def test_what_was_lost_before_is_not_blamed_on_the_wave(site: tuple) -> None:
    lab, inventory, connections, state = site
    project = labs.changed(inventory, "kmin_bytes: 160000", "kmin_bytes: 180000")
    planned = _planned(project, connections)
    paths = lab["gpu1"].probing.paths
    paths.broken.add("su1-rail1")
    try:
        result = applying.apply(planned, state, connections, OPTIONS, _silent)
    finally:
        paths.broken.clear()
    assert result.ok, result.reasons


def test_a_change_of_the_priority_needs_traffic_to_stop(site: tuple) -> None:
    _, inventory, connections, state = site
    old = "lossless:\n"
    new = f"{old}  pfc_priority: 4\n  traffic_class: 4\n  queue: 4\n  priority_group: 4\n"
    project = labs.changed(inventory, old, new)
    planned = _planned(project, connections)
    assert planned.rollout
    assert planned.rollout.hazards
    assert "apply needs --traffic-stopped" in describe(planned)
    with pytest.raises(PlanError, match="add --traffic-stopped"):
        applying.apply(planned, state, connections, OPTIONS, _silent)
    labs.changed(inventory, new, old)


REJECTED = {
    "approvals": ({"approvals": 1}, Options(), "1 people must approve the plan, 0 did"),
    "own approval": (
        {"approvals": 1},
        replace(Options(), approved_by=("root",)),
        "0 did besides root",
    ),
    "soak": ({"soak_s": 600}, Options(), "can expire during the soak; set --timer-s to at least"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_a_roll_out_that_may_not_begin(
    name: str, site: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, inventory, connections, state = site
    monkeypatch.setattr("fabric.change.apply.user", lambda: "root")
    values, options, words = REJECTED[name]
    project = labs.changed(inventory, "192.0.2.10", "192.0.2.11")
    try:
        planned = _planned(project, connections)
        assert planned.rollout
        policy = planned.rollout.policy.model_copy(update=values)
        planned = replace(planned, rollout=replace(planned.rollout, policy=policy))
        with pytest.raises(Exception, match=words):
            applying.apply(planned, state, connections, options, _silent)
    finally:
        labs.changed(inventory, "192.0.2.11", "192.0.2.10")


def test_the_record_of_a_run(site: tuple) -> None:
    """The second run was stopped by its gate; the first was the one that set everything up."""
    *_, state = site
    stopped = next(row["run"] for row in applying.status(state) if row["state"] == "failed")
    record = applying.record(state, stopped)
    text = record.as_markdown()
    assert "| outcome | failed: gate ping: gpu1 10.64." in text
    assert "| 1 | spine01 | " in text
    assert "| 2 | su1-rail0 | " in text
    assert "rolled-back" in text
    data = json.loads(record.as_json())
    assert data["format"] == "rocefab-run-1"
    assert [row[1].partition(":")[0] for row in data["gates"]] == ["counters", "ping"] * 2 + [
        "counters",
        "ping",
    ]
    page = record.as_html()
    assert page.count("<table>") == 4
    assert "<script" not in page


def test_hostile_words_stay_text_in_a_record(site: tuple) -> None:
    *_, state = site
    record = applying.record(state, 1)
    hostile = replace(record, events=[replace(record.events[0], detail="<script>|`x`\n# y")])
    assert "<script>" not in hostile.as_html()
    assert "<script>" not in hostile.as_markdown()
    assert "\n# y" not in hostile.as_markdown()
