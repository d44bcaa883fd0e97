"""What a headroom is good for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.headroom import (
    RESPONSE_QUANTA,
    cable_bytes,
    floor_bytes,
    plain_bytes,
    response_bytes,
    response_note,
    response_ns,
    response_quanta,
)
from fabric.qos.headroom.budget import budget, largest
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import HeadroomVerdict, judge

LINK = Link.of(400, 40, 9216, 9216)
#: Both frames 9216, pause frame 84, cable 400G 40 m 20,000; response 57,920.
FLOOR, RESPONSE = 38_516, 96_436


@pytest.mark.parametrize(
    ("have", "verdict"),
    [
        (0, HeadroomVerdict.BELOW_FLOOR),
        (FLOOR - 1, HeadroomVerdict.BELOW_FLOOR),
        (FLOOR, HeadroomVerdict.BELOW_RESPONSE),
        (RESPONSE - 1, HeadroomVerdict.BELOW_RESPONSE),
        (RESPONSE, HeadroomVerdict.LARGE_FRAMES),
        (3 * RESPONSE, HeadroomVerdict.LARGE_FRAMES),
        (3 * RESPONSE + 192, HeadroomVerdict.ENOUGH),
    ],
)
def test_verdict(have: int, verdict: HeadroomVerdict) -> None:
    result = judge(have, LINK, packing_factor=3.0, cell_bytes=192)
    assert result.verdict == verdict
    assert result.floor_bytes == FLOOR
    assert result.response_bytes == RESPONSE


def test_without_packing_the_response_is_enough() -> None:
    assert judge(RESPONSE, LINK).verdict == HeadroomVerdict.ENOUGH


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


LENGTHS_M = (1, 3, 5, 40, 100, 300, 1_000, 10_000, 80_000)
#: Both frames 9216 bytes, 5 ns per metre; worked out apart from the code, half bytes to even.
PLAIN = {
    25: (23667, 23730, 23792, 24886, 26761, 33011, 54886, 336136, 2523636),
    40: (26118, 26218, 26318, 28068, 31068, 41068, 76068, 526068, 4026068),
    50: (27986, 28112, 28236, 30424, 34174, 46674, 90424, 652924, 5027924),
    100: (43857, 44107, 44357, 48732, 56232, 81232, 168732, 1293732, 10043732),
    200: (47758, 48258, 48758, 57508, 72508, 122508, 297508, 2547508, 20047508),
    400: (76936, 77936, 78936, 96436, 126436, 226436, 576436, 5076436, 40076436),
    800: (77436, 79436, 81436, 116436, 176436, 376436, 1076436, 10076436, 80076436),
}
SPEEDS = st.sampled_from(sorted(RESPONSE_QUANTA))
LENGTHS = st.integers(0, 80_000)
MTUS = st.integers(64, 9216)


@pytest.mark.parametrize("speed", PLAIN)
def test_plain_figures(speed: int) -> None:
    assert np.rint(plain_bytes(speed, LENGTHS_M, 9216, 9216)).tolist() == list(PLAIN[speed])


def test_response_bytes() -> None:
    assert response_bytes([10, 100, 400]).tolist() == [4288, 25216, 57920]


def test_a_speed_without_a_row_is_an_interval() -> None:
    """1600G: the quanta of 800G, up to those that take as long as at 400G."""
    assert response_quanta(1600) == (905, 4 * 905)
    assert response_ns(1600) == pytest.approx((289.6, response_ns(400)[1]))
    assert response_quanta(33) == (80, 118)
    least, most = response_quanta(sorted({*RESPONSE_QUANTA, 33, 1600}))
    assert (np.diff(least) >= 0).all()
    assert (np.diff(most) >= 0).all()
    assert (least <= most).all()


@pytest.mark.parametrize("speed", RESPONSE_QUANTA)
def test_a_speed_with_a_row_is_exact(speed: float) -> None:
    assert response_quanta(speed) == (RESPONSE_QUANTA[speed],) * 2


def test_a_speed_below_all_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="no pause response"):
        response_bytes(0.01)


def test_what_is_uncertain_is_named() -> None:
    assert response_note(400) == ""
    assert response_note(800).endswith("halves the time: 579 ns")
    assert "905 to 3,620, which is 290 to 1,158 ns" in response_note(1600)


@pytest.mark.parametrize(
    ("have", "verdict"),
    [(156_000, HeadroomVerdict.BELOW_RESPONSE), (331_000, HeadroomVerdict.ENOUGH)],
)
def test_a_verdict_is_about_the_slowest_peer(have: int, verdict: HeadroomVerdict) -> None:
    judged = judge(have, Link.of(1600, 40, 9216, 9216))
    assert judged.verdict == verdict
    assert (judged.least_bytes, judged.response_bytes) == (156_436, 330_196)
    known = judge(have, Link.of(400, 40, 9216, 9216))
    assert known.least_bytes == known.response_bytes


def test_a_peer_that_is_known_stands_for_the_quanta() -> None:
    """8,000 ns at 100G are 100,000 bytes; 25,216 would be allowed by IEEE 802.3."""
    usual, late = (judge(60_000, Link.of(100, 40, 9216, 9216, ns)) for ns in (None, 8_000))
    assert late.response_bytes - usual.response_bytes == 100_000 - 25_216
    assert usual.verdict > late.verdict == HeadroomVerdict.BELOW_RESPONSE


@pytest.mark.parametrize("wrong", [0, -1, float("inf")])
def test_a_response_that_cannot_be_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="peer_ns must be above 0"):
        Link.of(100, 40, 9216, 9216, wrong)


def test_400g_cable_holds_500_bytes_a_metre() -> None:
    assert cable_bytes(400, 1) == 500.0


@given(SPEEDS, LENGTHS, st.integers(0, 10_000), MTUS, MTUS)
def test_never_falls_as_the_cable_grows(
    speed: int, length: int, more: int, port: int, lossless: int
) -> None:
    short, long = plain_bytes(speed, [length, length + more], port, lossless)
    assert long >= short


@given(LENGTHS, MTUS)
def test_never_falls_as_the_speed_grows(length: int, mtu: int) -> None:
    speeds = sorted(RESPONSE_QUANTA)
    assert (np.diff(plain_bytes(speeds, length, mtu, mtu)) >= 0).all()


@given(SPEEDS, LENGTHS, MTUS, MTUS, st.integers(0, 9000))
def test_never_falls_as_the_mtu_grows(
    speed: int, length: int, port: int, lossless: int, more: int
) -> None:
    base = plain_bytes(speed, length, port, lossless)
    assert plain_bytes(speed, length, port + more, lossless) >= base
    assert plain_bytes(speed, length, port, lossless + more) >= base


@given(SPEEDS, LENGTHS, MTUS, MTUS)
def test_floor_is_the_figure_without_response(
    speed: int, length: int, port: int, lossless: int
) -> None:
    gap = plain_bytes(speed, length, port, lossless) - floor_bytes(speed, length, port, lossless)
    assert gap == pytest.approx(RESPONSE_QUANTA[speed] * 64)
