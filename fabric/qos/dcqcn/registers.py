"""DCQCN of ConnectX: parameters to what the NIC is given, and back.

Three places take the same figures: sysfs of the vendor's driver
(``/sys/class/net/<interface>/ecn/...``), debugfs of the Linux driver
(``/sys/kernel/debug/mlx5/<bdf>/cc_params/...``) and mlxconfig. Sources: Linux
drivers/infiniband/hw/mlx5/cong.c at 03826bc1 (debugfs names, widths of CNP fields in
include/linux/mlx5/mlx5_ifc.h), DOCA-OFED 25.10 en_sysfs.c (sysfs names), NVIDIA DOCA SDK
documentation "DCQCN CC Parameters" and DOC-2790 version 19 (units, ranges), Mellanox/mstflint
tools_layouts/tools_open_layouts.h, struct tools_open_roce_cc_ecn (widths, units).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fabric.qos.dcqcn.parameters import (
    ALPHA_ONE,
    NotificationPoint,
    ParameterSet,
    ReactionPoint,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.qos.dcqcn.parameters import CongestionPoint

Place = Literal["sysfs", "debugfs", "mlxconfig"]

#: Widths in mstflint's struct: 17 bits for times and most rates, 31 for the highest rate, 15 for
#: the byte counter, 10 for alpha and its weight, 5 for the steps.
_17_BITS = 2**17 - 1
_31_BITS = 2**31 - 1
_15_BITS = 2**15 - 1
_10_BITS = ALPHA_ONE - 1
_5_BITS = 2**5 - 1
#: rpg_gd is log2 of what the raw alpha (in 1/1024) is divided by; documented range 10 to 11.
_LOG2_ALPHA_ONE = 10


@dataclass(frozen=True, slots=True)
class Field:
    """One figure of the NIC.

    Parameters
    ----------
    parameter : str
        Field of the reaction point or the notification point.
    sysfs : str
        File below ``/sys/class/net/<interface>/ecn``.
    debugfs : str
        File below ``/sys/kernel/debug/mlx5/<bdf>/cc_params``.
    mlxconfig : str
        Key of the first port; the second port has ``_P2``.
    low, high : int
        Range of the raw figure.
    note : str
        What is not confirmed about it.
    """

    parameter: str
    sysfs: str
    debugfs: str
    mlxconfig: str
    low: int
    high: int
    note: str = ""

    def name(self, place: Place) -> str:
        """Return the name in one of the three places."""
        return {"sysfs": self.sysfs, "debugfs": self.debugfs, "mlxconfig": self.mlxconfig}[place]


def _rp(parameter: str, name: str, low: int, high: int, note: str = "") -> Field:
    """Return a field of the reaction point whose three names follow the rule."""
    debugfs = "rp_" + name.removeprefix("rpg_")
    return Field(parameter, f"roce_rp/{name}", debugfs, f"{name.upper()}_P1", low, high, note)


FIELDS = (
    _rp("clamp_target", "clamp_tgt_rate", 0, 1),
    Field(
        "clamp_target_after_timer",
        "roce_rp/clamp_tgt_rate_after_time_inc",
        "rp_clamp_tgt_rate_ati",
        "CLAMP_TGT_RATE_AFTER_TIME_INC_P1",
        0,
        1,
    ),
    _rp("timer_us", "rpg_time_reset", 1, _17_BITS),
    _rp(
        "byte_counter_bytes",
        "rpg_byte_reset",
        0,
        _15_BITS,
        "unit not confirmed: mlxconfig and mstflint say bytes, other notes say 64 bytes; 0 is off "
        "in both readings",
    ),
    _rp("recovery_steps", "rpg_threshold", 1, _5_BITS),
    _rp("additive_mbps", "rpg_ai_rate", 1, _17_BITS),
    _rp("hyper_mbps", "rpg_hai_rate", 1, _17_BITS),
    _rp("max_rate_mbps", "rpg_max_rate", 0, _31_BITS, "absent from older kernels"),
    _rp("min_rate_mbps", "rpg_min_rate", 1, _17_BITS),
    _rp("kept_percent", "rpg_min_dec_fac", 1, 100),
    _rp("alpha_divisor", "rpg_gd", 10, 11),
    _rp("first_cnp_rate_mbps", "rate_to_set_on_first_cnp", 0, _17_BITS),
    _rp(
        "alpha_gain_1024ths",
        "dce_tcp_g",
        0,
        _10_BITS,
        "1024 minus the gain by DOC-2790 version 19; its version 13 and early mstflint describe "
        "the gain itself, so read alpha back where firmware is old",
    ),
    _rp("alpha_period_us", "dce_tcp_rtt", 1, _17_BITS),
    _rp("cut_period_us", "rate_reduce_monitor_period", 1, _17_BITS),
    _rp(
        "initial_alpha_1024ths",
        "initial_alpha_value",
        1,
        _10_BITS,
        "alpha 1 does not fit ten bits of fraction: 1023/1024 is set for it",
    ),
    Field(
        "cnp_interval_us",
        "roce_np/min_time_between_cnps",
        "np_min_time_between_cnps",
        "MIN_TIME_BETWEEN_CNPS_P1",
        0,
        _17_BITS,
        "absent from older kernels; mstflint says for the port, the paper for the flow",
    ),
    Field("cnp_dscp", "roce_np/cnp_dscp", "np_cnp_dscp", "CNP_DSCP_P1", 0, 63),
    Field(
        "cnp_pcp",
        "roce_np/cnp_802p_prio",
        "np_cnp_prio",
        "CNP_802P_PRIO_P1",
        0,
        7,
        "the write to debugfs also sets np_cnp_prio_mode to 0, the fixed priority",
    ),
)
_NOTIFICATION = frozenset(("cnp_interval_us", "cnp_dscp", "cnp_pcp"))


@dataclass(frozen=True, slots=True)
class Setting:
    """One raw figure of a parameter for one place, with what is not confirmed about it."""

    name: str
    value: int
    note: str
    parameter: str


def settings(
    parameters: ParameterSet, place: Place, byte_counter_unit_bytes: int
) -> tuple[Setting, ...]:
    """Return the raw figures of a set for one place.

    Parameters
    ----------
    byte_counter_unit_bytes : int
        What one unit of rpg_byte_reset is: 1 or 64; read the note of the field.

    Raises
    ------
    ValueError
        When a figure is no whole number of units, or does not fit the register.
    """
    values = []
    for field in FIELDS:
        owner: ReactionPoint | NotificationPoint = parameters.reaction_point
        if field.parameter in _NOTIFICATION:
            owner = parameters.notification_point
        raw = _raw(field, int(getattr(owner, field.parameter)), byte_counter_unit_bytes)
        if not field.low <= raw <= field.high:
            raise ValueError(
                f"{field.parameter} of set {parameters.name!r} needs {field.name(place)} = {raw}; "
                f"the register holds {field.low} to {field.high}"
            )
        values.append(Setting(field.name(place), raw, field.note, field.parameter))
    return tuple(values)


def _raw(field: Field, value: int, byte_counter_unit_bytes: int) -> int:
    match field.parameter:
        case "alpha_gain_1024ths":
            return ALPHA_ONE - value
        case "initial_alpha_1024ths":
            return min(value, field.high)
        case "alpha_divisor":
            if value & (value - 1):
                raise ValueError(f"alpha_divisor is {value}; {field.mlxconfig} takes powers of two")
            return _LOG2_ALPHA_ONE + value.bit_length() - 1
        case "byte_counter_bytes":
            if value % byte_counter_unit_bytes:
                raise ValueError(
                    f"byte_counter_bytes is {value}; {field.mlxconfig} counts units of "
                    f"{byte_counter_unit_bytes} bytes"
                )
            return value // byte_counter_unit_bytes
        case _:
            return value


def _parameter(field: Field, raw: int, byte_counter_unit_bytes: int) -> int | bool:
    match field.parameter:
        case "alpha_gain_1024ths":
            return ALPHA_ONE - raw
        case "alpha_divisor":
            return 1 << (raw - _LOG2_ALPHA_ONE)
        case "byte_counter_bytes":
            return raw * byte_counter_unit_bytes
        case "clamp_target" | "clamp_target_after_timer":
            return bool(raw)
        case _:
            return raw


def read_settings(
    values: Mapping[str, int],
    place: Place,
    byte_counter_unit_bytes: int,
    congestion_point: CongestionPoint,
) -> ParameterSet:
    """Return the set that a NIC holds, beside the thresholds of the switch that it faces.

    Parameters
    ----------
    values : mapping of str to int
        Raw figures by the names of one place. Other names are left alone.
    byte_counter_unit_bytes : int
        What one unit of rpg_byte_reset is: 1 or 64.

    Raises
    ------
    ValueError
        When a figure is missing, or out of the range of its register.
    """
    parameters: dict[str, int | bool] = {}
    for field in FIELDS:
        name = field.name(place)
        if name not in values:
            raise ValueError(f"{name} is missing; read it from {place} of the NIC")
        if not field.low <= values[name] <= field.high:
            raise ValueError(
                f"{name} is {values[name]}; the register holds {field.low} to {field.high}"
            )
        parameters[field.parameter] = _parameter(field, values[name], byte_counter_unit_bytes)
    notification = {name: parameters.pop(name) for name in sorted(_NOTIFICATION)}
    return ParameterSet(
        name="read",
        reaction_point=ReactionPoint(**parameters),  # type: ignore[arg-type]
        notification_point=NotificationPoint(**notification),
        congestion_point=congestion_point,
        source=f"{place} of the NIC",
    )
