"""The simulator against laws that hold in every run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.simulate.build import REACTIONS
from fabric.qos.simulate.compiled import COMPILED
from fabric.qos.simulate.crossed import crossed, distances
from fabric.qos.simulate.outcome import Outcome, simulate
from fabric.qos.simulate.scenario import VXLAN_BYTES, Scenario, Storm, Stream
from fabric.qos.simulate.star import Star
from fabric.qos.simulate.summary import Summary, jain
from tests.cases import examples
from tests.qos.simulate.stars import OVERHEAD, leaf_spine, marking, star, two_leaves

SHORT_US = 400.0


def interpreted(scenario: Scenario) -> Outcome:
    return simulate(scenario, fast=False)


@pytest.mark.parametrize("reaction", REACTIONS)
def test_compiled_and_interpreted_runs_are_equal(reaction):
    assert COMPILED, "numba is missing"
    window = 58_000 if reaction == "hpcc" else 0
    scenario = star(3, reaction=reaction, duration_us=SHORT_US, window_bytes=window)
    one, other = simulate(scenario, fast=True), interpreted(scenario)
    for name in ("ports", "nodes", "flows", "laws"):
        assert (getattr(one, name) == getattr(other, name)).all(), name
    assert (one.queues == other.queues).all()
    assert (one.delivered == other.delivered).all()
    assert one.delivered[-1].sum() > 0


@pytest.mark.parametrize("places", [True, False])
def test_compiled_and_interpreted_runs_that_spray_are_equal(places):
    pairs = [(0, 8), (1, 16), (2, 24), (3, 9)]
    scenario = leaf_spine(pairs, spines=2, sprays=True, size_bytes=200_000, seed=4)
    scenario = replace(scenario, places=places, duration_us=SHORT_US)
    one, other = simulate(scenario, fast=True), interpreted(scenario)
    for name in ("ports", "nodes", "flows", "laws"):
        assert (getattr(one, name) == getattr(other, name)).all(), name
    assert (one.late == other.late).all()
    assert one.late.sum() >= 200


def test_a_flow_that_is_sprayed_uses_all_spines_and_what_is_late_is_placed():
    pairs = [(host, 8 + host) for host in range(4)]
    scenario = leaf_spine(pairs, spines=2, sprays=True, size_bytes=2_000_000, duration_us=3000.0)
    placed = Summary(simulate(scenario))
    assert (placed.outcome.ports["sent"][64:80:2][:2] > 0.9 * 4_000_000).all()
    assert placed.late_percent > 0
    assert placed.late_packets(0.99) <= placed.late_packets(1.0)
    assert placed.repeated_bytes == placed.unfinished == 0
    assert (placed.outcome.flows["expected"] == 2_000_000).all()
    again = Summary(simulate(replace(scenario, places=False)))
    assert again.repeated_bytes > 0
    assert again.completion_us.max() > placed.completion_us.max()
    one_way = Summary(simulate(leaf_spine(pairs, spines=2, size_bytes=2_000_000)))
    assert (one_way.late_percent, one_way.late_packets(1.0)) == (0, 0)


def test_pauses_of_switches_are_told_apart():
    """Eight NICs of a leaf on two uplinks: the leaf pauses its hosts, the spines pause no leaf."""
    pairs = [(host, 8 + host) for host in range(8)]
    summary = Summary(simulate(leaf_spine(pairs, spines=2, sprays=True)))
    assert summary.pauses > 0
    assert summary.switch_pauses == 0
    incast = Summary(simulate(leaf_spine([(host, 31) for host in range(8)], sprays=True)))
    assert (incast.pauses_by_tier > 0).all()
    assert incast.pauses_by_tier.sum() == incast.pauses
    assert incast.pauses_by_tier[1:].sum() == incast.switch_pauses


@pytest.mark.parametrize("sprays", [True, False])
def test_a_flow_to_a_free_host_is_a_victim_of_an_incast(sprays):
    """Seven of eight NICs send to one host; the eighth waits on uplinks that are paused."""
    pairs = [(host, 31 if host < 7 else 30) for host in range(8)]
    scenario = leaf_spine(pairs, spines=2, sprays=sprays)
    summary = Summary(simulate(scenario))
    assert summary.bottlenecks.tolist() == [2 * 31 + 1]
    assert summary.victims.tolist() == [7]
    ports = crossed(scenario)[7]
    assert {*scenario.streams[7].path} <= ports
    assert len(ports) == (6 if sprays else 4)


def test_a_tier_is_the_way_to_the_next_host():
    assert distances(leaf_spine([(0, 8)], spines=2)) == (*[0] * 32, *[1] * 4, 2, 2)
    assert distances(two_leaves("off", 1.0)) == (*[0] * 17, 1, 1, 2)


def test_a_packet_is_as_late_as_it_lies_behind_the_furthest():
    """Two ways, one of them slow: while a packet is on it, the other brings the next ones."""
    base = leaf_spine([(0, 8)], spines=2, sprays=True, size_bytes=40_000, duration_us=100.0)
    cables = [
        replace(cable, delay_ns=3000.0) if number == 32 else cable
        for number, cable in enumerate(base.cables)
    ]
    scenario = replace(base, cables=(*cables,))
    summary = Summary(simulate(scenario))
    assert summary.unfinished == 0
    assert summary.outcome.late.sum() == 10
    # 2 us are 6 packets of 0.324 us: so many, less what went the slow way too, are in between.
    assert 0 < summary.late_packets(1.0) <= 6
    assert summary.late_packets(0.5) <= summary.late_packets(0.99)
    assert summary.late_bytes == 4000 * summary.late_packets(1.0)


def test_the_header_of_a_tunnel_takes_its_share_of_the_uplink():
    scenario = leaf_spine([(0, 8)], spines=1, duration_us=500.0, size_bytes=None)
    cables = [
        replace(cable, tunnel_bytes=VXLAN_BYTES if number >= 32 else 0)
        for number, cable in enumerate(scenario.cables)
    ]
    plain, tunnelled = (simulate(one) for one in (scenario, replace(scenario, cables=(*cables,))))
    packets = 4000 + OVERHEAD
    leaf, spine = 64, 67
    for run, extra in ((plain, 0), (tunnelled, VXLAN_BYTES)):
        sent = run.ports["sent"]
        assert sent[leaf] % (packets + extra) == 0
        assert sent[17] % packets == 0
        assert run.ports["most_queue"][spine] % (packets + extra) == 0
        assert run.ports["most_queue"][spine] > 0
    assert tunnelled.ports["most_queue"][leaf] > 2 * plain.ports["most_queue"][leaf]


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    scenario = star(2, "paper", duration_us=2000.0)
    first, again = interpreted(scenario), interpreted(scenario)
    other = interpreted(replace(scenario, seed=2))
    assert (first.queues == again.queues).all()
    assert (first.queues != other.queues).any()


@examples(40)
@given(
    senders=st.integers(1, 6),
    reaction=st.sampled_from(sorted(REACTIONS)),
    profile=st.sampled_from(["paper", "hpcc", "sonic"]),
    size=st.integers(1, 400_000),
    buffer_kib=st.integers(600, 4000),
    alpha=st.sampled_from([0.0625, 0.125, 1.0, 4.0]),
    seed=st.integers(1, 1000),
)
def test_nothing_is_lost_and_nothing_stays(
    senders, reaction, profile, size, buffer_kib, alpha, seed
):
    """With the headroom that the wire asks for no packet is lost, and every buffer empties."""
    shape = Star(senders=senders, buffer_bytes=buffer_kib * 1024, alpha=alpha)
    scenario = replace(
        star(senders, profile, reaction=reaction, size_bytes=size, window_bytes=0),
        shared_bytes=shape.shared_bytes(),
        cables=shape.cables(marking(profile)),
        duration_us=60_000.0,
        sample_us=1000.0,
        seed=seed,
    )
    outcome = interpreted(scenario)
    summary = Summary(outcome)
    assert summary.dropped == 0
    assert summary.unfinished == 0
    assert (outcome.flows["expected"] == size).all()
    for field in ("queue", "used", "in_headroom", "paused", "xoff_sent", "frames"):
        assert not outcome.ports[field].any(), field
    assert not outcome.nodes["used"].any()
    assert (outcome.nodes["most_used"] <= np.maximum(outcome.nodes["shared"], 0)).all()
    assert (outcome.ports["most_headroom"] <= outcome.ports["headroom"]).all()
    packets = -(-size // 4000)
    wire = senders * (size + packets * OVERHEAD)
    assert outcome.ports["sent"][shape.receiver_port] == wire


def test_too_little_headroom_loses_packets_and_they_are_sent_again():
    shape = Star(senders=3, buffer_bytes=2**20)
    cables = tuple(
        replace(cable, far=replace(cable.far, ingress=replace(cable.far.ingress, headroom_bytes=0)))
        for cable in shape.cables(None)
    )
    base = star(3, reaction="off", duration_us=8000.0)
    summary = Summary(interpreted(replace(base, shared_bytes=shape.shared_bytes(), cables=cables)))
    assert summary.dropped > 0
    assert (np.diff(summary.outcome.delivered[[200, -1]], axis=0) > 10_000).all()


def test_pauses_alternate_with_resumes_and_last_as_long_as_both_ends_say():
    outcome = interpreted(star(2, reaction="off", duration_us=1500.0))
    ports = outcome.ports
    paused = np.flatnonzero(ports["paused_ps"] > 0)
    assert paused.tolist() == [0, 2]
    assert (ports["pauses"][paused ^ 1] > 10).all()
    share = ports["paused_ps"][paused] / 1500e6
    rate = ports["sent"][paused] * 80 / 1500e6
    assert share + rate == pytest.approx([1.0, 1.0], abs=0.08)


def test_a_resume_never_overtakes_its_pause():
    """A peer that is slow to stop is as slow to start: no port stays paused."""
    base = star(8, reaction="off", size_bytes=300_000, duration_us=5000.0)
    cables = tuple(
        replace(cable, near=replace(cable.near, response_ns=2000.0)) for cable in base.cables
    )
    room = tuple(
        replace(
            cable,
            far=replace(cable.far, ingress=replace(cable.far.ingress, headroom_bytes=80_000)),
        )
        for cable in cables
    )
    small = replace(base, cables=room, shared_bytes=(*[None] * 9, 500_000))
    summary = Summary(interpreted(small))
    assert summary.pauses > 10
    assert summary.unfinished == summary.dropped == 0
    assert not summary.outcome.ports["paused"].any()


def test_a_sender_alone_has_the_whole_link():
    summary = Summary(interpreted(star(1, duration_us=1000.0)))
    assert summary.aggregate_gbps == pytest.approx(100 * 4000 / 4048, rel=0.01)
    assert summary.pauses == 0


def test_a_window_bounds_what_is_on_its_way():
    """The rate of a window is its size over the round trip (Little's law)."""
    outcome = interpreted(star(1, reaction="off", duration_us=2000.0, window_bytes=20_000))
    expected = 20_000 / (outcome.flows["base_rtt"][0] / 1e6) * 8e-3
    assert Summary(outcome).aggregate_gbps == pytest.approx(expected, rel=0.02)


def test_a_receiver_admits_streams_in_turn():
    base = star(3, reaction="off", size_bytes=1_000_000, duration_us=2000.0)
    streams = [replace(stream, after=n - 1 if n else None) for n, stream in enumerate(base.streams)]
    outcome = interpreted(replace(base, streams=tuple(streams)))
    flows = outcome.flows
    assert (flows["start"][1:] == flows["finish"][:-1]).all()
    assert outcome.ports["most_queue"].max() <= 4048
    assert Summary(outcome).pauses == 0


def test_a_storm_stops_its_port_and_makes_victims():
    """A host that pauses for ever fills the spine; streams beside it, to another host, suffer."""
    base = two_leaves("off", 3000.0)
    toward = [(2 * host, 36, 35, 33) for host in (8, 9)]
    aside = [(2 * host, 36, 35, 2 * host - 23) for host in (12, 13)]
    streams = tuple(Stream(path=path) for path in toward + aside)
    storm = Storm(port=33, start_us=0.0, stop_us=3000.0)
    calm = Summary(interpreted(replace(base, streams=streams[2:])))
    stormy = Summary(interpreted(replace(base, streams=streams, storms=(storm,))))
    assert stormy.victims.tolist() == [2, 3]
    assert stormy.dropped == 0
    lost = 1 - stormy.outcome.delivered[-1][2:] / calm.outcome.delivered[-1]
    assert (lost > 0.3).all()
    assert not stormy.outcome.flows["expected"][:2].any()


def test_the_watchdog_drops_what_a_storm_holds():
    base = two_leaves("off", 3000.0)
    cables = list(base.cables)
    cables[16] = replace(cables[16], far=replace(cables[16].far, detection_ms=1.0))
    streams = tuple(Stream(path=(2 * host, 36, 35, 33)) for host in range(8, 12))
    storm = Storm(port=33, start_us=0.0, stop_us=3000.0)
    summary = Summary(
        interpreted(replace(base, cables=tuple(cables), streams=streams, storms=(storm,)))
    )
    assert summary.storms == 1
    assert summary.dropped > 100
    assert summary.outcome.ports["queue"][33] == 0


@pytest.mark.parametrize(
    ("rates", "index"),
    [([1, 1, 1, 1], 1.0), ([1, 0, 0, 0], 0.25), ([3, 1], 0.8), ([0, 0], 1.0)],
)
def test_jain_index(rates, index):
    assert jain(np.array(rates, float)) == pytest.approx(index)


def test_what_cannot_be_simulated_is_rejected():
    with pytest.raises(ValueError, match="reaction is 'timely'; it is one of off, dcqcn"):
        interpreted(star(2, reaction="timely"))
    base = star(2)
    with pytest.raises(ValueError, match="in the order of their first port"):
        interpreted(replace(base, streams=base.streams[::-1]))
    with pytest.raises(ValueError, match="more than 6 hops"):
        interpreted(replace(base, streams=(Stream(path=(0,) * 7),)))
