"""Classes that share a port and a buffer: scheduler, thresholds, pauses, marks, loss."""

from __future__ import annotations

from dataclasses import replace
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.simulate.class_summary import ClassSummary
from fabric.qos.simulate.classes import Ingress, LossyPool, LossyQueue, PortClass
from fabric.qos.simulate.outcome import Outcome, simulate
from fabric.qos.simulate.scenario import End, Scenario, Storm, Stream
from fabric.qos.simulate.scheduler import pick
from fabric.qos.simulate.state import Law, SimulatedPort
from fabric.qos.simulate.summary import Summary
from fabric.qos.thresholds import occupancies_bytes
from tests.cases import examples
from tests.qos.simulate.stars import OVERHEAD, classes_star, leaf_spine, lossless, marking

PACKET = 4000 + OVERHEAD
#: What a cable of :class:`Star` holds in both directions: it arrives after the pause.
ROUND_TRIP_BYTES = 25_000


def of_class(outcome: Outcome, number: int) -> ClassSummary:
    return ClassSummary(Summary(outcome), number)


def receiver(scenario: Scenario, number: int) -> int:
    """Return the row of a class at the port that leads to the receiver."""
    return scenario.row(scenario.streams[0].path[-1], number)


def scheduler(quanta: list[int]) -> tuple[list[SimulatedPort], list[Law]]:
    """Return one port with these quanta; a port has two ends, and each a row for each class."""
    ports = []
    for quantum in quanta:
        port = SimulatedPort([0] * len(get_type_hints(SimulatedPort)))
        port.quantum = quantum
        ports.append(port)
    law = Law([0] * len(get_type_hints(Law)))
    law.classes, law.lines = len(quanta), 1
    return ports, [law]


