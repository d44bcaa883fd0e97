"""Parameter sets: ranges, and what a set must hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.qos.dcqcn.parameters import CongestionPoint, NotificationPoint, ParameterSet
from fabric.qos.dcqcn.presets import CONNECTX, PAPER, PUBLISHED


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("alpha_gain_1024ths", 0),
        ("alpha_gain_1024ths", 1025),
        ("initial_alpha_1024ths", 0),
        ("alpha_period_us", 0),
        ("cut_period_us", 0),
        ("timer_us", 0),
        ("byte_counter_bytes", -1),
        ("recovery_steps", 0),
        ("additive_mbps", 0),
        ("hyper_mbps", 0),
        ("alpha_divisor", 0),
        ("kept_percent", 0),
        ("kept_percent", 101),
        ("min_rate_mbps", 0),
        ("max_rate_mbps", -1),
        ("first_cnp_rate_mbps", -1),
    ],
)
def test_reaction_point_ranges(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}"):
        replace(PAPER.reaction_point, **{field: value})


@pytest.mark.parametrize(
    ("field", "value"), [("cnp_interval_us", -1), ("cnp_dscp", 64), ("cnp_pcp", 8)]
)
def test_notification_point_ranges(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}"):
        NotificationPoint(**({"cnp_interval_us": 4} | {field: value}))


@pytest.mark.parametrize(
    ("kmin", "kmax", "pmax", "field"),
    [
        (-1, 10, 1, "kmin_bytes"),
        (10, 10, 1, "kmax_bytes"),
        (10, 9, 1, "kmax_bytes"),
        (1, 2, 0, "pmax_percent"),
        (1, 2, 101, "pmax_percent"),
    ],
)
def test_congestion_point_ranges(kmin: int, kmax: int, pmax: float, field: str) -> None:
    with pytest.raises(ValueError, match=field):
        CongestionPoint(kmin_bytes=kmin, kmax_bytes=kmax, pmax_percent=pmax)


def test_a_set_without_the_switch_does_not_exist() -> None:
    with pytest.raises(TypeError, match="congestion_point"):
        ParameterSet(  # type: ignore[call-arg]
            name="x",
            reaction_point=PAPER.reaction_point,
            notification_point=PAPER.notification_point,
            source="x",
        )


def test_cuts_wait_for_the_later_of_notice_and_period() -> None:
    slow = replace(CONNECTX, notification_point=NotificationPoint(cnp_interval_us=50))
    assert (PAPER.cut_interval_us, CONNECTX.cut_interval_us, slow.cut_interval_us) == (50, 4, 50)


def test_published_sets_have_names_and_sources() -> None:
    assert len({result.name for result in PUBLISHED}) == len(PUBLISHED) == 4
    assert all(result.source and result.note for result in PUBLISHED)
