"""Choices of hosts: against every choice there is, other schedulers, limits and states."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from fabric.core.errors import InputError
from fabric.placement.engine.demand import Demand
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.layout import Layout
from fabric.placement.engine.query import Answer, Query, Within
from fabric.placement.engine.request import UnplaceableError, resolve
from fabric.placement.engine.search import Problem
from fabric.placement.engine.state import Condition, Health, RunningJob, State
from fabric.placement.engine.traffic import parse_traffic
from tests.cases import each
from tests.placement.instances import ASKED, KINDS, SMALL, Shape, built, crossed, state
from tests.placement.rivals import RIVALS, cost, every_choice, free_hosts

A2A = parse_traffic("all-to-all")
#: Two units of four hosts and one of eight; 800 Gb/s of NICs over 400 Gb/s of uplinks per rail.
THIN = Shape((4, 4, 8), spines=2, uplink_gbps=200)
PODS = Shape((4,) * 6, spines=2, uplink_gbps=400, pods=3, supers=4)
CROSSED = Shape((4, 3, 4), spines=2, uplink_gbps=200)
MOST_CHOICES = 1500


def names(engine: Engine, answer: Answer) -> list[str]:
    return [engine.fabric.hosts.names[row] for row in answer.rows.tolist()]


@each("seed", range(24))
def test_best_of_all_choices_and_never_worse_than_others(seed: int) -> None:
    """The cost is that of full enumeration, the bound is below it, and rivals are no better."""
    engine = Engine(built(SMALL[seed % len(SMALL)]), state(built(SMALL[seed % len(SMALL)]), seed))
    free = free_hosts(engine)
    nodes = 2 + seed % max(int(free.sum()) - 1, 1)
    choices = list(every_choice(free, nodes))
    for kind in ASKED if 0 < len(choices) <= MOST_CHOICES else ():
        for target in (1.0, 0.0):
            query = Query(nodes, traffic=parse_traffic(kind), target=target)
            answer = engine.place(query)
            reached = max(answer.load, target)
            best = min(cost(engine, query, counts) for counts in choices)
            assert answer.bound <= best * (1 + 1e-9)
            assert reached <= best * (1 + 1e-9)
            for rival in RIVALS.values():
                assert reached <= cost(engine, query, rival(free, nodes)) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_crossed_cables_keep_the_bound_below_the_best(seed: int) -> None:
    """Hosts with NICs on the leaves of others share a leaf with other groups."""
    engine = Engine(crossed(built(CROSSED), seed))
    of, names = engine.index.groups.of_host, engine.fabric.hosts.names
    for unit, nodes, kind in product((0, None), range(2, 7), KINDS):
        rows = np.flatnonzero((engine.fabric.hosts.unit == unit) | (unit is None))
        named = tuple(names[row] for row in rows)
        query = Query(nodes, traffic=parse_traffic(kind), include=named, target=0.0)
        free = np.bincount(of[rows], minlength=len(engine.index.groups))
        choices = list(every_choice(free, nodes))
        if choices:
            best = min(cost(engine, query, counts) for counts in choices)
            request = resolve(engine.fabric, query)
            supply = engine.index.supply(request.columns)
            demand = Demand.of(query.traffic, nodes, request.gpus, supply.leaves)
            assert Problem(supply, demand, free, floor=0.0).bound <= best * (1 + 1e-9)
            assert engine.place(query).load <= 1.35 * best + 1e-9


@pytest.mark.parametrize(
    ("traffic", "nodes", "units", "load"),
    [
        ("ring", 4, ((0, 4),), 0.0),
        ("ring", 5, ((2, 5),), 0.0),
        ("ring", 9, ((0, 1), (2, 8)), 0.5),
        # 4 of 12 hosts send 4 * 8 / 11 of 200 Gb/s over 2 uplinks of 200 Gb/s
        ("all-to-all", 12, ((0, 4), (2, 8)), 4 * 8 / 11 * 200 / 400),
        ("all-to-all", 16, ((0, 4), (1, 4), (2, 8)), 8 * 8 / 15 * 200 / 400),
    ],
)
def test_by_hand(traffic: str, nodes: int, units: tuple[tuple[int, int], ...], load: float) -> None:
    answer = Engine(built(THIN)).place(Query(nodes, traffic=parse_traffic(traffic)))
    assert answer.load == pytest.approx(load)
    assert answer.cost == pytest.approx(max(load, 1.0))
    assert answer.gap == pytest.approx(0)
    if traffic == "ring":
        assert answer.units == units


def test_a_job_that_fits_a_pod_stays_in_one() -> None:
    engine = Engine(built(PODS))
    for nodes in range(1, 9):
        assert engine.place(Query(nodes, traffic=A2A)).pod_crossings == 0
    answer = engine.place(Query(9, traffic=A2A))
    assert answer.pod_crossings == 2
    assert answer.room.pod is not None
    with pytest.raises(UnplaceableError, match="cannot be placed"):
        engine.place(Query(9, within=Within.POD))


def test_ranks_go_pod_by_pod_and_unit_by_unit() -> None:
    engine = Engine(built(PODS))
    answer = engine.place(Query(24))
    assert (answer.crossings, answer.pod_crossings) == (6, 3)
    assert names(engine, answer) == list(engine.fabric.hosts.names)


def test_named_hosts_keep_their_order() -> None:
    engine = Engine(built(PODS))
    hosts = ("h00009", "h00000", "h00008", "h00001")
    answer = engine.place(Query(4, hosts=hosts))
    assert tuple(names(engine, answer)) == hosts
    assert answer.crossings == 4
    assert answer.units == ((2, 1), (0, 1), (2, 1), (0, 1))


@pytest.mark.parametrize(
    ("query", "units"),
    [
        (Query(6, segment=3), ((2, 6),)),
        (Query(9, segment=3), ((0, 3), (2, 6))),
        (Query(12, max_units=2), ((0, 4), (2, 8))),
        (Query(3, include=("h00000", "h00001", "h00008", "h00009")), ((0, 2), (2, 1))),
        (Query(4, exclude=("h00000", "h00004")), ((2, 4),)),
        (Query(8, within=Within.UNIT), ((2, 8),)),
    ],
)
def test_limits(query: Query, units: tuple[tuple[int, int], ...]) -> None:
    assert Engine(built(THIN)).place(query).units == units


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query(9, within=Within.UNIT), "9 hosts are needed within one unit, but a unit has at"),
        (Query(13, max_units=2), "in at most 2 units, but a unit has at most 8"),
        (Query(10, segment=5, exclude=("h00008",)), "in segments of 5, but a unit has at most 5"),
        (Query(17), "17 hosts are needed, but the fabric has 16"),
        (Query(5, segment=2), "segments of 2 hosts do not divide 5 nodes"),
        (Query(2, room=-1.0), "-1.0 is not a share"),
        (Query(2, target=2.0), "2.0 is not between 0 and 1"),
        (Query(2, nvlink_gpus=3), "does not hold whole hosts of 2"),
        (Query(2, hosts=("h00000",)), "1 host named, 2 nodes in the job"),
        (Query(2, hosts=("h00000", "h00000")), "h00000 is named twice"),
        (Query(2, hosts=("a\n", "a\n")), r"a\n is named twice"),
        (Query(2, max_units=0), "at least one unit"),
        (Query(2, include=("nobody",)), "there is no host 'nobody'"),
    ],
)
def test_what_cannot_be(query: Query, message: str) -> None:
    with pytest.raises(UnplaceableError) as raised:
        Engine(built(THIN)).place(query)
    assert any(message in str(finding) for finding in raised.value.findings)


def test_all_errors_at_once() -> None:
    layout = replace(A2A, layout=Layout({"tp": 7}))
    with pytest.raises(UnplaceableError) as raised:
        Engine(built(THIN)).place(Query(0, max_units=0, exclude=("x",), traffic=layout))
    fields = [finding.field for finding in raised.value.findings]
    assert fields == ["nodes", "max_units", "exclude", "layout"]


def test_room_takes_fuller_units_for_a_little_more_load() -> None:
    """Eight hosts in two halves load no link more than a tenth above the best."""
    engine = Engine(built(Shape((6, 6, 12), uplink_gbps=100)))
    best = engine.place(Query(10, traffic=A2A))
    assert best.units == ((2, 10),)
    assert best.room.unit == 6
    other = engine.place(Query(10, traffic=A2A, exclude=("h00012",), room=0.5))
    assert other.load <= best.bound * 1.5


def test_nvlink_domains_stay_whole() -> None:
    """Units of 8 hosts hold 4 domains of 2: half-used ones come first."""
    shape = Shape((8, 8))
    engine = Engine(built(shape))
    answer = engine.place(Query(2, nvlink_gpus=4, exclude=("h00000",)))
    assert names(engine, answer) == ["h00002", "h00003"]
    answer = engine.place(Query(2, nvlink_gpus=4, within=Within.BLOCK, exclude=("h00000",)))
    assert names(engine, answer) == ["h00002", "h00003"]
    with pytest.raises(UnplaceableError):
        engine.place(Query(3, nvlink_gpus=4, within=Within.BLOCK))
    # of 4 hosts in 2 domains each sends 2 / 3 of an all-to-all out of its domain
    assert engine.place(Query(4, nvlink_gpus=4, traffic=A2A)).cost == pytest.approx(2 / 3)


def test_without_pxn_an_all_to_all_changes_the_rail_over_the_spines() -> None:
    engine = Engine(built(THIN))
    relayed = engine.place(Query(4, traffic=A2A))
    direct = engine.place(Query(4, traffic=replace(A2A, pxn=False)))
    assert relayed.load == 0
    assert direct.load > 0


def conditions(*items: Condition) -> Engine:
    return Engine(built(THIN), State(items))


def test_what_is_down_is_not_used_and_named() -> None:
    engine = conditions(
        Condition("h00000", Health.DOWN, "no power"), Condition("h00001:eth2", Health.DRAINED)
    )
    answer = engine.place(Query(8))
    assert answer.units == ((2, 8),)
    assert dict(answer.unusable) == {
        "h00000": "h00000 is down: no power",
        "h00001": "h00001:eth2 is drained",
    }
    # one GPU uses the first rail alone, whose NIC is good
    assert "h00001" in names(engine, engine.place(Query(3, gpus_per_node=1, exclude=("h00004",))))


def test_degraded_hosts_are_used_last_and_named() -> None:
    engine = conditions(Condition("h00004", Health.DEGRADED, "drops", 1.0))
    assert "h00004" not in names(engine, engine.place(Query(4)))
    answer = engine.place(Query(16))
    assert answer.graded == (("h00004", "h00004 is degraded: drops"),)


def test_a_leaf_in_a_change_window_keeps_its_hosts_out() -> None:
    engine = conditions(Condition("leaf0-1", Health.WINDOW))
    assert engine.place(Query(4)).units == ((1, 4),)
    assert len(engine.place(Query(4)).unusable) == 4


def test_a_lost_spine_is_counted() -> None:
    """A ring over two units has one uplink in place of two."""
    whole, half = Engine(built(THIN)), conditions(Condition("spine0", Health.DRAINED))
    query = Query(9)
    assert whole.place(query).load == pytest.approx(0.5)
    assert half.place(query).load == pytest.approx(1.0)
    degraded = conditions(Condition("spine0", Health.DEGRADED, capacity=0.5))
    assert degraded.place(query).load == pytest.approx(200 / 300)


def test_units_with_lost_uplinks_are_avoided() -> None:
    lost = [Condition(f"leaf0-0:{port}", Health.DOWN) for port in ports("leaf0-0")[:1]]
    engine = conditions(*lost)
    answer = engine.place(Query(12, traffic=A2A))
    assert [unit for unit, _ in answer.units] == [1, 2]


def ports(leaf: str) -> list[str]:
    fabric = built(THIN)
    row = fabric.switch_row[leaf]
    numbers = fabric.uplinks.lower_port[fabric.uplinks_of(row)].tolist()
    return [fabric.switches.skus[row].port(number) for number in numbers]


def test_running_jobs_share_links_and_are_named_when_slowed() -> None:
    hosts = built(THIN).hosts.names
    busy = RunningJob("old", (*hosts[:3], *hosts[8:14]), A2A)
    engine = Engine(built(THIN), State((), (busy,)))
    answer = engine.place(Query(7, traffic=A2A))
    assert not {*names(engine, answer)} & {*busy.hosts}
    assert answer.rate < 1
    assert [name for name, _, _ in answer.slowed] == ["old"]
    assert all(after < before for _, before, after in answer.slowed)
    alone = Engine(built(THIN)).place(Query(7, hosts=tuple(names(engine, answer)), traffic=A2A))
    assert alone.load < answer.load


@pytest.mark.parametrize(
    ("items", "jobs", "messages"),
    [
        (
            (Condition("nothing", Health.DOWN),),
            (),
            ["'nothing' is unknown: neither host, switch nor port"],
        ),
        (
            (Condition("h00000:eth9", Health.DOWN), Condition("leaf0-0:Ethernet999", Health.DOWN)),
            (),
            ["h00000 has no NIC 'eth9'", "leaf0-0 has no cable in port 'Ethernet999'"],
        ),
        ((), (RunningJob("x", ("who",)),), ["job 'x': there is no host 'who'"]),
    ],
)
def test_states_of_another_fabric(
    items: tuple[Condition, ...], jobs: tuple[RunningJob, ...], messages: list[str]
) -> None:
    with pytest.raises(InputError) as raised:
        Engine(built(THIN), State(items, jobs))
    found = [finding.message for finding in raised.value.findings]
    assert found == messages


def test_an_updated_engine_answers_as_a_new_one() -> None:
    fabric = built(SMALL[0])
    now = state(fabric, 3)
    query = Query(3, traffic=A2A)
    updated, fresh = Engine(fabric).updated(now), Engine(fabric, now)
    assert np.array_equal(updated.place(query).rows, fresh.place(query).rows)
    assert updated.state is now