@examples(200)
@given(
    weights=st.lists(st.integers(1, 20), min_size=2, max_size=4),
    sizes=st.lists(st.integers(64, PACKET), min_size=4, max_size=40),
    rounds=st.integers(1, 30),
)
def test_in_each_round_a_class_sends_its_quantum_to_within_a_packet(weights, sizes, rounds):
    """Shreedhar and Varghese, lemma 2: m rounds send m quanta, a packet more or less."""
    quanta = [PACKET * weight // min(weights) for weight in weights]
    ports, laws = scheduler(quanta)
    sent, turns, at = [0] * len(quanta), [0] * len(quanta), [0] * len(quanta)
    last = -1
    while min(turns) < rounds:
        for row, port in enumerate(ports):
            port.offer = sizes[(7 * row + at[row]) % len(sizes)]
        row = pick(ports, laws, 0)
        turns[row] += row != last
        sent[row] += ports[row].offer
        at[row] += 1
        last = row
        for number, quantum in enumerate(quanta):
            complete = turns[number] - (number == row)
            assert complete * quantum - PACKET <= sent[number] <= turns[number] * quantum


def test_a_class_alone_has_the_port_and_a_strict_one_goes_first():
    ports, laws = scheduler([PACKET, 3 * PACKET])
    assert pick(ports, laws, 0) == -1
    ports[1].offer = PACKET
    assert [pick(ports, laws, 0) for _ in range(9)] == [1] * 9
    ports[0].offer = PACKET
    order = [pick(ports, laws, 0) for _ in range(8)]
    assert sum(order) == 6
    ports[1].quantum = 0
    assert [pick(ports, laws, 0) for _ in range(5)] == [1] * 5


def test_what_an_idle_class_did_not_send_is_lost():
    """A class that had nothing to send does not catch up later."""
    ports, laws = scheduler([PACKET, PACKET])
    ports[0].offer = PACKET
    for _ in range(50):
        pick(ports, laws, 0)
    ports[1].offer = PACKET
    order = [pick(ports, laws, 0) for _ in range(20)]
    assert order.count(1) == 10
    ports, laws = scheduler([4 * PACKET, 4 * PACKET])
    ports[0].offer = PACKET
    pick(ports, laws, 0)
    ports[0].offer, ports[1].offer = 0, PACKET
    assert pick(ports, laws, 0) == 1
    ports[0].offer = PACKET
    assert [pick(ports, laws, 0) for _ in range(11)] == [1] * 3 + [0] * 4 + [1] * 4


def full(weights: tuple[float, float]) -> Scenario:
    """Return two classes that are never short of packets, with these weights at the switch."""
    own = [lossless(0.5, weight=weight) for weight in weights]
    return classes_star(own, (3, 3), pool_bytes=1_000_000, duration_us=1500.0)


@examples(20)
@given(first=st.integers(1, 9), second=st.integers(1, 9))
def test_classes_share_a_port_by_their_weights(first, second):
    scenario = full((first, second))
    ports = simulate(scenario).ports
    sent = [int(ports["sent"][receiver(scenario, number)]) for number in (0, 1)]
    share = first / (first + second)
    # Until both queues are full, and one round.
    slack = 12 * PACKET * max(first, second) / min(first, second) + 8 * PACKET
    assert sent[0] == pytest.approx(share * sum(sent), abs=slack)
    assert sum(sent) > 0.97 * 1500e-6 * 100e9 / 8


def test_a_class_that_is_paused_leaves_the_port_to_the_other():
    base = full((1, 1))
    storm = Storm(port=receiver(base, 0), start_us=0.0, stop_us=1500.0)
    outcome = simulate(replace(base, storms=(storm,)))
    assert of_class(outcome, 0).aggregate_gbps == 0
    assert of_class(outcome, 1).aggregate_gbps > 97
    senders = outcome.ports["paused_ps"][:6:2] / 1500e6
    assert (senders > 0.85).all()
    assert Summary(outcome).dropped == 0


def test_the_watchdog_drops_the_queue_of_one_class():
    own = [lossless(0.5, detection_ms=0.5), lossless(0.5, detection_ms=0.5)]
    base = classes_star(own, (3, 3), pool_bytes=1_000_000, duration_us=1500.0)
    row = receiver(base, 1)
    outcome = simulate(replace(base, storms=(Storm(port=row, start_us=0.0, stop_us=1400.0),)))
    assert np.flatnonzero(outcome.ports["storms"]).tolist() == [row]
    assert of_class(outcome, 1).dropped > 0
    assert of_class(outcome, 0).dropped == 0


def test_marks_follow_the_thresholds_of_the_class():
    own = [lossless(marking=marking("paper")), lossless(marking=marking("sonic"))]
    base = classes_star(own, (3, 3), duration_us=3000.0)
    outcome = simulate(replace(base, reaction="dcqcn"))
    low, high = (of_class(outcome, number) for number in (0, 1))
    assert low.most_queue_bytes > 0
    assert low.marked > 0
    assert low.most_queue_bytes < high.most_queue_bytes
    mean = [outcome.ports["queue_area"][receiver(base, number)] / 3e9 for number in (0, 1)]
    assert mean[0] < 0.5 * mean[1]
    none = replace(base, cables=classes_star([own[0], lossless()], (3, 3)).cables)
    assert of_class(simulate(none), 1).marked == 0


@examples(30)
@given(
    alphas=st.tuples(*[st.sampled_from([0.125, 0.25, 0.5, 1.0, 2.0, 4.0])] * 2),
    senders=st.tuples(*[st.integers(2, 4)] * 2),
)
def test_two_classes_divide_the_pool_by_their_alphas(alphas, senders):
    """Each ingress holds alpha x free: B alpha / (1 + sum of alphas), with queues in both classes.

    Packets that arrive after the pause are in the headroom, and in the queue of the egress.
    """
    pool = 6_000_000
    rooms = [lossless(alpha) for alpha in alphas]
    scenario = classes_star(rooms, senders, pool_bytes=pool, duration_us=4000.0)
    outcome = simulate(scenario)
    each = [alpha for alpha, count in zip(alphas, senders, strict=True) for _ in range(count)]
    expected, free = occupancies_bytes(each, [np.inf] * len(each), pool)
    assert free == pytest.approx(pool / (1 + sum(each)))
    at = 0
    for number, count in enumerate(senders):
        queues = outcome.queues[-100:, receiver(scenario, number)]
        held = expected[at : at + count].sum() + count * 4096
        assert -0.005 * held < queues.mean() - held < count * ROUND_TRIP_BYTES
        at += count
    assert Summary(outcome).dropped == 0


@examples(10)
@given(level=st.integers(40_000, 400_000), senders=st.integers(2, 4))
def test_a_fixed_level_holds_whatever_is_free(level, senders):
    room = Ingress(alpha=1.0, headroom_bytes=40_000, reserve_bytes=4096, pause_bytes=level)
    scenario = classes_star(
        [PortClass(ingress=room)], (senders,), pool_bytes=6_000_000, duration_us=4000.0
    )
    outcome = simulate(scenario)
    held = senders * (level + 4096)
    queues = outcome.queues[-100:, receiver(scenario, 0)]
    assert -0.05 * held < queues.mean() - held < senders * ROUND_TRIP_BYTES
    assert Summary(outcome).dropped == 0


@examples(20)
@given(
    alpha=st.sampled_from([0.25, 0.5, 1.0]),
    lossy_alpha=st.sampled_from([0.25, 1.0, 4.0]),
    senders=st.integers(2, 4),
)
def test_a_lossy_queue_takes_its_part_of_the_pool_and_never_pauses(alpha, lossy_alpha, senders):
    pool, lossy = 6_000_000, PortClass(lossy=LossyQueue(alpha=lossy_alpha))
    scenario = classes_star(
        [lossless(alpha), lossy], (senders, 2), (None, 90.0), pool, duration_us=4000.0
    )
    outcome = simulate(scenario)
    each = [*[alpha] * senders, lossy_alpha]
    expected, _ = occupancies_bytes(each, [np.inf] * len(each), pool)
    queues = outcome.queues[-100:, receiver(scenario, 1)]
    assert queues.mean() == pytest.approx(expected[-1], rel=0.02)
    own = of_class(outcome, 1)
    assert own.dropped > 0
    assert own.pauses == own.paused_us == 0
    assert own.aggregate_gbps == pytest.approx(50 * 4000 / PACKET, rel=0.03)
    assert Summary(outcome).dropped == 0
    assert outcome.nodes["most_used"].max() <= pool


def test_a_pool_of_their_own_keeps_lossy_queues_out_of_the_shared_one():
    lossy = PortClass(lossy=LossyQueue(alpha=100.0))
    base = classes_star([lossless(0.5), lossy], (1, 2), (None, 90.0), duration_us=2000.0)
    apart = tuple(
        None if shared is None else LossyPool(own_bytes=500_000, shares=False)
        for shared in base.shared_bytes
    )
    outcome = simulate(replace(base, lossy_pools=apart))
    assert of_class(outcome, 1).most_queue_bytes == pytest.approx(500_000, abs=0.02 * 500_000)
    lossless_alone = of_class(outcome, 0).most_queue_bytes
    assert outcome.nodes["most_used"].max() <= lossless_alone
    both = tuple(pool and replace(pool, shares=True) for pool in apart)
    counted = simulate(replace(base, lossy_pools=both))
    assert counted.nodes["most_used"].max() > 400_000


def test_a_full_pool_pauses_no_lossy_class():
    lossy, pool = PortClass(lossy=LossyQueue(alpha=1.0)), 100 * PACKET
    base = classes_star([lossless(0.5), lossy], (1, 2), (0.001, 90.0), pool, duration_us=500.0)
    large = tuple(shared and LossyPool(own_bytes=10 * pool) for shared in base.shared_bytes)
    outcome = simulate(replace(base, lossy_pools=large))
    assert outcome.nodes["most_used"].max() == pool
    assert of_class(outcome, 1).dropped > 0
    assert of_class(outcome, 1).pauses == 0


def test_a_reserve_of_a_lossy_queue_is_not_of_the_pool():
    lossy = PortClass(lossy=LossyQueue(alpha=0.0, reserve_bytes=100_000))
    scenario = classes_star([lossless(), lossy], (1, 2), (None, 90.0), duration_us=500.0)
    outcome = simulate(scenario)
    assert of_class(outcome, 1).most_queue_bytes == 100_000 // PACKET * PACKET
    assert outcome.nodes["lossy_used"].max() == 0


def test_a_rate_without_congestion_control_stays():
    scenario = classes_star([lossless(marking=marking("paper"))], (2,), (30.0,), duration_us=800.0)
    outcome = simulate(replace(scenario, reaction="dcqcn"))
    assert Summary(outcome).rates_gbps == pytest.approx([30 * 4000 / PACKET] * 2, rel=0.02)


@pytest.mark.parametrize("reaction", ["dcqcn", "hpcc", "aimd"])
def test_compiled_and_interpreted_runs_of_classes_are_equal(reaction):
    own = [
        lossless(0.5, marking=marking("paper"), weight=2),
        lossless(0.25, marking=marking("hpcc")),
        PortClass(lossy=LossyQueue(alpha=0.5), weight=0),
    ]
    base = classes_star(
        own, (2, 2, 1), (None, None, 40.0), pool_bytes=500_000, reaction=reaction, duration_us=300.0
    )
    streams = tuple(
        replace(stream, window_bytes=0 if stream.rate_gbps else 58_000) for stream in base.streams
    )
    scenario = replace(base, streams=streams if reaction == "hpcc" else base.streams)
    fast, slow = simulate(scenario, fast=True), simulate(scenario, fast=False)
    for name in ("ports", "nodes", "flows", "laws"):
        assert (getattr(fast, name) == getattr(slow, name)).all(), name
    assert all(of_class(fast, number).aggregate_gbps > 5 for number in range(3))


@examples(25)
@given(
    senders=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2)),
    size=st.integers(1, 200_000),
    pool=st.integers(300_000, 3_000_000),
    alphas=st.tuples(*[st.sampled_from([0.0625, 0.5, 4.0])] * 3),
    weights=st.tuples(*[st.sampled_from([1.0, 2.5, 7.0])] * 3),
)
def test_nothing_lossless_is_lost_and_nothing_stays(senders, size, pool, alphas, weights):
    own = [
        lossless(alphas[0], weight=weights[0]),
        lossless(alphas[1], weight=weights[1], marking=marking("paper")),
        PortClass(lossy=LossyQueue(alpha=alphas[2]), weight=weights[2]),
    ]
    base = classes_star(own, senders, (None, None, 80.0), pool, reaction="dcqcn")
    streams = tuple(replace(stream, size_bytes=size) for stream in base.streams)
    outcome = simulate(replace(base, streams=streams, duration_us=40_000.0, sample_us=1000.0))
    ports, flows = outcome.ports, outcome.flows
    assert Summary(outcome).dropped == 0
    reliable = flows["fixed"] == 0
    assert (flows["expected"][reliable] == size).all()
    for field in ("queue", "used", "in_headroom", "paused", "xoff_sent", "frames"):
        assert not ports[field].any(), field
    for field in ("used", "lossy_used"):
        assert not outcome.nodes[field].any(), field


