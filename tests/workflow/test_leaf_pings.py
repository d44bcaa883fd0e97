"""One pair of NICs through each leaf that a plan without a roll-out changes, or why none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.model import Missing, Plan, parse_plan
from fabric.change.rollout import LeafPings, Ping, RolloutPlan, Stage
from fabric.intent.rollout_model import Gates, Rollout
from fabric.workflow.leaf_pings import describe_pings, leaf_pings, with_tenants
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.rollout import describe_rollout
from tests.cases import each
from tests.change import labs, memory_fabric
from tests.change.test_rollout_lab import TWO_LEAVES

LEAVES = ("su1-rail0", "su1-rail1")
HOSTS = ("gpu1", "gpu2")
NO_OTHER = "hosts behind su1-rail[0-1] reach no other host in the connections"
BOTH = "pings before and after each wave: 2 pairs of NICs, one for each leaf that changes"
#: Devices that change and that do not, hosts that the file names and that could not be read; the
#: line of the plan.
CASES = {
    "hosts are read": ((LEAVES, HOSTS, (), ()), BOTH),
    "hosts are only named": ((LEAVES, (), HOSTS, ()), BOTH),
    "hosts change too": (((*LEAVES, *HOSTS), (), (), ()), BOTH),
    "one leaf changes": (
        (LEAVES[1:], HOSTS, (), ()),
        "pings before and after each wave: 1 pair of NICs, one for each leaf that changes",
    ),
    "no leaf changes": (
        (("spine01",), HOSTS, (), ()),
        "no packet will be sent: no leaf changes",
    ),
    "only hosts change": ((HOSTS, (), (), ()), "no packet will be sent: no leaf changes"),
    "no host is known": (
        (LEAVES, (), (), ()),
        "no packet will be sent: no host behind su1-rail[0-1] is in the connections",
    ),
    "a single host is known": (
        (LEAVES, (), ("gpu2",), ()),
        f"no packet will be sent: {NO_OTHER}",
    ),
    "a host could not be read": (
        (LEAVES, (), HOSTS, ("gpu1",)),
        f"no packet will be sent: {NO_OTHER}",
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(labs.write_inventory(tmp_path_factory.mktemp("two") / "inventory", TWO_LEAVES))


@each("name", CASES)
def test_the_plan_says_what_is_sent(project, tmp_path, name):
    (changed, unchanged, named, missing), line = CASES[name]
    file = tmp_path / "connections.json"
    file.write_text(json.dumps({"devices": {host: {} for host in named}}))
    devices = dict.fromkeys(changed)
    gone = {host: Missing("no route to host", "") for host in missing}
    plan = Plan("two", (tuple(changed),), devices, tuple(unchanged), missing=gone)
    pings = leaf_pings(project, plan, file if named else None)
    assert describe_pings(replace(plan, leaf_pings=pings)) == line
    for leaf, ping in pings.pings.items():
        rail = int(leaf[-1])
        assert ping.source_host != ping.target_host
        ends = {project.hosts[host].nics[rail].address for host in HOSTS}
        assert ping.source in ends


def test_a_leaf_without_hosts_is_named_beside_the_others(project):
    plan = Plan("two", (LEAVES,), dict.fromkeys(LEAVES), HOSTS)
    whole = leaf_pings(project, plan, None)
    part = LeafPings({LEAVES[0]: whole.pings[LEAVES[0]]}, "no host behind su1-rail1 is there")
    assert describe_pings(replace(plan, leaf_pings=part)) == (
        "pings before and after each wave: 1 pair of NICs, one for each leaf that changes; none "
        "for the others: no host behind su1-rail1 is there"
    )


#: Gates of a roll-out -> whether it has the pairs of a plan without one, and how they are named.
GATES = {
    "no gate of packets": ({}, True, "counters, ping"),
    "pings by all kinds of path": ({"ping": True}, False, "counters, ping"),
    "reads and writes of memory": ({"rdma": True}, False, "counters, rdma"),
    "no gate at all": ({"counters": False}, True, "ping"),
}


@each("name", GATES)
def test_a_roll_out_pings_no_less(project, name):
    gates, has_pairs, words = GATES[name]
    stages = (Stage("leaf", LEAVES),)
    rollout = RolloutPlan(Rollout(gates=Gates(**gates)), stages)
    plan = Plan("two", (LEAVES,), dict.fromkeys(LEAVES), HOSTS, rollout=rollout)
    planned = with_tenants(plan, leaf_pings(project, plan, None))
    assert describe_pings(planned) == (BOTH if has_pairs else "")
    assert next(describe_rollout(planned)) == f"gates of each wave: {words}; soak 0 s"


def test_the_file_of_a_plan_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    ping = Ping("gpu1", "gpu2", "10.0.0.1", "10.0.0.2", 9000, 104)
    plan = replace(memory_fabric.make_plan(tmp_path), leaf_pings=LeafPings({"leaf1": ping}, "why"))
    again = parse_plan(plan.to_json(), "plan")
    assert again.leaf_pings == plan.leaf_pings
    assert "none for the others: why\n" in describe(again)
    assert parse_plan(replace(plan, leaf_pings=None).to_json(), "plan").leaf_pings is None
