"""Figures of the NIC: the values of a real listing, ranges, and the way there and back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.dcqcn.parameters import (
    CongestionPoint,
    NotificationPoint,
    ParameterSet,
    ReactionPoint,
)
from fabric.qos.dcqcn.presets import CONNECTX, HPCC_FAST, PAPER
from fabric.qos.dcqcn.registers import FIELDS, read_settings, settings
from tests.reference import SHARED

SWITCH = CongestionPoint(kmin_bytes=150_000, kmax_bytes=1_500_000, pmax_percent=100)
#: As ``mlxconfig query`` of a ConnectX-6 Dx prints them.
LISTING = """
CLAMP_TGT_RATE_AFTER_TIME_INC_P1            True(1)
CLAMP_TGT_RATE_P1                           False(0)
RPG_TIME_RESET_P1                           300
RPG_BYTE_RESET_P1                           32767
RPG_THRESHOLD_P1                            1
RPG_MAX_RATE_P1                             0
RPG_AI_RATE_P1                              5
RPG_HAI_RATE_P1                             50
RPG_GD_P1                                   11
RPG_MIN_DEC_FAC_P1                          50
RPG_MIN_RATE_P1                             1
RATE_TO_SET_ON_FIRST_CNP_P1                 0
DCE_TCP_G_P1                                1019
DCE_TCP_RTT_P1                              1
RATE_REDUCE_MONITOR_PERIOD_P1               4
INITIAL_ALPHA_VALUE_P1                      1023
MIN_TIME_BETWEEN_CNPS_P1                    4
CNP_802P_PRIO_P1                            6
CNP_DSCP_P1                                 48
"""
NAMES = {
    "roce_rp/clamp_tgt_rate rp_clamp_tgt_rate",
    "roce_rp/clamp_tgt_rate_after_time_inc rp_clamp_tgt_rate_ati",
    "roce_rp/rpg_time_reset rp_time_reset",
    "roce_rp/rpg_byte_reset rp_byte_reset",
    "roce_rp/rpg_threshold rp_threshold",
    "roce_rp/rpg_ai_rate rp_ai_rate",
    "roce_rp/rpg_hai_rate rp_hai_rate",
    "roce_rp/rpg_max_rate rp_max_rate",
    "roce_rp/rpg_min_rate rp_min_rate",
    "roce_rp/rpg_min_dec_fac rp_min_dec_fac",
    "roce_rp/rpg_gd rp_gd",
    "roce_rp/rate_to_set_on_first_cnp rp_rate_to_set_on_first_cnp",
    "roce_rp/dce_tcp_g rp_dce_tcp_g",
    "roce_rp/dce_tcp_rtt rp_dce_tcp_rtt",
    "roce_rp/rate_reduce_monitor_period rp_rate_reduce_monitor_period",
    "roce_rp/initial_alpha_value rp_initial_alpha_value",
    "roce_np/min_time_between_cnps np_min_time_between_cnps",
    "roce_np/cnp_dscp np_cnp_dscp",
    "roce_np/cnp_802p_prio np_cnp_prio",
}


def listed(text: str) -> dict[str, int]:
    result = re.findall(r"^\s*([A-Z0-9_]+_P1)\s+(?:\w+\()?(\d+)\)?\s*$", text, re.MULTILINE)
    return {name: int(value) for name, value in result}


def raw(parameters: ParameterSet, place, unit: int = 64) -> dict[str, int]:
    return {item.name: item.value for item in settings(parameters, place, unit)}


def test_defaults_are_those_of_a_real_listing() -> None:
    assert raw(CONNECTX, "mlxconfig") == listed(LISTING)


def test_the_listing_gives_the_defaults_back() -> None:
    result = read_settings(listed(LISTING), "mlxconfig", 64, CONNECTX.congestion_point)
    assert result.reaction_point == CONNECTX.reaction_point
    assert result.notification_point == CONNECTX.notification_point
    assert result.congestion_point == CONNECTX.congestion_point


def test_names_in_sysfs_and_debugfs() -> None:
    assert {f"{field.sysfs} {field.debugfs}" for field in FIELDS} == NAMES


@pytest.mark.parametrize("place", ["sysfs", "debugfs", "mlxconfig"])
def test_each_place_names_each_figure_once(place) -> None:
    names = [field.name(place) for field in FIELDS]
    assert len(set(names)) == len(names) == 19


@pytest.mark.parametrize(
    ("parameter", "value", "name", "expected"),
    [
        ("alpha_gain_1024ths", 4, "DCE_TCP_G_P1", 1020),
        ("alpha_gain_1024ths", 1024, "DCE_TCP_G_P1", 0),
        ("alpha_divisor", 1, "RPG_GD_P1", 10),
        ("alpha_divisor", 2, "RPG_GD_P1", 11),
        ("initial_alpha_1024ths", 1024, "INITIAL_ALPHA_VALUE_P1", 1023),
        ("initial_alpha_1024ths", 512, "INITIAL_ALPHA_VALUE_P1", 512),
        ("byte_counter_bytes", 0, "RPG_BYTE_RESET_P1", 0),
        ("byte_counter_bytes", 6400, "RPG_BYTE_RESET_P1", 100),
        ("clamp_target", True, "CLAMP_TGT_RATE_P1", 1),
    ],
)
def test_units(parameter: str, value: int, name: str, expected: int) -> None:
    point = replace(CONNECTX.reaction_point, **{parameter: value})
    assert raw(replace(CONNECTX, reaction_point=point), "mlxconfig")[name] == expected


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("byte_counter_bytes", 65, "units of 64 bytes"),
        ("byte_counter_bytes", 32_768 * 64, "RPG_BYTE_RESET_P1 = 32768"),
        ("alpha_divisor", 3, "powers of two"),
        ("alpha_divisor", 4, "RPG_GD_P1 = 12"),
        ("recovery_steps", 32, "RPG_THRESHOLD_P1 = 32"),
        ("timer_us", 131_072, "RPG_TIME_RESET_P1 = 131072"),
        ("additive_mbps", 131_072, "RPG_AI_RATE_P1 = 131072"),
    ],
)
def test_what_does_not_fit_is_refused(parameter: str, value: int, message: str) -> None:
    point = replace(CONNECTX.reaction_point, **{parameter: value})
    with pytest.raises(ValueError, match=message):
        settings(replace(CONNECTX, reaction_point=point), "mlxconfig", 64)


@pytest.mark.parametrize("unit", [1, 64])
def test_the_paper_does_not_fit_a_connectx(unit: int) -> None:
    """Its byte counter of 10 MB is above the register in both readings of the unit."""
    with pytest.raises(ValueError, match="byte_counter_bytes"):
        settings(PAPER, "sysfs", unit)


def test_a_missing_or_wild_figure_is_refused() -> None:
    values = listed(LISTING)
    short = {key: value for key, value in values.items() if key != "RPG_GD_P1"}
    with pytest.raises(ValueError, match="RPG_GD_P1 is missing"):
        read_settings(short, "mlxconfig", 64, SWITCH)
    with pytest.raises(ValueError, match="CNP_DSCP_P1 is 64"):
        read_settings(values | {"CNP_DSCP_P1": 64}, "mlxconfig", 64, SWITCH)


def test_what_is_not_confirmed_says_so() -> None:
    notes = {item.name: item.note for item in settings(HPCC_FAST, "debugfs", 64)}
    assert "64 bytes" in notes["rp_byte_reset"]
    assert "1024 minus" in notes["rp_dce_tcp_g"]


RAW = st.fixed_dictionaries({
    field.parameter: st.integers(field.low, field.high) for field in FIELDS
})


@given(RAW, st.sampled_from(["sysfs", "debugfs", "mlxconfig"]), st.sampled_from([1, 64]))
def test_raw_figures_come_back(values: dict[str, int], place, unit: int) -> None:
    named = {field.name(place): values[field.parameter] for field in FIELDS}
    assert raw(read_settings(named, place, unit, SWITCH), place, unit) == named


POINTS = st.builds(
    ReactionPoint,
    alpha_gain_1024ths=st.integers(1, 1024),
    alpha_period_us=st.integers(1, 131_071),
    initial_alpha_1024ths=st.integers(1, 1023),
    cut_period_us=st.integers(1, 131_071),
    timer_us=st.integers(1, 131_071),
    byte_counter_bytes=st.integers(0, 32_767).map(lambda units: units * 64),
    recovery_steps=st.integers(1, 31),
    additive_mbps=st.integers(1, 131_071),
    hyper_mbps=st.integers(1, 131_071),
    alpha_divisor=st.sampled_from([1, 2]),
    kept_percent=st.integers(1, 100),
    min_rate_mbps=st.integers(1, 131_071),
    max_rate_mbps=st.integers(0, 800_000),
    first_cnp_rate_mbps=st.integers(0, 131_071),
    clamp_target=st.booleans(),
    clamp_target_after_timer=st.booleans(),
)
NOTICES = st.builds(
    NotificationPoint,
    cnp_interval_us=st.integers(0, 131_071),
    cnp_dscp=st.integers(0, 63),
    cnp_pcp=st.integers(0, 7),
)


@given(POINTS, NOTICES, st.sampled_from(["sysfs", "debugfs", "mlxconfig"]))
def test_parameters_come_back(point: ReactionPoint, notice: NotificationPoint, place) -> None:
    given_set = ParameterSet(
        name="x",
        reaction_point=point,
        notification_point=notice,
        congestion_point=SWITCH,
        source="x",
    )
    result = read_settings(raw(given_set, place), place, 64, SWITCH)
    assert (result.reaction_point, result.notification_point) == (point, notice)


def test_listings_of_the_reference_data_can_be_read() -> None:
    """Every NIC whose query is at hand holds a set that we can name."""
    texts = [
        text
        for path in sorted((SHARED / "fixtures").rglob("*"))
        if path.is_file()
        and path.stat().st_size < 200_000
        and "RPG_BYTE_RESET_P1" in (text := path.read_text(encoding="utf-8", errors="replace"))
        and "DCE_TCP_G_P1" in text
    ]
    if not texts:
        pytest.skip(f"no mlxconfig listings in {SHARED}; set ROCEFAB_REFERENCE")
    for text in texts:
        result = read_settings(listed(text), "mlxconfig", 64, SWITCH)
        assert result.reaction_point.alpha_divisor in {1, 2}
