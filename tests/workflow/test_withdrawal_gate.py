"""Routes as a gate: a leaf that still has what left a tenant, and one that does not say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change import gates as gates_module
from fabric.change.apply import Applier, Options, Result
from fabric.change.budget import MaxFailures
from fabric.change.journal import Journal
from fabric.change.model import Plan, parse_plan
from fabric.change.questions import Questions
from fabric.change.rollout import LeafPings, Ping, RolloutPlan, Stage, Withdrawal
from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.intent.rollout_model import Rollout
from fabric.workflow import withdrawal_gate
from fabric.workflow.apply import gates_of
from fabric.workflow.host_sessions import HostSessions
from fabric.workflow.withdrawal_gate import Withdrawn
from tests.cases import each
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.change.scripted import ScriptedDriver, scripted_fabric

NET = "10.64.0.0/31"
GONE = "% Network not in table\n"
THERE = f'Routing entry for {NET}\n  Known via "bgp", distance 20, metric 0, vrf Vrf17, best\n'
ONE = Withdrawal("leaf1", "Vrf17", (NET,), {"far1": "cumulus", "far2": "cumulus"})
NEITHER = "it says neither that there is a route nor that there is none"
LEAK = (
    f"far1 still has a route to {NET} in Vrf17, which left that VRF on leaf1: look there where the "
    "route comes from, remove it, and look that it is gone before the host is handed over; then "
    "plan and apply again"
)


@dataclass
class Leaves:
    """Leaves and what each says next; the last answer stays. None: no login."""

    answers: dict[str, list[str | None]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def open_driver(self, leaf: str) -> Any:
        self.asked.append(leaf)
        left = self.answers.get(leaf, [GONE])
        answer = left.pop(0) if len(left) > 1 else left[0]
        if answer is None:
            raise ConnectionLostError(leaf, "cannot log in")
        return _Session(answer)


@dataclass
class _Session:
    answer: str

    def read_route(self, vrf: str, prefix: str) -> str:
        assert (vrf, prefix) == ("Vrf17", NET)
        return self.answer

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def leaves(monkeypatch: pytest.MonkeyPatch) -> Leaves:
    leaves = Leaves()
    monkeypatch.setattr(withdrawal_gate, "open_driver", leaves.open_driver)
    monkeypatch.setattr(gates_module, "_POLL_S", 0.01)
    return leaves


#: What is withdrawn, answers; what is wrong, and what is said where nothing is.
CASES: dict[str, tuple[Withdrawal, dict[str, list[str | None]], list[str], str]] = {
    "it is gone": (ONE, {}, [], "passed, 2 leaves"),
    "one has it": (ONE, {"far1": [THERE]}, [LEAK], ""),
    "one is away": (
        ONE,
        {"far2": [None]},
        ["far2 cannot be asked for routes: cannot log in"],
        "",
    ),
    "one has no such VRF": (
        ONE,
        {"far2": ["% VRF Vrf17 not found\n"]},
        [
            f"far2 does not say whether routes are gone: {NEITHER}: '% VRF Vrf17 not found'",
        ],
        "",
    ),
    "one is not asked": (
        replace(ONE, unasked={"far3": "away"}),
        {},
        [],
        "passed, 2 leaves; not checked: far3 (away)",
    ),
    "none is asked": (
        replace(ONE, systems={}, unasked={"far[3]": "away"}),
        {},
        [],
        "not checked: far[3] (away)",
    ),
    "there is no other leaf": (
        replace(ONE, systems={}, silent="no other leaf has Vrf17"),
        {},
        [],
        "nothing is asked for leaf1: no other leaf has Vrf17",
    ),
}


@each("name", CASES)
def test_what_the_gate_says(leaves: Leaves, name: str) -> None:
    one, answers, wrong, passed = CASES[name]
    leaves.answers = {leaf: [*own] for leaf, own in answers.items()}
    stage = LeafPings({}, withdrawn=(one,)).stage(("leaf1",))
    assert stage is not None
    with ThreadPoolExecutor(2) as pool:
        gate = Withdrawn({"far1": "far1", "far2": "far2"}, Questions(pool, silent))  # type: ignore[dict-item]
        assert gate.begin(stage) == []
        assert gate.after_change(stage) == wrong
        assert wrong or gate.passed == passed


def test_the_wave_of_another_leaf_asks_nothing() -> None:
    assert LeafPings({}, withdrawn=(ONE,)).stage(("leaf2",)) is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with scripted_fabric(tmp_path, monkeypatch) as ready:
        yield ready


class _KilledError(BaseException):
    """Ends a run as a kill does."""


Apply = Callable[..., tuple[Result, list[str]]]


@pytest.fixture
def applied(folder: Path) -> Apply:
    """Return what applies a plan in whose second wave ports of leaf1 leave a tenant."""

    def made() -> Plan:
        plan = memory_fabric.make_plan(folder)
        one_way = replace(plan.devices["leaf1"], one_way="a port leaves red")
        return replace(plan, devices={**plan.devices, "leaf1": one_way})

    def apply(
        *, rollout: bool = False, resumed: bool = False, **options: Any
    ) -> tuple[Result, list[str]]:
        journal = Journal(folder / "state")
        plan = parse_plan(journal.run(1).plan, "plan") if resumed else made()
        if resumed:
            pass
        elif rollout:
            stages = tuple(Stage("leaf", wave) for wave in plan.waves)
            staged = tuple(LeafPings({}, withdrawn=(ONE,)).of_tenants(one) for one in stages)
            policy = Rollout.model_validate({"soak_s": 0, "gates": {"ping": False}})
            plan = replace(plan, rollout=RolloutPlan(policy, staged))
        else:
            denied = {"leaf1": Ping("gpu1", "gpu2", "10.0.0.1", "10.0.0.2", 9000, 104)}
            denied = denied if options.get("traffic_stopped") else {}
            plan = replace(plan, leaf_pings=LeafPings({}, "none", denied, withdrawn=(ONE,)))
        lines: list[str] = []
        with ThreadPoolExecutor(4) as pool:
            asked: Any = {"far1": "far1", "far2": "far2"}
            every = gates_of(plan, HostSessions(asked), Questions(pool, silent))
            gates = [gate for gate in every if gate.name != "counters"]
            assert isinstance(gates[0], Withdrawn)

            working = Applier(
                journal,
                memory_fabric.connections(folder),
                pool,
                lambda device, text: lines.append(f"{device}: {text}"),
                replace(Options(verify_s=0.3, poll_s=0.01), **options),
                gates,
            )
            return working.resume(1, plan) if resumed else working.apply(plan), lines

    return apply


@pytest.mark.parametrize("rollout", [False, True])
def test_a_route_that_takes_a_moment_is_looked_at_again(
    leaves: Leaves, applied: Apply, rollout: bool
) -> None:
    leaves.answers["far1"] = [THERE, THERE, GONE]
    result, _ = applied(rollout=rollout, verify_s=30.0)
    assert result.ok, result.reasons
    assert leaves.asked.count("far1") >= 3


def test_a_login_that_fails_late_is_tried_again(
    leaves: Leaves, applied: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to ask again begins with the answers, however long those take."""
    leaves.answers["far1"] = [None, GONE]
    opened = leaves.open_driver

    def slowly(leaf: str) -> Any:
        time.sleep(0 if leaf in leaves.asked else 0.5)
        return opened(leaf)

    monkeypatch.setattr(withdrawal_gate, "open_driver", slowly)
    result, _ = applied(verify_s=0.3)
    assert result.ok, result.reasons
    assert leaves.asked.count("far1") == 2