def test_a_nic_shares_its_port_between_classes_and_then_between_queue_pairs():
    """Two queue pairs of one class and one of the other, with weights 3 and 1."""
    base = classes_star([lossless(), lossless()], (1, 1), duration_us=1000.0)
    near = replace(base.cables[0].near, weight=3.0, more=(PortClass(weight=1.0),))
    cables = (replace(base.cables[0], near=near), *base.cables[1:])
    streams = tuple(Stream(path=(0, 5), class_number=number) for number in (0, 0, 1))
    outcome = simulate(replace(base, cables=cables, streams=streams))
    rates = Summary(outcome).rates_gbps / 100 * PACKET / 4000
    assert rates == pytest.approx([3 / 8, 3 / 8, 1 / 4], abs=0.01)


def test_classes_are_sprayed_each_on_its_own():
    base = leaf_spine([(0, 8), (1, 9)], spines=2, sprays=True, size_bytes=200_000)
    end = base.cables[0].far
    assert isinstance(end, End)
    cables = tuple(
        replace(
            cable,
            near=replace(cable.near, more=(PortClass(ingress=cable.near.ingress),)),
            far=replace(cable.far, more=(PortClass(ingress=cable.far.ingress),)),
        )
        for cable in base.cables
    )
    own = classes_star([lossless(), lossless()], (1, 1)).classes
    streams = (base.streams[0], replace(base.streams[1], class_number=1))
    outcome = simulate(replace(base, cables=cables, classes=own, streams=streams))
    assert (outcome.flows["expected"] == 200_000).all()
    for number in (0, 1):
        up = outcome.ports["sent"][[outcome.scenario.row(64 + 2 * n, number) for n in range(2)]]
        assert (up > 40_000).all()


def test_classes_that_cannot_be():
    base = classes_star([lossless()], (2,))
    streams = tuple(replace(stream, class_number=1) for stream in base.streams)
    with pytest.raises(ValueError, match="a stream is of no class from 0 to 0"):
        simulate(replace(base, streams=streams))
    with pytest.raises(ValueError, match="there are 9 classes; PFC has 8"):
        simulate(replace(base, classes=base.classes * 9))
