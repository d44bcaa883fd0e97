"""NICs with two ports: one that carries nothing costs bandwidth, and no host."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fabric.core.errors import NoRoomError
from fabric.core.exports import export, exporters
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.state import Condition, Health, State
from fabric.placement.engine.traffic import Traffic, parse_traffic
from fabric.placement.environment import environment
from fabric.placement.exporters.node_health import NodeHealth
from fabric.placement.place import placed, warnings_of
from fabric.topology import Fabric
from fabric.workflow.hashed_load import hashed_load
from tests.cases import each
from tests.placement.instances import ASKED
from tests.topology.fabrics import example, fabric

LOST = (Health.DOWN, Health.DRAINED, Health.WINDOW)


@cache
def two_units(planes: int = 1) -> Fabric:
    return fabric(nic_ports=2, planes=planes)


def engine(*conditions: Condition, of: Fabric | None = None) -> Engine:
    return Engine(of or example("dual-tor"), State(conditions))


def status(host: str, *conditions: Condition) -> tuple[str, str, str]:
    """Return status, reason and message of a node, as `export node-health` writes them."""
    files = export(NodeHealth(example("dual-tor"), conditions), exporters["node-health"]).files
    texts = {file.path: file.text for file in files}
    (found,) = json.loads(texts[f"{host}.status.json"])["status"]["conditions"]
    is_tainted = f"node {host} taint\n" in texts["apply.sh"]
    assert is_tainted == (found["status"] == "False")
    return found["status"], found["reason"], found["message"]


@each("health", LOST)
@each(
    ("subject", "hosts"),
    [("su1-rail0-a", 8), ("gpu03:eth1", 1), ("gpu03:eth2", 1), ("su1-rail1-b:Ethernet0", 1)],
)
def test_a_port_that_carries_nothing_costs_bandwidth(
    subject: str, hosts: int, health: Health
) -> None:
    loss = Condition(subject, health, "x")
    answer = engine(loss).place(Query(8))
    words = {Health.WINDOW: "in a change window"}.get(health, health)
    reason = f"{subject} is {words}: x; a NIC has 50 % of its bandwidth left"
    assert [why for _, why in answer.graded] == [reason] * hosts
    assert answer.unusable == answer.stopped == ()
    assert status(answer.graded[0][0], loss) == ("True", "Degraded", reason)


def down(*subjects: str) -> tuple[Condition, ...]:
    return tuple(Condition(subject, Health.DOWN) for subject in subjects)


def half(subject: str) -> Condition:
    return Condition(subject, Health.DEGRADED, capacity=0.5)


SLOW = half("gpu03:eth2")
EMPTY = Condition("gpu03:eth1", Health.DEGRADED, capacity=0.0)
NO_PORT = "no port of the NIC of rail 0 carries traffic: "


@each(
    ("conditions", "reason", "takes_jobs"),
    [
        (
            down("gpu03:eth1", "gpu03:eth4"),
            "gpu03:eth1 is down; gpu03:eth4 is down; a NIC has 50 % of its bandwidth left",
            True,
        ),
        (
            (*down("gpu03:eth1"), SLOW),
            "gpu03:eth1 is down; gpu03:eth2 is degraded; a NIC has 25 % of its bandwidth left",
            True,
        ),
        ((EMPTY,), "gpu03:eth1 is degraded; a NIC has 50 % of its bandwidth left", True),
        (
            down("gpu03:eth1", "gpu03:eth2"),
            f"{NO_PORT}gpu03:eth1 is down; gpu03:eth2 is down",
            False,
        ),
        (
            down("gpu03:eth1", "su1-rail0-b"),
            f"{NO_PORT}gpu03:eth1 is down; su1-rail0-b is down",
            False,
        ),
        (
            (*down("gpu03:eth2"), EMPTY),
            f"{NO_PORT}gpu03:eth1 is degraded; gpu03:eth2 is down",
            False,
        ),
        (
            down("gpu03:eth1", "gpu03:eth3", "gpu03:eth4"),
            "no port of the NIC of rail 1 carries traffic: gpu03:eth3 is down; gpu03:eth4 is down",
            False,
        ),
        (down("gpu03:eth1", "gpu03"), "gpu03 is down", False),
        ((replace(SLOW, subject="gpu03", capacity=0.0),), "gpu03 is degraded", False),
    ],
)
def test_a_host_takes_jobs_while_each_nic_has_a_port(
    conditions: tuple[Condition, ...], reason: str, takes_jobs: bool
) -> None:
    usable = engine(*conditions)
    answer = usable.place(Query(1, hosts=("gpu03",)))
    assert dict(answer.graded)["gpu03"] == reason
    assert (answer.stopped == ()) == takes_jobs
    assert (status("gpu03", *conditions)[0] == "True") == takes_jobs


def test_one_port_of_a_nic_is_all_of_it_elsewhere() -> None:
    with pytest.raises(NoRoomError) as raised:
        engine(*down("gpu001:eth1"), of=example("demo")).place(Query(4))
    assert "only 3 of 4 are free (1 not as planned, such as gpu001:eth1 is down)" in str(
        raised.value.findings[0]
    )


def test_a_long_message_ends_with_a_whole_reason() -> None:
    ends = [f"gpu03:eth{number}" for number in (1, 2, 3, 4)]
    many = [Condition(end, Health.DOWN, "x" * 200) for end in (*ends, "gpu03")]
    message = status("gpu03", *many, Condition("su1-rail0-a", Health.DEGRADED, "y" * 200))[2]
    *shown, last = message.split("; ")
    assert last.endswith(" and 1 more")
    assert {reason.rpartition(": ")[2] for reason in (*shown, last.partition(" and ")[0])} == {
        "x" * 200
    }


def test_whole_hosts_come_first() -> None:
    answer = engine(*down("gpu03:eth1")).place(Query(7))
    assert answer.graded == ()
    reason = "gpu03:eth1 is down; a NIC has 50 % of its bandwidth left"
    assert answer.not_needed == (("gpu03", reason),)


#: All hosts lost a port of rail 1.
RAIL_1 = down("su1-rail1-a")
#: A host differs from the plan, and has all of its bandwidth.
DIFFERS = Condition("gpu01", Health.DEGRADED, capacity=1.0)


@each(
    ("conditions", "nodes", "least", "later"),
    [
        ((*RAIL_1, half("gpu01:eth4")), 2, 0.5, {"gpu01"}),
        ((*RAIL_1, half("gpu01:eth4")), 7, 0.5, {"gpu01"}),
        ((*RAIL_1, half("gpu01:eth4")), 8, 0.25, {"gpu01"}),
        ((*RAIL_1, half("gpu01")), 8, 0.25, {"gpu01"}),
        ((half("gpu01"), half("gpu02:eth1")), 7, 0.75, {"gpu01"}),
        ((*down("gpu01:eth1", "gpu02:eth1", "gpu02:eth3"), DIFFERS), 6, 1, {"gpu01", "gpu02"}),
        ((*down("gpu02:eth1", "gpu03:eth1"), half("gpu02:eth2"), DIFFERS), 7, 0.5, {"gpu02"}),
        ((*down("gpu02:eth1", "gpu03:eth1"), DIFFERS), 6, 1, {"gpu02", "gpu03"}),
    ],
)
def test_degraded_hosts_with_more_left_come_first(
    conditions: tuple[Condition, ...], nodes: int, least: float, later: set[str]
) -> None:
    """Their share is that of the job: the slowest host sets its pace."""
    usable = engine(*conditions)
    answer = usable.place(Query(nodes, traffic=parse_traffic("all-to-all")))
    names = [usable.fabric.hosts.names[row] for row in answer.rows]
    assert later.isdisjoint(names) or names[-1] in later
    assert later.isdisjoint(names) or nodes == len(usable.fabric.hosts.names)
    assert answer.rate == pytest.approx(least)
    assert answer.cost == pytest.approx(1 / least)
    assert answer.bottleneck == "NIC"


def test_several_units_give_the_hosts_with_more_left() -> None:
    """A job that no unit holds; in each unit one host has less than the others."""
    fabric = two_units()
    names = fabric.hosts.names
    less = {names[int(np.argmax(fabric.hosts.unit == unit))] for unit in (0, 1)}
    lost, slow = ("su1-rail1-a", "su2-rail1-a"), [half(f"{name}:eth4") for name in less]
    usable = engine(*down(*lost), *slow, of=fabric)
    answer = usable.place(Query(len(names) - 2))
    assert {names[row] for row in answer.rows} == {*names} - less
    assert answer.rate == pytest.approx(0.5)
    assert usable.place(Query(len(names) - 1)).rate == pytest.approx(0.25)


def test_a_host_alone_needs_no_bandwidth() -> None:
    answer = engine(*RAIL_1).place(Query(1))
    assert (answer.rate, answer.cost) == (1, 0)


def test_named_hosts_with_nothing_left_get_nothing() -> None:
    usable = engine(*down("gpu03:eth1", "gpu03:eth2", "gpu03:eth3", "gpu03:eth4"))
    answer = usable.place(Query(2, hosts=("gpu03", "gpu04")))
    assert (answer.rate, answer.cost, answer.bottleneck) == (0, 0, "NIC")


@each(
    ("planes", "conditions", "unequal"),
    [
        (2, down("gpu03:eth1"), ("gpu03",)),
        (2, down("gpu03:eth1", "gpu04:eth2"), ("gpu03", "gpu04")),
        (2, down("gpu03:eth1", "gpu04:eth4"), ("gpu03", "gpu04")),
        (2, RAIL_1, ()),
        (2, (), ()),
        (1, down("gpu03:eth1"), ()),
    ],
)
def test_hosts_without_a_plane_of_the_others_are_named(
    planes: int, conditions: tuple[Condition, ...], unequal: tuple[str, ...]
) -> None:
    of = example("dual-plane" if planes == 2 else "dual-tor")
    answer = engine(*conditions, of=of).place(Query(8))
    assert tuple(sorted(answer.unequal)) == unequal
    said = " ".join(warnings_of(answer))
    assert ("which have no path to each other" in said) == bool(unequal)
    alone = engine(*conditions, of=of).place(Query(1, hosts=("gpu03",)))
    assert alone.unequal == ()


def test_a_share_is_that_of_the_nics_in_use() -> None:
    (reason,) = dict(engine(*down("gpu03:eth1")).place(Query(8, gpus_per_node=1)).graded).values()
    assert reason.endswith("; a NIC has 50 % of its bandwidth left")


#: Without PXN an all-to-all goes from plane to plane, between which there is no way.
WAYS = [(planes, pxn, kind) for planes in (1, 2) for pxn in (True, False) for kind in ASKED]
WAYS = [way for way in WAYS if way[0] == 1 or way[1] or "all-to-all" not in way[2]]


@each(("planes", "pxn", "kind"), WAYS)
def test_jobs_of_several_units_use_the_other_leaf(planes: int, pxn: bool, kind: str) -> None:
    traffic = Traffic(parse_traffic(kind).shares, pxn=pxn)
    query = Query(5, traffic=traffic, target=0.0)
    lost = engine(*down("su1-rail0-a", "su2-rail1-b"), of=two_units(planes))
    answer = lost.place(query)
    assert len(answer.graded) == len(answer.rows) == 5
    assert 0 <= answer.bound <= answer.load
    assert answer.load <= hashed_load(lost, answer, traffic)
    used = {link.lower[0] for link in lost.link_loads(query, answer.rows)}
    assert used.isdisjoint({"su1-rail0-a", "su2-rail1-b"})
    assert used >= {"su1-rail0-b", "su1-rail1-a", "su2-rail0-b", "su2-rail1-a"}


def test_a_job_is_told_the_ports_that_carry_traffic() -> None:
    placement = placed(engine(*down("gpu03:eth1")), Query(8))
    told = {
        host: environment(example("dual-tor"), placement, host).values["NCCL_IB_HCA"]
        for host in ("gpu03", "gpu04")
    }
    every = "=mlx5_1,mlx5_2,mlx5_3,mlx5_4"
    assert told == {"gpu03": every.replace("mlx5_1,", ""), "gpu04": every}
