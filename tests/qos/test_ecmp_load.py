"""The law of the fullest link against rational arithmetic, which is the judge here."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.ecmp.load import (
    MOST_FLOWS,
    MOST_LINKS,
    efficiency,
    expected_max_load,
    max_load,
    quick_max_load,
    used_share,
)
from tests.cases import examples
from tests.docs.papers import collision_probability

#: Flows, links: P(collision), used links, E[M], k / (n E[M]).
ROWS = {
    (2, 2): (0.5000, 0.7500, 1.5000, 0.667),
    (4, 4): (0.9062, 0.6836, 2.1250, 0.471),
    (8, 8): (0.9976, 0.6564, 2.5972, 0.385),
    (8, 4): (1.0000, 0.8999, 3.5381, 0.565),
    (16, 16): (1.0000, 0.6439, 3.0782, 0.325),
    (16, 8): (1.0000, 0.8819, 4.2014, 0.476),
    (32, 32): (1.0000, 0.6379, 3.5329, 0.283),
    (64, 32): (1.0000, 0.8689, 5.4148, 0.369),
    (8, 16): (0.8792, 0.4033, 2.0629, None),
    (8, 32): (0.6143, 0.2243, 1.6646, None),
}


@cache
def ways_at_most(flows: int, links: int, most: int) -> int:
    """Return how many of the n^k ways leave no link with more than ``most`` flows."""
    if not links:
        return int(flows == 0)
    return sum(
        comb(flows, near) * ways_at_most(flows - near, links - 1, most)
        for near in range(min(flows, most) + 1)
    )


def at_most(flows: int, links: int, most: int) -> Fraction:
    return Fraction(ways_at_most(flows, links, most), links**flows)


def mean(flows: int, links: int) -> Fraction:
    return sum((1 - at_most(flows, links, most) for most in range(flows)), start=Fraction(0))


@pytest.mark.parametrize("row", ROWS)
def test_known_rows(row: tuple[int, int]) -> None:
    collision, used, fullest, share = ROWS[row]
    assert collision_probability(*row) == pytest.approx(collision, abs=6e-5)
    assert float(used_share(*row)) == pytest.approx(used, abs=6e-5)
    assert expected_max_load(*row) == pytest.approx(fullest, abs=6e-5)
    if share:
        assert efficiency(*row) == pytest.approx(share, abs=6e-4)
    else:
        assert efficiency(*row) == pytest.approx(1 / fullest, abs=6e-5)


@pytest.mark.parametrize("row", ROWS)
def test_known_rows_are_exact(row: tuple[int, int]) -> None:
    """The judge agrees with the rows as well, to their last digit."""
    assert float(mean(*row)) == pytest.approx(ROWS[row][2], abs=6e-5)
    assert expected_max_load(*row) == pytest.approx(float(mean(*row)), rel=1e-12)


def test_the_judge_counts_by_hand() -> None:
    """3 flows on 2 links: of 8 ways, 6 have a fullest link of 2, and 2 of 3."""
    assert at_most(3, 2, 2) == Fraction(6, 8)
    assert mean(3, 2) == Fraction(9, 4)


@given(st.integers(1, 28), st.integers(1, 14))
def test_floats_are_the_rational_law(flows: int, links: int) -> None:
    law = max_load(flows, links)
    for load, probability in zip(law.loads.tolist(), law.at_most.tolist(), strict=True):
        assert probability == pytest.approx(float(at_most(flows, links, load)), abs=1e-13)
    assert law.mean == pytest.approx(float(mean(flows, links)), rel=1e-12)


@given(st.integers(1, 28), st.integers(1, 28))
def test_collisions_are_the_rational_ones(flows: int, links: int) -> None:
    ways = factorial(links) // factorial(links - flows) if flows <= links else 0
    exact = 1 - Fraction(ways, links**flows)
    assert collision_probability(flows, links) == pytest.approx(float(exact), abs=1e-12)
    used = 1 - Fraction(links - 1, links) ** flows
    assert float(used_share(flows, links)) == pytest.approx(float(used), rel=1e-12)


@examples(25)
@given(st.integers(1, 3000), st.integers(1, 512))
def test_law(flows: int, links: int) -> None:
    """A distribution, that starts at an even spread and grows with the flows."""
    law = max_load(flows, links)
    assert law.loads[0] >= -(-flows // links)
    assert (np.diff(law.at_most) >= 0).all()
    assert law.at_most[-1] == 1.0
    assert -(-flows // links) <= law.mean <= flows
    assert expected_max_load(flows + 1, links) > law.mean
    assert expected_max_load(flows, links + 1) <= law.mean + 1e-9
    assert 0 < efficiency(flows, links) <= 1


@pytest.mark.parametrize(("flows", "links"), [(16_384, 512), (16_384, 2), (1, 4096), (7, 1)])
def test_large_cases(flows: int, links: int) -> None:
    """Against a simulation, or where the answer is known."""
    result = expected_max_load(flows, links)
    if links == 1 or flows == 1:
        assert result == flows
        return
    draws = np.random.default_rng(1).multinomial(flows, np.full(links, 1 / links), size=2000)
    fullest = draws.max(axis=1)
    assert result == pytest.approx(fullest.mean(), abs=4 * fullest.std() / np.sqrt(2000))


def test_two_links_have_a_closed_form() -> None:
    """k even flows on 2 links: k/2 (1 + C(k, k/2) / 2^k)."""
    flows = 1000
    exact = Fraction(flows, 2) * (1 + Fraction(comb(flows, flows // 2), 2**flows))
    assert expected_max_load(flows, 2) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("flows", "links", "name"),
    [(0, 2, "flows"), (2, 0, "links"), (MOST_FLOWS + 1, 2, "flows"), (2, MOST_LINKS + 1, "links")],
)
def test_wild_numbers_are_refused(flows: int, links: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is"):
        max_load(flows, links)


@pytest.mark.parametrize("links", [1, 2, 5, 32, 128])
def test_quick_load_is_near_the_exact_one(links: int) -> None:
    for flows in (1, 7, 256, 257, 300, 512, 1000, 3000, 16_383, 16_384):
        exact = expected_max_load(flows, links)
        assert quick_max_load(flows, links) == pytest.approx(exact, rel=3e-4), flows


def test_quick_load_has_the_same_limits() -> None:
    for flows, links in ((0, 4), (16_385, 4), (300, 0)):
        with pytest.raises(ValueError, match="must lie between"):
            quick_max_load(flows, links)
