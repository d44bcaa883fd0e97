"""Dynamic thresholds and the order of ECN and PFC against worked figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.pool import PauseThreshold
from fabric.qos.thresholds import (
    alpha,
    ecn_limit_bytes,
    occupancies_bytes,
    pause_threshold_bytes,
)
from tests.docs.papers import PaperBuffer, loop_bytes

#: dynamic_th -> percent of the pool for 1, 2 and 16 users (Choudhury-Hahne).
SHARES = {
    -6: (1.54, 1.52, 1.25),
    -3: (11.1, 10.0, 4.17),
    0: (50.0, 33.3, 5.88),
    1: (66.7, 40.0, 6.06),
    3: (88.9, 47.1, 6.20),
    7: (99.2, 49.8, 6.25),
}
POOLS = st.integers(1, 2**30)
THRESHOLDS = st.integers(-8, 7)
USERS = st.integers(1, 512)
#: The switch of the DCQCN paper: Trident II, 12 MB, 32 ports, 22.4 KB of headroom.
TRIDENT = PaperBuffer(12_000_000, 32, 22_400)


@pytest.mark.parametrize(("dynamic_th", "shares"), SHARES.items())
def test_share_of_the_pool(dynamic_th: int, shares: tuple[float, ...]) -> None:
    for users, percent in zip((1, 2, 16), shares, strict=True):
        threshold = pause_threshold_bytes(dynamic_th, 1_000_000, users)
        assert threshold / 10_000 == pytest.approx(percent, abs=0.051)


@pytest.mark.parametrize(("users", "expected"), [(2, 3_342_964), (16, 1_368_638)])
def test_incast_of_a_32_mib_switch(users: int, expected: int) -> None:
    pool = 33_554_432 - 41_596 * (users + 1)
    assert pause_threshold_bytes(-3, pool, users) == pytest.approx(expected, abs=1)


def test_alpha_is_a_power_of_two() -> None:
    assert [alpha(value) for value in (-8, -1, 0, 7)] == [1 / 256, 0.5, 1.0, 128.0]


def test_static_thresholds_of_the_paper() -> None:
    """24.47 KB for PFC leaves ECN less than a frame: the paper calls it infeasible."""
    assert TRIDENT.static_pause_bytes == pytest.approx(24_475)
    assert TRIDENT.static_ecn_bytes == pytest.approx(764.8, abs=0.1)


@pytest.mark.parametrize(
    ("beta", "expected"), [(8, 21_755.6), (4, 19_580), (2, 16_316.7), (1, 12_237.5)]
)
def test_dynamic_ecn_threshold_of_the_paper(beta: float, expected: float) -> None:
    assert TRIDENT.dynamic_ecn_bytes(beta) == pytest.approx(expected, abs=0.05)


@given(st.integers(-3, 7), st.integers(1, 64))
def test_the_alpha_rule_is_that_of_the_paper(dynamic_th: int, ports: int) -> None:
    """With alpha = beta / 8 and eight lossless classes."""
    paper = PaperBuffer(100_000_000, ports, 22_400)
    ours = ecn_limit_bytes(dynamic_th, paper.shared_bytes, ports, 8)
    assert ours == pytest.approx(paper.dynamic_ecn_bytes(8 * alpha(dynamic_th)))


@given(THRESHOLDS, POOLS)
def test_one_port_and_one_class_is_the_pause_threshold(dynamic_th: int, pool: int) -> None:
    assert ecn_limit_bytes(dynamic_th, pool) == pytest.approx(
        pause_threshold_bytes(dynamic_th, pool)
    )


@given(THRESHOLDS, POOLS, st.integers(1, 128), st.integers(1, 8))
def test_below_the_limit_ecn_is_first(dynamic_th: int, pool: int, ports: int, classes: int) -> None:
    """Just at the limit the bytes of one ingress port are at its pause threshold."""
    limit = ecn_limit_bytes(dynamic_th, pool, ports, classes)
    free = pool - classes * ports * limit
    assert ports * limit == pytest.approx(alpha(dynamic_th) * free, rel=1e-9)


@given(THRESHOLDS, POOLS, USERS)
def test_all_users_fit_into_the_pool(dynamic_th: int, pool: int, users: int) -> None:
    assert users * pause_threshold_bytes(dynamic_th, pool, users) < pool * (1 + 1e-12)


@given(st.integers(-8, 6), POOLS, USERS)
def test_rises_with_alpha_and_falls_with_users(dynamic_th: int, pool: int, users: int) -> None:
    near = pause_threshold_bytes(dynamic_th, pool, users)
    assert pause_threshold_bytes(dynamic_th + 1, pool, users) > near
    assert pause_threshold_bytes(dynamic_th, pool, users + 1) < near
    more = PauseThreshold(None, dynamic_th, pool).incast_bytes(users + 1)
    assert more > PauseThreshold(None, dynamic_th, pool).incast_bytes(users) == users * near


def test_queue_that_the_loop_adds() -> None:
    """16:1 at 100G and 20 us: 3.75 MB."""
    assert loop_bytes(12.5e9, 16, 20e-6) == pytest.approx(3_750_000)


def test_arrays() -> None:
    result = pause_threshold_bytes([0, 1], 1000, [[1], [2]])
    assert result.shape == (2, 2)  # type: ignore[union-attr]
    assert result[0].tolist() == pytest.approx([500.0, 2000 / 3])  # type: ignore[index]


@given(
    st.lists(
        st.tuples(st.floats(2**-8, 2**7), st.one_of(st.floats(0, 1e9), st.just(float("inf")))),
        max_size=20,
    ),
    st.floats(1, 1e9),
)
def test_users_with_unequal_alphas_and_loads_settle(
    users: list[tuple[float, float]], pool: float
) -> None:
    """Nobody holds more than its load or its threshold, and all bytes of the pool are counted."""
    alphas, loads = [one for one, _ in users], [load for _, load in users]
    held, free = occupancies_bytes(alphas, loads, pool)
    assert free + held.sum() == pytest.approx(pool, rel=1e-9)
    for share, load, own in zip(alphas, loads, held, strict=True):
        assert own == pytest.approx(min(load, share * free), rel=1e-9, abs=1e-6)


@given(THRESHOLDS, POOLS, st.integers(1, 64))
def test_equal_users_are_the_closed_form(dynamic_th: int, pool: int, users: int) -> None:
    held, _ = occupancies_bytes([alpha(dynamic_th)] * users, [float("inf")] * users, pool)
    assert held == pytest.approx(pause_threshold_bytes(dynamic_th, pool, users))
