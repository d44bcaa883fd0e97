"""A roll-out on the lab: gates stop what BGP does not show, and the wave is rolled back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.budget import MaxFailures
from fabric.change.model import Plan, parse_plan
from fabric.change.options import Options
from fabric.change.rollout import LOSS
from fabric.core.errors import PlanError
from fabric.lab.faults import Fault
from fabric.lab.shell.state import Result
from fabric.report.run import RunReport
from fabric.workflow import apply as applying
from fabric.workflow import rollback as rolling_back
from fabric.workflow.plan import Selection, plan
from fabric.workflow.plan_text import describe
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


def _with_kmin(inventory: Path, value: int) -> Project:
    """Return the project with a value that no other test sets: all switches change."""
    file = inventory / "fabric.yaml"
    file.write_text(re.sub(r"kmin_bytes: \d+", f"kmin_bytes: {value}", file.read_text()))
    return Project(inventory)


def _planned(project: Project, connections: Path) -> Plan:
    planned = plan(project, connections, labs.ALL, "rail", _silent, rollout=True)
    return parse_plan(planned.to_json(), "plan")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("rollout")
        patch.chdir(folder)
        with running(folder, patch) as parts:
            yield (*parts, folder / "state")


def test_gates_pass_and_the_plan_says_what_each_wave_takes(
    site: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, inventory, connections, state = site
    project = _with_kmin(inventory, 160000)
    planned = _planned(project, connections)
    assert planned.rollout
    assert [stage.kind for stage in planned.rollout.stages] == ["spine", "leaf", "leaf"]
    assert all(stage.pings for stage in planned.rollout.stages)
    text = describe(planned)
    assert (
        "wave 2: leaf; if all of it fails, each unit keeps at least 0 % of its uplink bandwidth"
        in text
    )
    assert "gates of each wave: counters, ping; soak 1 s" in text
    assert "\n  lossless.ecn: " in text

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
    assert (
        "wave 2: leaf; if all of it fails, each unit keeps at least 0 % of its uplink bandwidth"
        in text
    )
    assert "gpu[1-2] are drained" in text


def test_jobs_are_named_and_one_that_fails_stops_the_run(
    site: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, inventory, connections, state = site
    monkeypatch.chdir(state)
    running = "jobs: {running: [echo, '4711 gpu[1-2]'], failed: [cat, failed-jobs]}, "
    labs.changed(inventory, "notify: [", f"{running}notify: [")
    project = _with_kmin(inventory, 155000)
    planned = _planned(project, connections)
    assert "jobs on them: 4711" in describe(planned)
    before = json.dumps(lab["su1-rail0"].running["WRED_PROFILE"])
    refused = applying.apply(planned, state, connections, OPTIONS, _silent)
    assert refused.reasons[0].startswith("gate jobs: cat ended with 1")
    assert not refused.rolled_back
    (state / "failed-jobs").write_text("17 gpu9\n")

    def fail_a_job(device: str, text: str) -> None:
        if device == "su1-rail0" and text.startswith("commit"):
            (state / "failed-jobs").write_text("17 gpu9\n4711 gpu[1-2]\n")

    result = applying.apply(planned, state, connections, OPTIONS, fail_a_job)
    assert result.reasons == ("gate jobs: failed since the wave began: 4711",)
    assert result.confirmed == ("spine01",)
    assert result.rolled_back == ("su1-rail0",)
    assert json.dumps(lab["su1-rail0"].running["WRED_PROFILE"]) == before
    labs.changed(inventory, running, "")


@pytest.mark.fault(24)
def test_a_grey_leaf_stops_the_run(site: tuple) -> None:
    """BGP is up, LLDP sees its neighbours, and no packet passes."""
    lab, inventory, connections, state = site
    project = _with_kmin(inventory, 170000)
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
    check_record(applying.record(state, result.run))


def check_record(record: RunReport) -> None:
    """See the gate that stopped the run in every form of its record."""
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


@pytest.mark.fault(24)
def test_a_grey_leaf_stops_a_run_without_a_roll_out(site: tuple) -> None:
    lab, inventory, connections, state = site
    project = _with_kmin(inventory, 172000)
    planned = plan(project, connections, labs.ALL, "rail", _silent)
    assert "pings before and after each wave: 2 pairs of NICs" in describe(planned)
    paths = lab["gpu1"].probing.paths

    def watch(device: str, text: str) -> None:
        if device == "su1-rail1" and text.startswith("commit"):
            paths.broken.add("su1-rail1")

    options = replace(OPTIONS, verify_s=3.0)
    try:
        result = applying.apply(planned, state, connections, options, watch)
    finally:
        paths.broken.clear()
    assert not result.ok
    assert result.confirmed == ("spine01", "su1-rail0")
    assert result.rolled_back == ("su1-rail1",)
    assert "gate ping: gpu2 10.64." in result.reasons[0]


@pytest.mark.fault(24)
@pytest.mark.parametrize("stopped", [False, True], ids=["traffic", "traffic stopped"])
def test_a_roll_out_without_the_gate_pings_one_pair_of_each_leaf(
    site: tuple, *, stopped: bool
) -> None:
    lab, inventory, connections, state = site
    labs.changed(inventory, "gates: {ping: true}", "gates: {}")
    planned = _planned(_with_kmin(inventory, 176000 + stopped), connections)
    assert "pings before and after each wave: 2 pairs of NICs" in describe(planned)
    paths = lab["gpu1"].probing.paths

    def watch(device: str, text: str) -> None:
        if device == "su1-rail1" and text.startswith("commit"):
            paths.broken.add("su1-rail1")

    options = replace(OPTIONS, traffic_stopped=stopped)
    try:
        result = applying.apply(planned, state, connections, options, watch)
    finally:
        paths.broken.clear()
        labs.changed(inventory, "gates: {}", "gates: {ping: true}")
    assert result.ok is stopped
    if not stopped:
        assert result.rolled_back == ("su1-rail1",)
        assert "gate ping: gpu" in result.reasons[0]


@pytest.mark.fault(24)
def test_a_leaf_that_carries_no_rdma_stops_the_run(site: tuple) -> None:
    """Pings are not asked for; the pair of NICs is tried once on each leaf."""
    lab, inventory, connections, state = site
    labs.changed(inventory, "gates: {ping: true}", "gates: {rdma: true}")
    planned = _planned(_with_kmin(inventory, 175000), connections)
    assert "gates of each wave: counters, rdma; soak 1 s" in describe(planned)
    paths = lab["gpu1"].probing.paths

    def watch(device: str, text: str) -> None:
        if device == "su1-rail1" and text.startswith("commit"):
            paths.broken.add("su1-rail1")

    try:
        result = applying.apply(planned, state, connections, OPTIONS, watch)
    finally:
        paths.broken.clear()
        labs.changed(inventory, "gates: {rdma: true}", "gates: {ping: true}")
    assert result.confirmed == ("spine01", "su1-rail0")
    assert result.rolled_back == ("su1-rail1",)
    assert re.fullmatch(
        r"gate rdma: gpu\d 10\.64\.\S+ to gpu\d 10\.64\.\S+: 0 of 3 replies of rping",
        result.reasons[0],
    )


@pytest.mark.fault(24)
def test_what_was_lost_before_is_not_blamed_on_the_wave(site: tuple) -> None:
    lab, inventory, connections, state = site
    project = _with_kmin(inventory, 180000)
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
    assert "stop the jobs before `rocefab apply`, and add --traffic-stopped to it" in describe(
        planned
    )
    assert f"{LOSS}:\n  {planned.rollout.hazards[0]}\n" in describe(planned)
    with pytest.raises(PlanError, match=f"{LOSS}: .* add --traffic-stopped"):
        applying.apply(planned, state, connections, OPTIONS, _silent)
    plain = plan(project, connections, labs.ALL, "rail", _silent)
    assert parse_plan(plain.to_json(), "plan").hazards == plain.hazards != ()
    assert f"{LOSS}:\n  {plain.hazards[0]}\n" in describe(plain)
    said: list[str] = []
    failing = replace(OPTIONS, verify_s=0.0)
    applying.apply(plain, state, connections, failing, lambda _, text: said.append(text))
    assert f"{LOSS}: {plain.hazards[0]}" in said
    labs.changed(inventory, new, old)


def test_another_as_number_of_the_spines_is_rolled_out(site: tuple) -> None:
    """The sessions of the spine come up with the leaves, and no ping passes before."""
    _, inventory, connections, state = site
    project = labs.changed(inventory, "arp:", "bgp: {spine_asn: 65200}\narp:")
    planned = _planned(project, connections)
    spine, leaves = planned.devices["spine01"], [planned.devices[f"su1-rail{n}"] for n in (0, 1)]
    assert sorted(spine.later.values()) == [2, 3]
    assert [*map(len, (leaf.due for leaf in leaves))] == [1, 1]
    assert "  2 sessions of spine01 come up with waves 2 to 3\n" in describe(planned)
    stopped = replace(OPTIONS, traffic_stopped=True)
    result = applying.apply(planned, state, connections, stopped, _silent)
    assert result.ok, result.reasons
    with pytest.raises(PlanError, match=f"{LOSS}: .*before `rocefab rollback`, and add"):
        rolling_back.rollback(result.run, state, connections, _silent)
    result = rolling_back.rollback(result.run, state, connections, _silent, options=stopped)
    assert result.ok, result.reasons
    assert {*result.rolled_back} == {*planned.devices}
    back = _planned(labs.changed(inventory, "bgp: {spine_asn: 65200}\n", ""), connections)
    assert not any(device.later for device in back.devices.values())
    assert applying.apply(back, state, connections, stopped, _silent).ok
    assert labs.unhealthy(Project(inventory), connections) == []


REJECTED = {
    "approvals": ({"approvals": 1}, Options(), "approvals of the plan: 1; given: 0"),
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


def test_hostile_words_stay_text_in_a_record(site: tuple) -> None:
    *_, state = site
    record = applying.record(state, 1)
    hostile = replace(record, events=[replace(record.events[0], detail="<script>|`x`\n# y")])
    assert "<script>" not in hostile.as_html()
    assert "<script>" not in hostile.as_markdown()
    assert "\n# y" not in hostile.as_markdown()


DRAINED = (
    TWO_LEAVES
    .replace("7060X6-64PE", "ACS-MSN4700")
    .replace("soak_s: 1, ", "soak_s: 0, ")
    .replace("drain: {", "drain: {switches: true, settle_s: 0, ")
)


STOPPED = replace(OPTIONS, traffic_stopped=True)


@pytest.fixture
def sonic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple]:
    with labs.running_lab(tmp_path, monkeypatch, DRAINED) as (lab, project, connections):
        first = plan(project, connections, labs.ALL, "rail", _silent)
        assert applying.apply(first, tmp_path / "state", connections, STOPPED, _silent).ok
        monkeypatch.chdir(tmp_path)
        yield lab, tmp_path / "inventory", connections, tmp_path / "state"


def _flapping(inventory: Path, connections: Path) -> Plan:
    """Return the plan of a change of MTU, which flaps ports."""
    project = labs.changed(inventory, "lossless:\n", "lossless:\n  mtu: {port_bytes: 9200}\n")
    planned = plan(project, connections, Selection("spine01"), "rail", _silent, rollout=True)
    return parse_plan(planned.to_json(), "plan")


def test_a_switch_is_drained_before_it_changes_and_returned_to_service(sonic: tuple) -> None:
    lab, inventory, connections, state = sonic
    planned = _flapping(inventory, connections)
    assert "traffic leaves spine01 first" in describe(planned)
    seen = {}

    def watch(device: str, text: str) -> None:
        seen[device, text.split(",", maxsplit=1)[0]] = lab["spine01"].frr.drained

    result = applying.apply(planned, state, connections, STOPPED, watch)
    assert result.ok, result.reasons
    assert seen["spine01", "commit"]
    assert seen["spine01", "verified"]
    assert not seen["", "back in service: switch spine01"]


def _failing(inventory: Path, connections: Path) -> Plan:
    """Return the same plan with a gate that never passes."""
    labs.changed(inventory, "gates: {", "gates: {command: ['false'], ")
    return _flapping(inventory, connections)


def test_a_wave_that_fails_returns_its_switch_to_service(sonic: tuple) -> None:
    lab, inventory, connections, state = sonic
    said: list[str] = []
    planned = _failing(inventory, connections)
    result = applying.apply(planned, state, connections, STOPPED, lambda _, text: said.append(text))
    assert result.rolled_back == ("spine01",)
    assert said.index("draining switch spine01") < said.index("back in service: switch spine01")
    assert not lab["spine01"].frr.drained


def test_a_switch_that_was_drained_before_stays_drained(sonic: tuple) -> None:
    lab, inventory, connections, state = sonic
    planned = _flapping(inventory, connections)
    lab["spine01"].frr.drained = True
    said: list[str] = []
    result = applying.apply(planned, state, connections, STOPPED, lambda _, text: said.append(text))
    assert result.ok, result.reasons
    assert "is drained already, and stays so" in said
    assert lab["spine01"].frr.drained


def test_a_switch_that_cannot_be_returned_is_named_until_it_is(sonic: tuple) -> None:
    """Its command is refused once: the message has what to type, and a rollback does it."""
    lab, inventory, connections, state = sonic
    planned = _failing(inventory, connections)
    vtysh = lab["spine01"].tools["vtysh"]
    said: list[str] = []

    def refuse(device: str, text: str) -> None:
        said.append(text)
        if (device, text) == ("spine01", "verified"):
            lab["spine01"].tools["vtysh"] = lambda *_: Result("", "vtysh: no daemon\n", 1)

    result = applying.apply(planned, state, connections, STOPPED, refuse)
    assert result.rolled_back == ("spine01",)
    assert lab["spine01"].frr.drained
    command = "sudo vtysh -c 'configure terminal' -c 'router bgp' -c 'no bgp graceful-shutdown'"
    told = next(text for text in said if text.startswith("spine01 is still drained: "))
    assert told.endswith(f"type on it: {command}")
    lab["spine01"].tools["vtysh"] = vtysh
    again = rolling_back.rollback(result.run, state, connections, _silent)
    assert again.ok
    assert applying.status(state)[-1]["state"] == "done"
    assert not lab["spine01"].frr.drained


def test_a_switch_without_graceful_shutdown_is_changed_and_named(site: tuple) -> None:
    _, inventory, connections, state = site
    labs.changed(inventory, "drain: {", "drain: {switches: true, settle_s: 0, ")
    said: list[str] = []
    result = applying.apply(
        _flapping(inventory, connections),
        state,
        connections,
        STOPPED,
        lambda _, text: said.append(text),
    )
    assert result.ok, result.reasons
    assert "is not drained: no graceful shutdown of eos is supported" in said


FRESH = (
    TWO_LEAVES
    .replace("gpu[1-2]", "gpu[1-3]")
    .replace("soak_s: 1, ", "soak_s: 0, wave_size: 1, canary: {hosts: 1}, ")
    .replace("gates: {ping: true}", "gates: {ping: true, rdma: true}")
)


@pytest.mark.parametrize("skipped", ["", "gpu2"])
def test_a_new_fabric_passes_its_gates(
    skipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that has no address yet, or that is skipped, need not answer the others."""
    text = (
        FRESH.replace("wave_size: 1", "wave_size: 2, min_capacity_percent: 0") if skipped else FRESH
    )
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        monkeypatch.chdir(tmp_path)
        planned = _planned(project, connections)
        assert len(planned.waves) == (5 if skipped else 6)
        assert planned.rollout
        assert len({ping for stage in planned.rollout.stages for ping in stage.pings}) > 4
        if skipped:
            lab[skipped].faults.add(Fault("refuse_line", pattern="install -D", times=0))
        options = replace(OPTIONS, max_failures=MaxFailures(count=1))
        result = applying.apply(planned, tmp_path / "state", connections, options, _silent)
        assert result.ok, result.reasons
        assert result.skipped == ((skipped,) if skipped else ())
