"""NICs with two ports: one that carries nothing costs bandwidth, and no host."""

from __future__ import annotations

import json
from functools import cache

import pytest

from fabric.core.errors import NoRoomError
from fabric.core.exports import export, exporters
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.state import Condition, Health, State
from fabric.placement.engine.traffic import Traffic, parse_traffic
from fabric.placement.environment import environment
from fabric.placement.exporters.node_health import NodeHealth
from fabric.placement.place import placed
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
    reason = f"{subject} is {words}: x; 75 % of its bandwidth is left"
    assert [why for _, why in answer.graded] == [reason] * hosts
    assert answer.unusable == answer.stopped == ()
    assert status(answer.graded[0][0], loss) == ("True", "Degraded", reason)


def down(*subjects: str) -> tuple[Condition, ...]:
    return tuple(Condition(subject, Health.DOWN) for subject in subjects)


SLOW = Condition("gpu03:eth2", Health.DEGRADED, capacity=0.5)
EMPTY = Condition("gpu03:eth1", Health.DEGRADED, capacity=0.0)


@each(
    ("conditions", "reason", "takes_jobs"),
    [
        (
            down("gpu03:eth1", "gpu03:eth4"),
            "gpu03:eth1 is down; gpu03:eth4 is down; 50 % of its bandwidth is left",
            True,
        ),
        (
            (*down("gpu03:eth1"), SLOW),
            "gpu03:eth1 is down; gpu03:eth2 is degraded; 62.5 % of its bandwidth is left",
            True,
        ),
        ((EMPTY,), "gpu03:eth1 is degraded; 75 % of its bandwidth is left", True),
        (down("gpu03:eth1", "gpu03:eth2"), "gpu03:eth1 is down", False),
        (down("gpu03:eth1", "su1-rail0-b"), "gpu03:eth1 is down", False),
        ((*down("gpu03:eth2"), EMPTY), "gpu03:eth2 is down", False),
        (down("gpu03:eth1", "gpu03"), "gpu03 is down", False),
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


def test_a_share_is_that_of_the_nics_in_use() -> None:
    (reason,) = dict(engine(*down("gpu03:eth1")).place(Query(8, gpus_per_node=1)).graded).values()
    assert reason.endswith("; 50 % of its bandwidth is left")


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
