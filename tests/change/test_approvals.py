"""Approvals of plans: whose count, of which plan, and what apply says."""

from __future__ import annotations

import dataclasses
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.change.apply import Applier, check_approvals
from fabric.change.approvals import (
    MOST_BYTES,
    Approval,
    Approvals,
    approvers,
    needed,
    read_approvals,
)
from fabric.change.journal import Journal
from fabric.change.model import parse_plan
from fabric.change.options import Options
from fabric.change.origin import Origin
from fabric.core.errors import InputError, PlanError
from fabric.workflow import approvals as workflow
from fabric.workflow.plan_text import describe
from tests.change import memory_fabric
from tests.change.scripted import ScriptedDriver

ORIGIN = Origin("/inventory", "0" * 64, "", "1", time.time(), "alice", 1)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch, ScriptedDriver)
    ScriptedDriver.reset()
    memory_fabric.create(tmp_path)
    return dataclasses.replace(memory_fabric.make_plan(tmp_path), origin=ORIGIN)


@pytest.fixture(autouse=True)
def account(monkeypatch):
    monkeypatch.setattr("fabric.change.apply.user", lambda: "carol")
    monkeypatch.setattr("fabric.workflow.approvals.user", lambda: "bob")


def of(plan, *names):
    given = Approvals(plan_sha256=plan.sha256)
    for name in names:
        given = given.given(name)
    return given


#: Names that approve, how many are demanded, and whether that is enough; alice made the plan and
#: carol applies it.
CASES = [
    ((), 1, False),
    (("bob",), 1, True),
    (("alice",), 1, False),
    (("Alice",), 1, False),
    (("carol",), 1, False),
    (("bob", "bob"), 2, False),
    (("bob", "BOB"), 2, False),
    (("bob", "dave"), 2, True),
    ((), 0, True),
]


@pytest.mark.parametrize(("names", "demanded", "enough"), CASES)
def test_four_eyes(plan, names, demanded, enough):
    plan = dataclasses.replace(plan, origin=dataclasses.replace(ORIGIN, approvals=demanded))
    options = Options(approvals=of(plan, *names) if names else None)
    if enough:
        check_approvals(plan, options)
        return
    with pytest.raises(PlanError, match=r"without those of carol and alice; add --approvals"):
        check_approvals(plan, options)


def test_what_is_withdrawn_does_not_count_until_it_is_given_again(plan):
    given = of(plan, "bob").withdrawn("Bob")
    assert approvers(plan, given, "carol") == []
    assert [one.name for one in approvers(plan, given.given("bob"), "carol")] == ["bob"]


def test_approvals_of_another_plan_are_an_error(plan):
    other = dataclasses.replace(plan, origin=dataclasses.replace(ORIGIN, revision="other"))
    with pytest.raises(PlanError, match="ask for approval of this plan"):
        check_approvals(plan, Options(approvals=of(other, "bob")))


def test_the_digest_is_that_of_the_file(plan, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(plan.to_json())
    assert parse_plan(file.read_text(), "plan").sha256 == plan.sha256
    assert needed(parse_plan(file.read_text(), "plan")) == 1
    assert "approvals needed: 1 (`rocefab apply --approvals`)" in describe(plan)


def test_approve_writes_a_file_that_apply_takes(plan, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(plan.to_json())
    path, _, demanded = workflow.approve(file)
    assert demanded == 1
    check_approvals(plan, Options(approvals=workflow.approvals_of(plan, str(path))))
    workflow.approve(file, withdraw=True)
    with pytest.raises(PlanError):
        check_approvals(plan, Options(approvals=workflow.approvals_of(plan, str(path))))


def test_the_author_cannot_approve(plan, tmp_path, monkeypatch):
    file = tmp_path / "plan.json"
    file.write_text(plan.to_json())
    monkeypatch.setattr("fabric.workflow.approvals.user", lambda: "alice")
    with pytest.raises(PlanError, match="alice made this plan"):
        workflow.approve(file)


WRONG = [
    "",
    "[]",
    "{}",
    json.dumps({"plan_sha256": "x"}),
    json.dumps({"plan_sha256": "0" * 64, "approvals": [{"name": "a b", "at": 0}]}),
    json.dumps({"plan_sha256": "0" * 64, "more": 1}),
    "[" * 5000,
]


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_is_named(tmp_path, text):
    file = tmp_path / "approvals"
    file.write_text(text)
    with pytest.raises(InputError, match="no approvals: "):
        read_approvals(file)


def test_a_file_of_approvals_has_a_largest_size(tmp_path):
    file = tmp_path / "approvals"
    whole = Approvals(plan_sha256="0" * 64).model_dump_json()
    file.write_text(whole.ljust(MOST_BYTES))
    assert read_approvals(file).approvals == ()
    file.write_text(whole.ljust(MOST_BYTES + 1))
    with pytest.raises(InputError, match="the file is larger than 1 MiB"):
        read_approvals(file)


@pytest.mark.parametrize(
    "url",
    ["http://example.net", "ftp://127.0.0.1", "https://", "https://a@b", "file:///etc/passwd"],
)
def test_a_token_is_sent_to_safe_addresses_alone(plan, url):
    with pytest.raises(InputError, match="is not https"):
        workflow.approvals_of(plan, url)


def test_the_journal_has_who_approved_and_when(plan, tmp_path):
    at = Approval(name="bob", at=0.0)
    given = Approvals(plan_sha256=plan.sha256, approvals=(at,))
    journal, connections = Journal(tmp_path / "state"), memory_fabric.connections(tmp_path)
    options = Options(verify_s=0.05, poll_s=0.01, approvals=given)
    with ThreadPoolExecutor(4) as pool:
        assert Applier(journal, connections, pool, lambda *_: None, options).apply(plan).ok
    rows = journal.events(1)
    assert "approved by bob at 1970-01-01 00:00:00 UTC" in rows[0].detail
