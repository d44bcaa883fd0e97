"""The receive buffer of ConnectX NICs: what ``mlnx_qos --cable_len`` makes the driver compute.

Source: Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c (``calculate_xoff`` and
``update_xoff_threshold``); the option takes 0 to 65535 m (Mellanox/mlnx-tools mlnx_qos).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fabric.qos.headroom.terms import Ints

#: ``MLX5E_DEFAULT_CABLE_LEN``.
DEFAULT_CABLE_M = 7
#: Slower ports count as this (``max_t(u32, speed, 40000)``).
LEAST_SPEED_MBPS = 40_000
#: Largest length that the tool takes.
MAX_CABLE_M = 65_535
#: The driver ignores this length and longer ones (en_dcbnl.c ``MLX5E_MAX_CABLE_LENGTH``).
MAX_TOLD_CABLE_M = 1000
#: Drivers that are told a length; those of other makers have no ``dcbnl_setbuffer`` (Linux
#: drivers/net/ethernet/broadcom/bnxt/bnxt_dcb.c, drivers/net/ethernet/pensando/ionic).
TOLD_DRIVERS = frozenset({"mlx5-ofed", "mlx5"})


def nic_headroom_bytes(speed_mbps: ArrayLike, cable_m: ArrayLike, mtu_bytes: ArrayLike) -> Ints:
    """Return the room that the driver keeps after its pause, in its integer arithmetic.

    Parameters
    ----------
    speed_mbps : array_like of int
        Port speed; below 40000 it counts as 40000.
    cable_m : array_like of int
        One-way length, 0 to 65535.

    Raises
    ------
    ValueError
        When a length is out of range, or a speed or an MTU is not positive.
    """
    speed, cable, mtu = (np.asarray(value, np.int64) for value in (speed_mbps, cable_m, mtu_bytes))
    if ((cable < 0) | (cable > MAX_CABLE_M)).any():
        raise ValueError(f"cable_m must be 0 to {MAX_CABLE_M} for mlnx_qos, not {cable.tolist()}")
    if (speed <= 0).any() or (mtu <= 0).any():
        raise ValueError("speed_mbps and mtu_bytes must be above 0")
    speed = np.maximum(speed, LEAST_SPEED_MBPS)
    result: Ints = (301 + 216 * cable // 100) * speed // 1000 + 272 * mtu // 100
    return result