@pytest.mark.parametrize("rollout", [False, True])
def test_each_wave_has_one_line_of_the_gate(
    folder: Path, leaves: Leaves, applied: Apply, rollout: bool
) -> None:
    """A roll-out looks twice, and prints the last look."""
    result, lines = applied(rollout=rollout)
    assert result.ok, result.reasons
    assert leaves.asked.count("far1") == 1 + rollout
    said = [line.removeprefix(": ") for line in lines if "gate withdrawal" in line]
    unasked = ["gate withdrawal: not asked in this wave"]
    assert said == [*(unasked if rollout else []), "gate withdrawal: passed, 2 leaves"]
    events = Journal(folder / "state").own_events(1)
    assert set(said) == {one.detail for one in events if "gate withdrawal" in one.detail}


@pytest.mark.parametrize("options", [{}, {"rollout": True}, {"traffic_stopped": True}])
def test_a_route_that_stays_ends_the_run(
    leaves: Leaves, folder: Path, applied: Apply, options: dict[str, bool]
) -> None:
    """It is asked for without traffic too, and hosts are not; a restart undoes nothing."""
    leaves.answers["far1"] = [THERE]
    result, lines = applied(**options)
    assert not result.ok
    assert result.reasons == (f"gate withdrawal: {LEAK}",)
    assert not [line for line in lines if "isolation" in line]
    assert memory_fabric.state(folder, "leaf1")["startup"] == memory_fabric.wanted()
    assert memory_fabric.state(folder, "leaf2")["running"] == memory_fabric.BEFORE


def test_a_leaf_that_did_not_change_withdraws_nothing(leaves: Leaves, applied: Apply) -> None:
    leaves.answers["far1"] = [THERE]
    ScriptedDriver.fail("leaf1", "stage", RefusedError("leaf1", "no space left"))
    result, _ = applied(max_failures=MaxFailures(1))
    assert result.ok, result.reasons
    assert leaves.asked == []


def test_a_kill_before_the_gate_is_made_up_for_by_resume(
    leaves: Leaves, folder: Path, applied: Apply
) -> None:
    def killed(_gate: Withdrawn, _stage: Stage) -> list[str]:
        raise _KilledError

    leaves.answers["far1"] = [THERE]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Withdrawn, "after_change", killed)
        with pytest.raises(_KilledError):
            applied()
    assert leaves.asked == []
    result, _ = applied(resumed=True)
    assert not result.ok
    assert result.reasons == (f"gate withdrawal: {LEAK}",)
    assert memory_fabric.state(folder, "leaf1")["startup"] == memory_fabric.wanted()
    assert Journal(folder / "state").unfinished() is None


def test_a_leaf_that_was_skipped_is_not_asked() -> None:
    one = ONE.without({"far1"})
    assert (one.systems, one.unasked) == ({"far2": "cumulus"}, {"far1": "skipped in this run"})
