"""How many people approve a plan is what ``fabric.yaml`` says at apply, whatever the plan says."""

from __future__ import annotations

import dataclasses
import os
import pwd
import shutil
from pathlib import Path
from typing import Any

import pytest

from fabric.change.actor import Actor, user
from fabric.change.approvals import Approvals, demanded
from fabric.change.journal import Journal
from fabric.change.model import Plan, parse_plan
from fabric.change.options import Options
from fabric.core.errors import InputError, PlanError
from fabric.intent.demanded import approvals_demanded
from fabric.workflow import apply as workflow
from fabric.workflow import approvals
from fabric.workflow.plan import origin_of
from tests.cases import each
from tests.change import memory_fabric
from tests.cli.runs import process

EXAMPLE = Path(__file__).parents[2] / "inventory" / "mixed"


def demanding(folder: Path, people: int) -> Path:
    """Return an inventory that demands approvals of each plan."""
    shutil.copytree(EXAMPLE, folder)
    with (folder / "fabric.yaml").open("a") as file:
        file.write(f"\nrollout: {{approvals: {people}}}\n")
    return folder


@pytest.fixture
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(tmp_path))
    return tmp_path


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    return demanding(tmp_path / "inventory", 1)


@pytest.fixture
def plan(devices: Path, inventory: Path) -> Plan:
    return dataclasses.replace(
        memory_fabric.make_plan(devices),
        origin=dataclasses.replace(origin_of(inventory, 1), author="alice"),
    )


def apply(folder: Path, plan: Plan, given: Approvals | None = None, **freshness: Any) -> Any:
    return workflow.apply(
        *(plan, folder / "state", None),
        Options(poll_s=0.01, approvals=given),
        lambda *_: None,
        freshness=workflow.Freshness(**freshness),
    )


def by(plan: Plan, name: str) -> Approvals:
    return Approvals(plan_sha256=plan.sha256).given(name)


#: What somebody writes into the origin of a plan, whose digest they make again.
EDITS: dict[str, dict[str, Any] | None] = {
    "no approvals": {"approvals": 0},
    "an inventory that is nowhere": {"approvals": 0, "inventory": "/none"},
    "an inventory without a need": {"approvals": 0, "inventory": str(EXAMPLE)},
    "no author": {"author": ""},
    "no origin": None,
}


@each("edit", EDITS.values())
def test_an_edited_plan_needs_no_fewer_approvals(
    devices: Path, inventory: Path, plan: Plan, edit: dict[str, Any] | None
) -> None:
    origin = None if edit is None else dataclasses.replace(plan.origin, **edit)
    edited = parse_plan(dataclasses.replace(plan, origin=origin).to_json(), "plan")
    with pytest.raises(PlanError):
        apply(devices, edited)
    with pytest.raises(PlanError, match="demands approvals of the plan: 1"):
        apply(devices, edited, inventory=inventory)
    with pytest.raises(PlanError, match="demands approvals of the plan: 1"):
        workflow.check_approvals(edited, Options(), workflow.Freshness(inventory=inventory))
    assert Journal(devices / "state").runs() == []


def test_of_a_plan_without_an_author_no_approval_counts(
    devices: Path, inventory: Path, plan: Plan, tmp_path: Path
) -> None:
    nobody = dataclasses.replace(plan, origin=dataclasses.replace(plan.origin, author=""))
    with pytest.raises(PlanError, match="does not say who made it"):
        apply(devices, nobody, by(nobody, "bob"))
    (tmp_path / "plan.json").write_text(nobody.to_json())
    with pytest.raises(PlanError, match="does not say who made it"):
        approvals.approve(tmp_path / "plan.json")
    assert apply(devices, plan, by(plan, "bob")).ok


def test_a_demand_that_comes_after_the_plan_counts(devices: Path, plan: Plan) -> None:
    path = Path(plan.origin.inventory) / "fabric.yaml"
    path.write_text(path.read_text().replace("approvals: 1", "approvals: 2"))
    with pytest.raises(PlanError, match="demands approvals of the plan: 2; given: 1"):
        apply(devices, plan, by(plan, "bob"), despite_inventory=True)
    path.write_text(path.read_text().replace("approvals: 2", "approvals: none"))
    with pytest.raises(InputError) as caught:
        apply(devices, plan, by(plan, "bob"), despite_inventory=True)
    (finding,) = caught.value.findings
    assert "fabric.yaml:" in str(finding)
    assert "rollout.approvals" in str(finding)


def test_every_example_says_how_many_people_approve() -> None:
    assert approvals_demanded(EXAMPLE) == 0
    with pytest.raises(InputError):
        approvals_demanded(EXAMPLE / "devices")


#: What an environment says of who works; it does not count.
LOGNAMES = ("carol", "a b", "", "\x1b[2J")


@each("name", LOGNAMES)
def test_a_name_is_that_of_the_account(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, name)
    account = pwd.getpwuid(os.getuid()).pw_name
    assert user() == account
    assert Actor().user == account


def test_who_calls_themselves_another_cannot_approve_the_own_plan(
    tmp_path: Path, plan: Plan
) -> None:
    own = dataclasses.replace(plan, origin=dataclasses.replace(plan.origin, author=user()))
    file = tmp_path / "plan.json"
    file.write_text(own.to_json())
    done = process("approve", file, LOGNAME="carol", USER="carol")
    assert (done.code, "another person has to approve it" in done.err) == (2, True)
    assert not approvals.file_of(file).exists()


#: Names of accounts that a file of approvals cannot hold.
NAMES = ("a b", "uid 4711", "jürgen", "x" * 129, "")


@each("name", NAMES)
def test_an_account_that_cannot_be_named_is_told_so(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(plan.to_json())
    monkeypatch.setattr(approvals, "user", lambda: name)
    for withdraw in (False, True):
        with pytest.raises(PlanError, match="is not one of visible ASCII characters"):
            approvals.approve(file, withdraw=withdraw)
    assert not approvals.file_of(file).exists()


def test_the_number_is_the_larger_one(plan: Plan) -> None:
    more = dataclasses.replace(plan, origin=dataclasses.replace(plan.origin, approvals=3))
    assert (demanded(plan), demanded(more), demanded(plan, EXAMPLE)) == (1, 3, 1)
