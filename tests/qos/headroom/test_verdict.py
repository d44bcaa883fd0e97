"""What a headroom is good for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.headroom.budget import budget, largest
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import Verdict, judge

LINK = Link.of(400, 40, 9216, 9216)
#: Both frames 9216, pause frame 84, cable 400G 40 m 20,000; response 57,920.
FLOOR, RESPONSE = 38_516, 96_436


@pytest.mark.parametrize(
    ("have", "verdict"),
    [
        (0, Verdict.BELOW_FLOOR),
        (FLOOR - 1, Verdict.BELOW_FLOOR),
        (FLOOR, Verdict.BELOW_RESPONSE),
        (RESPONSE - 1, Verdict.BELOW_RESPONSE),
        (RESPONSE, Verdict.LARGE_FRAMES),
        (3 * RESPONSE, Verdict.LARGE_FRAMES),
        (3 * RESPONSE + 192, Verdict.ENOUGH),
    ],
)
def test_verdict(have: int, verdict: Verdict) -> None:
    result = judge(have, LINK, packing_factor=3.0, cell_bytes=192)
    assert result.verdict == verdict
    assert result.floor_bytes == FLOOR
    assert result.response_bytes == RESPONSE


def test_without_packing_the_response_is_enough() -> None:
    assert judge(RESPONSE, LINK).verdict == Verdict.ENOUGH


def test_time_that_is_left_for_the_peer() -> None:
    assert judge(77_824, LINK).response_ns == pytest.approx((77_824 - FLOOR) / 50, abs=0.01)
    assert judge(FLOOR - 50, LINK).response_ns == pytest.approx(-1.0)


@given(st.integers(0, 10**7), st.integers(0, 10**6))
def test_more_is_never_worse(have: int, more: int) -> None:
    link = Link.of((25, 100, 800), (5, 300, 2000), 9216, 4096)
    near = judge(have, link, packing_factor=2.5).verdict
    assert (judge(have + more, link, packing_factor=2.5).verdict >= near).all()


def test_budget_of_a_switch() -> None:
    """64 groups of 38,912 + 283,648 bytes and 1 MB for the rest, out of 32 MB."""
    own = budget([38_912] * 64, [283_648] * 64, 32_000_000, reserved_bytes=1_000_000)
    assert own.need_bytes == 64 * (38_912 + 283_648) + 1_000_000
    assert own.fits
    assert own.missing_bytes == 0
    expected = budget([38_912] * 64, [283_648] * 64, 32_000_000, shared_bytes=20_000_000)
    assert expected.missing_bytes == 64 * (38_912 + 283_648) + 20_000_000 - 32_000_000
    shared = budget([38_912] * 64, [283_648] * 64, 32_000_000, over_subscription=2)
    assert shared.kept_headroom_bytes == 32 * 283_648


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"over_subscription": 0.5}, "at least 1"),
        ({"reserved_bytes": -1}, "negative"),
        ({"buffer_bytes": 0}, "above 0"),
    ],
)
def test_budget_refuses(changes: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        budget([1], [1], **{"buffer_bytes": 10, **changes})


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(-10, 1010))
def test_largest_is_the_edge(low: int, span: int, edge: int) -> None:
    high = low + span
    result = largest(lambda number: number <= edge, low, high)
    assert result == (min(edge, high) if edge >= low else None)
