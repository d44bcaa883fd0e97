"""Probabilities of spreads and of codewords, against sums that can be done by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.findings import Severity
from fabric.health.cause import Cause, signs_at
from fabric.health.fec import codewords_per_s, hours_until_loss
from fabric.health.folding import folded
from fabric.health.hashing import idle_tail, spread_probability
from tests.health.windows import LEAF, Fabric, demo, quiet


def every_way(flows: int, links: int):
    """Yield the loads of every way to put flows on links; all are equally likely."""
    for choice in product(range(links), repeat=flows):
        yield np.bincount(choice, minlength=links)


@pytest.mark.parametrize(("flows", "links"), [(1, 2), (4, 4), (6, 3), (5, 4)])
def test_idle_links_by_counting_every_way(flows, links) -> None:
    ways = list(every_way(flows, links))
    for idle in range(links + 1):
        share = np.mean([(load == 0).sum() >= idle for load in ways])
        assert idle_tail(flows, links, idle) == pytest.approx(share)


@pytest.mark.parametrize(("flows", "links"), [(4, 4), (6, 3)])
def test_spreads_by_counting_every_way(flows, links) -> None:
    ways = list(every_way(flows, links))
    for load in ways[:50]:
        full = np.mean([other.max() >= load.max() for other in ways])
        idle = np.mean([(other == 0).sum() >= (load == 0).sum() for other in ways])
        expected = min(1.0, 2 * min(full, idle))
        assert spread_probability(load.astype(float), flows) == pytest.approx(expected)


@given(load=st.lists(st.floats(0.5, 2.0), min_size=2, max_size=32), flows=st.integers(1, 200))
def test_a_probability_is_one(load, flows) -> None:
    assert 0 <= spread_probability(np.array(load), flows) <= 1


def test_half_of_the_links_idle_is_sure_with_many_flows_alone() -> None:
    load = np.array([1.0, 1, 1, 1, 0, 0, 0, 0])
    assert spread_probability(load, 4) > 0.1
    assert spread_probability(load, 32) < 1e-6


@pytest.mark.parametrize(
    ("flows", "full", "severity"),
    [
        (1, 1, Severity.INFO),
        (16, 1, Severity.WARNING),
        (2, 2, None),
        (16, 2, Severity.WARNING),
    ],
)
def test_flows_of_some_nics_on_few_uplinks(flows, full, severity) -> None:
    """Few flows are never uneven; where all are on one uplink, the reader is told so."""
    ends, _ = demo("rail-512")
    rows = ends.of_device[ends.names.index(LEAF)]
    up = [ends.ports[row] for row in rows if not ends.is_below[row]]
    below = [ends.ports[row] for row in rows if ends.is_below[row]]
    assert len(below) >= flows
    fabric = Fabric(quiet("rail-512"), quiet("rail-512"), example="rail-512")
    for first, turn in ((True, 0), (False, 10**6)):
        for port in up:
            fabric.counters(LEAF, port, first=first, tx_packets=turn // full * (port in up[:full]))
        for port in below:
            fabric.counters(
                LEAF, port, first=first, rx_packets=turn // flows * (port in below[:flows])
            )
    told = [(cause.rule, cause.severity) for cause in fabric.causes()]
    assert told == ([("OBS120", severity)] if severity else [])
    assert all("carries all" in cause.message for cause in fabric.causes()) == (
        full == 1 or not told
    )


def test_codewords_of_400g() -> None:
    """425 Gb/s on the wire, 5,440 bits each."""
    assert codewords_per_s(np.array([400]))[0] == pytest.approx(425e9 / 5440)


def test_hours_until_a_codeword_is_lost() -> None:
    """Against the sum of the binomial law, with numbers of Python."""
    from math import comb

    speed, symbols = np.array([400]), np.array([544])
    total = codewords_per_s(speed)[0]
    for share in (0.1, 0.5, 0.7):
        wrong = 1 - (1 - share) ** (1 / 544)
        beyond = sum(comb(544, n) * wrong**n * (1 - wrong) ** (544 - n) for n in range(16, 100))
        hours = hours_until_loss(np.array([share * total]), speed, symbols)[0]
        assert hours == pytest.approx(1 / (beyond * total) / 3600, rel=1e-6)


def test_fec_without_errors_and_without_figures() -> None:
    speed = np.array([400, 400, 100])
    hours = hours_until_loss(np.array([0.0, np.nan, 5.0]), speed, np.array([544, 544, 0]))
    assert hours[0] == np.inf
    assert np.isnan(hours[1:]).all()


def cause(rule: str, about: int = 0, explains: tuple[int, ...] = (), **more) -> Cause:
    return Cause(
        rule,
        Severity.ERROR,
        f"message {rule}",
        "fix",
        "leaf1",
        about=signs_at(np.array([about]), "loss") if about else frozenset(),
        explains=signs_at(np.array(explains, dtype=int), "loss"),
        **more,
    )


def test_a_symptom_is_in_its_cause_with_what_it_explains() -> None:
    first = cause("A", explains=(1,), hosts=("h1",))
    kept = folded([first, cause("B", 1, (2,), hosts=("h2",)), cause("C", 2), cause("D", 3)])
    assert [one.rule for one in kept] == ["A", "D"]
    assert kept[0].evidence == ("leaf1: message B [B]", "leaf1: message C [C]")
    assert (kept[0].symptoms, kept[0].hosts) == (2, ("h1", "h2"))


def test_what_is_about_nothing_is_no_symptom() -> None:
    assert len(folded([cause("A", explains=(1,)), cause("B")])) == 2
