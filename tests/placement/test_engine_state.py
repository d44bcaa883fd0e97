"""What the engine makes of a damaged fabric: by hand, case by case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.core.errors import InputError
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.layout import Layout
from fabric.placement.engine.query import Query, Within
from fabric.placement.engine.request import UnplaceableError
from fabric.placement.engine.state import Condition, Health, RunningJob, State
from fabric.placement.engine.traffic import RING, Traffic, parse_traffic
from fabric.placement.place import place
from fabric.topology.device_ends import ends_of
from tests.placement.instances import SMALL, Shape, built, state
from tests.topology import fabrics
from tests.topology.fabrics import example

THIN = Shape((4, 4, 8), spines=2, uplink_gbps=200)


def engine(*items: Condition, name: str = "") -> Engine:
    return Engine(example(name) if name else built(THIN), State(items))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("first", ["gpu001:eth1", "gpu001", "su1-rail0:Ethernet0"])
def test_a_degraded_cable_does_not_hide_that_its_leaf_is_down(first: str, turned: bool) -> None:
    items = [Condition(first, Health.DEGRADED, "slow", 1.0), Condition("su1-rail0", Health.DOWN)]
    answer = engine(*items[:: -1 if turned else 1], name="demo").place(Query(2))
    assert answer.units == ((1, 2),)
    assert dict(answer.unusable)["gpu001"] == "su1-rail0 is down"
    with pytest.raises(UnplaceableError):
        engine(*items[:: -1 if turned else 1], name="demo").place(Query(3))


def test_the_reason_is_that_which_keeps_a_host_out() -> None:
    slow = Condition("h00000:eth2", Health.DEGRADED, "", 1.0)
    items = (Condition("h00000:eth1", Health.DRAINED), slow)
    assert engine(*items).place(Query(1)).unusable == (("h00000", "h00000:eth1 is drained"),)


def test_what_is_down_has_no_speed_left() -> None:
    """A share is that of what is degraded."""
    whole, lost = (Condition("spine0", Health.DOWN, capacity=share) for share in (1.0, 0.0))
    assert engine(whole).place(Query(9)).load == engine(lost).place(Query(9)).load


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf")])
def test_shares_of_speed(share: float) -> None:
    good = Condition("spine0", Health.DEGRADED, capacity=0.5)
    with pytest.raises(InputError) as raised:
        engine(good, Condition("spine1", Health.DEGRADED, capacity=share))
    (finding,) = raised.value.findings
    assert finding.field == "conditions.spine1.capacity"


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (RunningJob("x", ()), "job 'x' runs on no host"),
        (RunningJob("x", ("h00000", "h00000")), "job 'x' names h00000 twice"),
        (
            RunningJob("x", ("h00000",), replace(RING, layout=Layout({"dp": 3}))),
            "job 'x': tp x cp x dp x pp = 1 x 1 x 3 x 1 = 3, but 1 node with 2 GPUs is 2 ranks",
        ),
    ],
)
def test_jobs_that_cannot_run(job: RunningJob, message: str) -> None:
    with pytest.raises(InputError) as raised:
        Engine(built(THIN), State((), (job,)))
    assert [finding.message for finding in raised.value.findings] == [message]


#: Each of two units keeps the uplink to another spine.
APART = (
    Condition("su1-rail0:Ethernet128", Health.DOWN),
    Condition("su2-rail0:Ethernet136", Health.DOWN),
)


@pytest.mark.parametrize("hosts", [(), ("gpu001", "gpu003", "gpu002")])
def test_leaves_without_a_common_spine_hold_no_job(hosts: tuple[str, ...]) -> None:
    with pytest.raises(UnplaceableError) as raised:
        engine(*APART, name="demo").place(Query(3, hosts=hosts))
    assert "su1-rail0 does not reach all; repair it or its cables" in str(raised.value.findings[0])


NO_PXN = Traffic(parse_traffic("all-to-all").shares, pxn=False)
CORES = [f"east-spine0{spine}:Ethernet{128 + 8 * port}" for spine in (1, 2) for port in range(4)]
NO_CAPACITY: dict[str, tuple[list[str], Query, str]] = {
    "a leaf": (
        ["su1-rail0"],
        Query(5),
        "su1-rail0 of rail 0 has no capacity to the spines left; repair it or its cables, or",
    ),
    "two leaves": (
        ["su1-rail0", "su1-rail1"],
        Query(5),
        "su1-rail[0-1] of rails 0 and 1 have no capacity to the spines left; repair them or their",
    ),
    "a leaf, and a limit": (
        ["su1-rail0"],
        Query(5, max_units=2),
        "in at most 2 units, but a unit has at most 3 free and su1-rail0 of rail 0 has no capacity",
    ),
    "the limit alone": (
        ["su1-rail0"],
        Query(3, max_units=1, exclude=("a1",)),
        "3 hosts are needed in at most 1 unit, but a unit has at most 2 free; request fewer nodes",
    ),
    "a leaf between rails": (
        ["su1-rail0"],
        Query(3, traffic=NO_PXN, exclude=("b1",)),
        "without PXN this traffic crosses rails, and su1-rail0 of rail 0 has no capacity to the",
    ),
    "both leaves of a rail": (
        ["su1-rail0-a", "su1-rail0-b"],
        Query(5),
        "su1-rail0-a,su1-rail0-b of rail 0 have no capacity to the spines left",
    ),
    "all spines": (
        ["spine01", "spine02"],
        Query(5),
        "has at most 3 free and no spine connects units",
    ),
    "a leaf without a rail": (
        ["rack1-leaf"],
        Query(7, within=Within.POD, exclude=("gpu15", "gpu16")),
        "within one pod, but a pod has at most 8 free and rack1-leaf has no capacity to the spines",
    ),
    "a pod": (CORES, Query(16), "free and pod east has no capacity to the super-spines left"),
    "all super-spines": (
        [f"core0{number}" for number in range(1, 5)],
        Query(16),
        "free and no super-spine connects pods; request fewer nodes",
    ),
}


@pytest.mark.parametrize("case", NO_CAPACITY)
def test_what_has_no_capacity_is_named(case: str) -> None:
    subjects, query, message = NO_CAPACITY[case]
    pairs = fabrics.fabric(nic_ports=2 if "-a" in subjects[0] else 1)
    tiers = example("three-tier")
    fabric = tiers if subjects[0].partition(":")[0] in tiers.switch_row else pairs
    switches = [subject for subject in subjects if ":" not in subject]
    ends = [(name, end) for name in switches for end in ends_of(fabric, name) if not end.is_nic]
    ports = [*({*subjects} - {*switches}), *(f"{name}:{end.port}" for name, end in ends)]
    dead = tuple(Condition(port, Health.DEGRADED, capacity=0.0) for port in ports)
    with pytest.raises(UnplaceableError) as raised:
        Engine(fabric, State(dead)).place(query)
    assert message in str(raised.value.findings[0])


def test_named_hosts_without_spines_have_no_way() -> None:
    fabric = built(Shape((2, 2), spines=0))
    with pytest.raises(UnplaceableError) as raised:
        Engine(fabric).place(Query(2, hosts=("h00000", "h00002")))
    assert "the leaves of 2 hosts: one of them does not" in str(raised.value.findings[0])


def test_a_way_over_a_degraded_host_is_better_than_none() -> None:
    degraded = Condition("gpu002", Health.DEGRADED, "fans", 1.0)
    answer = engine(*APART, degraded, name="demo").place(Query(2, exclude=("gpu004",)))
    assert answer.graded == (("gpu002", "gpu002 is degraded: fans"),)
    assert answer.load == 0


def test_named_hosts_that_are_down_are_used_and_named() -> None:
    answer = engine(Condition("h00000", Health.DOWN)).place(Query(1, hosts=("h00000",)))
    assert (answer.graded, answer.unusable) == ((("h00000", "h00000 is down"),), ())


def test_a_lost_cable_of_a_super_spine_is_counted() -> None:
    """A spine has two cables to each of two super-spines; a ring brings each 200 of 800 Gb/s."""
    query = Query(10)
    assert engine(name="three-tier").place(query).load == pytest.approx(1 / 4)
    lost = engine(Condition("core01:Ethernet8", Health.DRAINED), name="three-tier")
    answer = lost.place(query)
    assert answer.load == pytest.approx(1 / 2)
    assert "core01" in answer.bottleneck or answer.bottleneck == "NIC"


@pytest.mark.parametrize(("nodes", "load"), [(1, 0.0), (2, 0.5), (4, 5 / 6)])
def test_what_changes_the_rail_without_pxn(nodes: int, load: float) -> None:
    """Half of what a host sends to others goes to the other rail: one of 400 Gb/s, two uplinks.

    Of four hosts each sends 2 / 3 to the other unit, and half of 1 / 3 to its own other rail.
    """
    direct = replace(parse_traffic("all-to-all"), pxn=False)
    whole = engine(name="demo").place(Query(nodes, traffic=direct))
    assert whole.load == pytest.approx(load)


def test_rails_on_one_leaf_change_without_a_spine() -> None:
    direct = replace(parse_traffic("all-to-all"), pxn=False)
    answer = engine(name="three-tier").place(Query(2, traffic=direct, target=0.0))
    assert (answer.load, answer.bound, len(answer.units)) == (0, 0, 1)


def test_one_host_needs_no_uplink() -> None:
    direct = replace(parse_traffic("all-to-all"), pxn=False)
    lost = (Condition(name, Health.DOWN) for name in ("spine01", "spine02"))
    assert len(engine(*lost, name="demo").place(Query(1, traffic=direct)).rows) == 1


def test_few_choices_are_all_tried() -> None:
    """No single move leads from 3, 4 and 3 hosts to the best choice, which uses four racks."""
    ends = ("rack1-leaf:Ethernet112", "west-spine01:Ethernet0", "east-spine01:Ethernet152")
    lost = (Condition(end, Health.DRAINED) for end in ends)
    traffic = parse_traffic("all-to-all")
    answer = engine(*lost, name="three-tier").place(Query(10, traffic=traffic))
    assert answer.load == pytest.approx(8 / 9)


def test_room_does_not_give_up_the_search_for_a_way() -> None:
    """The fewest units would have no common spine."""
    fabric = built(Shape((2, 2, 2), spines=2))
    lost = (
        Condition("leaf0-0:Ethernet0", Health.DOWN),
        Condition("leaf1-0:Ethernet8", Health.DOWN),
    )
    answer = Engine(fabric, State(lost)).place(Query(4, room=0.1))
    assert 2 in [unit for unit, _ in answer.units]


def test_bounds_of_nothing_prove_nothing() -> None:
    answer = engine().place(Query(9, traffic=parse_traffic("ring"), target=0.0))
    assert replace(answer, bound=0.0).gap == float("inf")
    assert replace(answer, bound=0.0, load=0.0).gap == 0


def test_state_that_follows_another_is_what_it_is_alone() -> None:
    """What two states share is made once, and gives the same answers."""
    fabric = built(SMALL[1])
    whole = state(fabric, 3)
    fewer = State(whole.conditions, whole.jobs[1:])
    other = State(whole.conditions[1:], whole.jobs)
    engine = Engine(fabric)
    for one in (whole, fewer, whole, other, whole, State()):
        engine, alone = engine.updated(one), Engine(fabric, one)
        assert (engine.index.background == alone.index.background).all()
        assert engine.index.rates.tolist() == alone.index.rates.tolist()
        assert engine.index.available.busy.tolist() == alone.index.available.busy.tolist()
        for traffic in ("ring", "all-to-all"):
            query = Query(nodes=3, traffic=parse_traffic(traffic), target=0.0)
            first, second = engine.place(query), alone.place(query)
            assert first.rows.tolist() == second.rows.tolist()
            assert replace(first, rows=second.rows) == second


CROSSED = "hosts:\n- names: a1\n  traits: {nic: {gpus: [[1], [0]]}}\n"


@pytest.mark.parametrize(
    ("gpus", "hosts", "rails", "load"),
    [
        (1, ("a2", "a3"), (0,), 0.0),
        (1, ("a1", "a2"), (0, 1), 1.0),  # GPU 0 of a1 is on rail 1: they meet above the leaves
        (2, ("a1", "a2"), (0, 1), 0.0),  # whole hosts: NIC to NIC of the same rail
        (1, ("a1",), (1,), 0.0),
    ],
)
def test_gpus_of_single_hosts_on_other_rails(
    gpus: int, hosts: tuple[str, ...], rails: tuple[int, ...], load: float
) -> None:
    built = fabrics.fabric(hosts=CROSSED, rails=2, host__gpus=2)
    one = built.uplinks.speed_gbps[0] * np.count_nonzero(built.uplinks.lower == 0)
    answer = Engine(built).place(Query(len(hosts), gpus, hosts=hosts))
    assert answer.rails == rails
    assert answer.load == pytest.approx(load * built.nics.speed_gbps[0] / one)
    result = place(
        built, len(hosts), gpus, [name for name in built.hosts.names if name not in hosts]
    )
    assert {rank.rail for rank in result.ranks} == set(result.rails)


def test_the_search_prefers_hosts_whose_gpus_share_a_leaf() -> None:
    built = fabrics.fabric(hosts=CROSSED, rails=2, host__gpus=2)
    engine = Engine(built)
    answer = engine.place(Query(2, 1, include=("a1", "a2", "a3")))
    assert [built.hosts.names[row] for row in answer.rows] == ["a2", "a3"]


def test_a_nic_that_is_down_counts_on_the_rail_that_the_gpus_of_a_host_use() -> None:
    built = fabrics.fabric(hosts=CROSSED, rails=2, host__gpus=2)
    engine = Engine(built, State((Condition("a1:eth1", Health.DOWN),)))
    assert len(engine.place(Query(1, 1, hosts=("a1",))).rows) == 1
    assert not engine.index.available.usable(np.array([3])).healthy[built.host_row["a1"]]
    assert engine.index.available.usable(np.array([2])).healthy[built.host_row["a1"]]


@pytest.mark.parametrize(
    ("nodes", "named"),
    [
        (4, ()),  # one unit: no cable between switches is used
        (12, ("leaf0-0:etp5a is degraded: flaps", "spine1 is degraded")),
    ],
)
def test_cables_on_the_way_are_named_even_at_full_speed(nodes: int, named: tuple[str, ...]) -> None:
    port = built(THIN).switches.skus[0].port(int(built(THIN).uplinks.lower_port[0]))
    other = int(np.flatnonzero(built(THIN).uplinks.lower == 2)[0])
    unused = built(THIN).switches.skus[2].port(int(built(THIN).uplinks.lower_port[other]))
    items = (
        Condition(f"leaf0-0:{port}", Health.DEGRADED, "flaps", 1.0),
        Condition(f"leaf1-0:{unused}", Health.DEGRADED, "flaps", 1.0),
        Condition("spine1", Health.DEGRADED, "", 1.0),
    )
    hosts = tuple(f"h{row:05d}" for row in (*range(4), *range(8, 16)))[:nodes]
    answer = engine(*items).place(Query(nodes, hosts=hosts))
    assert tuple(why.replace(port, "etp5a") for _, why in answer.links) == named


@pytest.mark.parametrize("subject", ["leaf0-0", "spine1", "h00000:eth1"])
def test_a_share_out_of_range_is_an_input_error_alone(subject: str) -> None:
    """It is never applied, so that the largest numbers do not overflow."""
    with pytest.raises(InputError) as caught:
        engine(Condition(subject, Health.DEGRADED, "", 1e305))
    assert "is not between 0 and 1" in str(caught.value.findings[0])
