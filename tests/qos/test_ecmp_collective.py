"""Queue pairs, spraying, traffic through the spines and bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.ecmp.collective import (
    QUEUE_PAIRS,
    advise_queue_pairs,
    bisection_bps,
    classic_spine_share,
    enough_queue_pairs,
    rail_spine_share,
    relayed_spine_share,
    spray,
    spread,
)
from fabric.qos.ecmp.load import efficiency
from tests.cases import examples

#: Queue pairs of each of 8 senders on 8 links: fullest over mean, efficiency; the last two from a
#: simulation of 40,000 trials.
SPLITS = {
    1: (2.597, 0.385),
    2: (2.101, 0.476),
    4: (1.762, 0.568),
    8: (1.529, 0.654),
    16: (1.37, 0.73),
    32: (1.26, 0.79),
}


@pytest.mark.parametrize("queue_pairs", SPLITS)
def test_splitting_over_queue_pairs(queue_pairs: int) -> None:
    over_mean, share = SPLITS[queue_pairs]
    result = spread(8, 8, queue_pairs)
    places = 5e-4 if queue_pairs < 16 else 5e-3
    assert result.over_mean == pytest.approx(over_mean, abs=1.01 * places)
    assert result.efficiency == pytest.approx(share, abs=1.1 * places)


def test_two_queue_pairs_of_8_senders_are_16_flows() -> None:
    assert spread(8, 8, 2).over_mean == pytest.approx(4.2014 / 2, abs=5e-5)


def test_one_queue_pair_is_one_flow() -> None:
    for senders, links in ((8, 8), (64, 32), (8, 32)):
        assert spread(senders, links, 1).efficiency == pytest.approx(efficiency(senders, links))


def _simulated(senders: int, links: int, queue_pairs: int, ratio: float) -> float:
    random = np.random.default_rng(3)
    flows = random.multinomial(senders * queue_pairs, np.full(links, 1 / links), size=20_000)
    time = np.maximum(flows.max(axis=1) / queue_pairs / ratio, 1.0)
    return max(senders / (links * ratio), 1.0) / float(time.mean())


@pytest.mark.parametrize(
    "case", [(8, 8, 4, 1.0), (8, 8, 4, 2.0), (4, 32, 8, 1.0), (16, 4, 2, 4.0), (6, 3, 1, 0.5)]
)
def test_fast_uplinks_and_few_senders(case: tuple[int, int, int, float]) -> None:
    """The time of the slowest sender, with NICs that are never faster than their line."""
    assert spread(*case).efficiency == pytest.approx(_simulated(*case), rel=0.01)


def test_advice_is_the_least_that_is_enough() -> None:
    result = advise_queue_pairs(8, 8, 0.7)
    assert (result.queue_pairs, result.reached) == (16, True)
    assert [row.queue_pairs for row in result.table] == list(QUEUE_PAIRS)
    assert "73% of an even spread; 70% is wanted" in result.reason
    assert enough_queue_pairs(8, 8, 0.7) == 16


def test_every_doubling_that_nccl_takes_is_tried() -> None:
    assert [1 << step for step in range(8)] == list(QUEUE_PAIRS)


def test_advice_says_when_nothing_is_enough() -> None:
    result = advise_queue_pairs(8, 8, 0.95)
    assert (result.queue_pairs, result.reached) == (128, False)
    assert enough_queue_pairs(8, 8, 0.95) is None
    assert "adaptive routing or packet spraying" in result.reason


def test_advice_stays_within_what_can_be_worked_out() -> None:
    assert advise_queue_pairs(1024, 32, 1.0).table[-1].queue_pairs == 16


@examples(20)
@given(st.integers(1, 64), st.integers(2, 64))
def test_more_queue_pairs_are_never_worse(senders: int, links: int) -> None:
    shares = [spread(senders, links, count).efficiency for count in (1, 2, 4, 8, 16)]
    assert (np.diff(shares) >= -1e-9).all()
    assert 0 < min(shares) <= max(shares) <= 1 + 1e-9


def test_spraying_comes_near_an_even_spread() -> None:
    shares = [spray(8, 8, packets).efficiency for packets in (1, 100, 2048, 2049, 10**6)]
    assert shares[0] == pytest.approx(0.385, abs=1e-3)
    assert shares[2] == pytest.approx(shares[3], rel=1e-4)
    assert shares == sorted(shares)
    assert shares[-1] > 0.998
    assert any("out of order" in need for need in spray(8, 8, 1).needs)


def test_spraying_beyond_the_exact_law() -> None:
    random = np.random.default_rng(5)
    packets = 100_000
    flows = random.multinomial(8 * packets, np.full(8, 1 / 8), size=4000)
    slowest = flows.max(axis=1).mean() / packets
    assert spray(8, 8, packets).efficiency == pytest.approx(1 / slowest, rel=1e-4)


def test_traffic_through_the_spines() -> None:
    """8 rails, 32 hosts, 4 hosts on a leaf."""
    assert rail_spine_share(8) == 0.875
    assert relayed_spine_share() == 0.0
    assert classic_spine_share(32, 4) == pytest.approx(0.903, abs=5e-4)
    assert classic_spine_share(4, 4) == 0.0
    assert rail_spine_share(1) == 0.0


@pytest.mark.parametrize(("hosts", "each"), [(32, 4), (12, 3), (10, 10), (6, 1)])
def test_the_share_of_a_classic_pod_by_counting(hosts: int, each: int) -> None:
    pairs = [(a, b) for a in range(hosts) for b in range(hosts) if a != b]
    up = sum(a // each != b // each for a, b in pairs)
    assert classic_spine_share(hosts, each) == pytest.approx(up / len(pairs))


def test_bisection() -> None:
    assert bisection_bps(3.2e12, 0.25, 0.5) == 1.2e12
    assert bisection_bps(3.2e12, 1.0, 0.5) == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: spread(8, 8, 0),
        lambda: spread(8, 8, 1, 0.0),
        lambda: spread(0, 8, 1),
        lambda: advise_queue_pairs(8, 8, 0.0),
        lambda: advise_queue_pairs(8, 8, 1.1),
        lambda: spray(8, 8, 0),
        lambda: bisection_bps(-1.0, 0.0, 1.0),
        lambda: bisection_bps(1.0, 1.1, 1.0),
        lambda: bisection_bps(1.0, 0.0, -0.1),
        lambda: rail_spine_share(0),
        lambda: classic_spine_share(1, 1),
        lambda: classic_spine_share(4, 5),
    ],
)
def test_wild_numbers_are_refused(call) -> None:
    with pytest.raises(ValueError, match=r"must|needed"):
        call()
