"""Dynamic thresholds against worked figures, and what must hold for any pool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.thresholds import alpha, pause_threshold_bytes

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


@given(THRESHOLDS, POOLS, USERS)
def test_all_users_fit_into_the_pool(dynamic_th: int, pool: int, users: int) -> None:
    assert users * pause_threshold_bytes(dynamic_th, pool, users) < pool * (1 + 1e-12)


@given(st.integers(-8, 6), POOLS, USERS)
def test_rises_with_alpha_and_falls_with_users(dynamic_th: int, pool: int, users: int) -> None:
    here = pause_threshold_bytes(dynamic_th, pool, users)
    assert pause_threshold_bytes(dynamic_th + 1, pool, users) > here
    assert pause_threshold_bytes(dynamic_th, pool, users + 1) < here
