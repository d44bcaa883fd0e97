"""After a wave that changes leaves of tenants, no NIC of one answers a NIC of another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.gates import WaveGates
from fabric.change.model import Plan, parse_plan
from fabric.change.questions import Questions
from fabric.change.rollout import LeafPings, Ping, Stage
from fabric.core.errors import ConnectionLostError
from fabric.workflow import host_sessions
from fabric.workflow.apply import gates_of
from fabric.workflow.host_sessions import HostSessions
from fabric.workflow.leaf_pings import describe_pings, leaf_pings
from fabric.workflow.ping_gate import Isolation, Joined
from fabric.workflow.project import Project
from tests.cases import each
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.workflow.test_ping_gate import ANSWERED, LOST, Host

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"
PING = Ping("gpu002", "gpu001", "10.64.0.3", "10.64.0.1", 9000, 104)
UNPROBED = "not checked: on no host could a ping start"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    return memory_fabric.make_plan(tmp_path)


def test_pairs_of_different_tenants_behind_the_leaf(plan: Plan) -> None:
    project = Project(EXAMPLE)
    leaves = dict.fromkeys(("su1-rail0", "su2-rail1", "spine01"), plan.devices["leaf1"])
    hosts = tuple(project.hosts)
    planned = leaf_pings(project, replace(plan, devices=leaves, unchanged=hosts), None)
    pairs = {leaf: (ping.source_host, ping.target_host) for leaf, ping in planned.denied.items()}
    # Behind su2-rail1 there is red alone, so that blue is tried from another leaf.
    assert pairs == {"su1-rail0": ("gpu002", "gpu001"), "su2-rail1": ("gpu002", "gpu003")}
    asked = "gate isolation: 2 pings between tenants must not be answered"
    assert asked in describe_pings(replace(plan, leaf_pings=planned))


def test_a_plan_file_keeps_them(plan: Plan) -> None:
    whole = replace(plan, leaf_pings=LeafPings({}, "none", {"leaf1": PING}))
    assert parse_plan(whole.to_json(), "plan").leaf_pings == whole.leaf_pings
    with ThreadPoolExecutor(1) as pool:
        assert [
            type(gate) for gate in gates_of(whole, HostSessions({}), Questions(pool, silent))
        ] == [Isolation]


def sessions() -> HostSessions:
    """Return sessions with hosts that are their own connections."""
    known: Any = {name: name for name in ("gpu001", "gpu002", "gpu004")}
    return HostSessions(known)


@pytest.mark.parametrize(
    ("answer", "problem", "passed"),
    [
        (LOST, "", "passed, 1 ping"),
        (ANSWERED, f"{PING}: another tenant answers", ""),
        ("connect: Cannot assign requested address", "", UNPROBED),
        (None, "", UNPROBED),
    ],
)
def test_what_the_gate_says(
    monkeypatch: pytest.MonkeyPatch, answer: str | None, problem: str, passed: str
) -> None:
    def opened(host: str) -> Host:
        if answer is None:
            raise ConnectionLostError(host, "cannot log in")
        return Host(answer)

    monkeypatch.setattr(host_sessions, "open_driver", opened)
    stage = LeafPings({}, "", {"leaf1": PING}).stage(("leaf1",))
    assert stage is not None
    with ThreadPoolExecutor(1) as pool:
        gate = Isolation(sessions(), Questions(pool, silent), {"leaf1": 0})
        assert gate.begin(stage) == []
        assert gate.after_change(stage) == ([problem] if problem else [])
        assert not passed or gate.passed == passed


@pytest.mark.parametrize("changed", ["leaf1", "gpu002"])
def test_a_host_without_its_address(monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    """It is a failure on a host that the plan changes, and else the NIC is not probed."""
    monkeypatch.setattr(host_sessions, "open_driver", lambda _: Host("connect: Cannot assign"))
    stage = LeafPings({}, "", joined={"leaf1": (PING,)}).stage(("leaf1",))
    assert stage is not None
    with ThreadPoolExecutor(1) as pool:
        gate = Joined(sessions(), Questions(pool, silent), {changed: 0})
        problems = gate.after_change(stage)
    if changed == "gpu002":
        assert problems == [f"{PING}: ping could not start"]
    else:
        assert problems == []
        assert gate.passed == "not checked: no address on gpu002 yet, and this plan sets none"


OTHER = replace(PING, source_host="gpu004", source="10.64.0.7")
UNSET = "connect: Cannot assign"
NO_ADDRESS = "no address on gpu004 yet, and this plan sets none"
#: What NICs that enter a tenant answer in a wave, by their hosts; what the gate says.
ENTERED: dict[str, tuple[dict[str, str], str]] = {
    "all answer": ({"gpu002": ANSWERED, "gpu004": ANSWERED}, "passed, 2 pings"),
    "one has no address": (
        {"gpu002": ANSWERED, "gpu004": UNSET},
        f"passed, 1 ping; {NO_ADDRESS}",
    ),
    "none has an address": ({"gpu004": UNSET}, f"not checked: {NO_ADDRESS}"),
    "none enters": ({}, "not asked in this wave"),
}


@each("name", ENTERED)
def test_what_the_gate_of_new_nics_says(name: str) -> None:
    """It passed where something was asked, and nowhere else."""
    answers, said = ENTERED[name]
    pings = tuple(ping for ping in (PING, OTHER) if ping.source_host in answers)
    stage = LeafPings({}, "", {"leaf1": PING}, {"leaf1": pings}).stage(("leaf1",))
    assert stage is not None
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(host_sessions, "open_driver", lambda host: Host(answers[host]))
        gate = Joined(sessions(), Questions(pool, silent), {"leaf1": 0})
        assert gate.after_change(stage) == []
    assert gate.passed == said


#: What the host of a NIC that is mute says, which the plan does not change; what the gate says.
MUTE: dict[str, tuple[str | None, str]] = {
    "it has no address": (UNSET, "not checked: no address on gpu001 yet, and this plan sets none"),
    "nobody can log in": (None, "not checked: no login to gpu001, which this plan does not change"),
    "it has its address": (LOST, f"{PING}: 0 of 3 replies"),
}


@each("name", MUTE)
def test_a_host_that_the_plan_does_not_change(name: str) -> None:
    """Its leaf may come before it: it stops no run until it has its address."""
    answer, said = MUTE[name]

    def opened(host: str) -> Host:
        if host == PING.target_host and answer is None:
            raise ConnectionLostError(host, "cannot log in")
        return Host(answer if host == PING.target_host else LOST)

    stage = LeafPings({}, "", joined={"leaf1": (PING,)}).stage(("leaf1",))
    assert stage is not None
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(host_sessions, "open_driver", opened)
        gate = Joined(sessions(), Questions(pool, silent), {"leaf1": 0})
        problems = gate.after_change(stage)
    assert (problems or [gate.passed]) == [said]


def test_who_is_behind_a_leaf_that_was_skipped_is_not_asked() -> None:
    """The leaf was rolled back: its NICs are still in quarantine, or not there."""
    behind = replace(PING, leaves=("su1-rail0", "su2-rail0"))
    other = replace(OTHER, leaves=("su1-rail1",))
    stages: list[Stage] = []

    class Keeping(Joined):
        def begin(self, stage: Stage) -> list[str]:
            stages.append(stage)
            return []

    stage = Stage("host", ("gpu002", "gpu004"), pings=(behind, other), joined=(behind, other))
    crew: Any = None
    with ThreadPoolExecutor(1) as pool:
        gate = Keeping(sessions(), Questions(pool, silent), {})
        WaveGates(crew, stage, (gate,), None, {"su2-rail0": "not healthy"}).begin()
    assert [(one.pings, one.joined) for one in stages] == [((other,), (other,))]


def test_a_wave_between_no_tenants_asks_for_no_isolation() -> None:
    stage = LeafPings({}, "", joined={"leaf1": (PING,)}).stage(("leaf1",))
    assert stage is not None
    with ThreadPoolExecutor(1) as pool:
        gate = Isolation(sessions(), Questions(pool, silent), {"leaf1": 0})
        assert gate.after_change(stage) == []
    assert gate.passed == "not asked in this wave"


def test_pairs_that_were_not_probed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"gpu002": LOST, "gpu004": UNSET}
    monkeypatch.setattr(host_sessions, "open_driver", lambda host: Host(answers[host]))
    stage = LeafPings({}, "", {"leaf1": PING, "leaf2": OTHER}).stage(("leaf1", "leaf2"))
    assert stage is not None
    with ThreadPoolExecutor(1) as pool:
        gate = Isolation(sessions(), Questions(pool, silent), {"leaf1": 0, "leaf2": 0})
        assert gate.after_change(stage) == []
    assert gate.passed == "passed, 1 ping; 1 of 2 pairs was not probed"
