"""PFC headroom: the room that must be left after a pause was asked for.

Formula (IEEE 802.1Qbb, 802.3 annex 31B)::

    headroom = M_rx + P + 2 * L * C / (8 * v) + R * C / 8 + M_tx
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: A PFC frame: 64 bytes and 20 bytes of preamble and gap (IEEE 802.3 clause 4).
PAUSE_FRAME_BYTES = 84
#: Signal speed in copper and fibre, 5 ns per metre: two thirds of the speed of light, the
#: refractive index of silica being about 1.5.
SIGNAL_M_PER_S = 2.0e8
#: Bit times of one pause quantum (IEEE 802.3 annex 31B).
QUANTUM_BITS = 512
#: Response of the peer in pause quanta by speed in Gb/s, ascending: IEEE 802.3 31B.3.7 as in
#: sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md and sonic-net/sonic-swss
#: cfgmgr/buffer_headroom_mellanox.lua. The 800G row stands only in the latter.
RESPONSE_QUANTA = {
    0.1: 1,
    1: 2,
    10: 67,
    25: 80,
    40: 118,
    50: 147,
    100: 394,
    200: 453,
    400: 905,
    800: 905,
}
_SPEEDS = np.array(list(RESPONSE_QUANTA), dtype=float)
_QUANTA = np.array(list(RESPONSE_QUANTA.values()), dtype=float)


def response_bytes(speed_gbps: ArrayLike) -> NDArray[np.float64]:
    """Return the bytes that arrive while the peer reacts to a pause.

    Parameters
    ----------
    speed_gbps : array_like of float
        Port speed; one of the speeds of ``RESPONSE_QUANTA``.

    Raises
    ------
    ValueError
        When a speed has no entry.
    """
    speed = np.asarray(speed_gbps, dtype=float)
    unknown = ~np.isin(speed, _SPEEDS)
    if unknown.any():
        message = f"no pause response is known for {np.unique(speed[unknown]).tolist()} Gb/s"
        raise ValueError(message)
    result: NDArray[np.float64] = _QUANTA[np.searchsorted(_SPEEDS, speed)] * (QUANTUM_BITS / 8)
    return result


@overload
def cable_bytes(speed_gbps: float, cable_m: float) -> float: ...
@overload
def cable_bytes(speed_gbps: ArrayLike, cable_m: ArrayLike) -> NDArray[np.float64]: ...
def cable_bytes(speed_gbps: ArrayLike, cable_m: ArrayLike) -> float | NDArray[np.float64]:
    """Return the bytes on the cable in both directions (``cable_m`` is the one-way length).

    Parameters
    ----------
    speed_gbps : float or array
        Speed in Gb/s, > 0.
    cable_m : float or array
        One-way length in metres, >= 0.

    Returns
    -------
    float or array of float
        Bytes.
    """
    speed, length = np.asarray(speed_gbps, dtype=float), np.asarray(cable_m, dtype=float)
    result = 2.0 * length * speed * 1e9 / (8.0 * SIGNAL_M_PER_S)
    return float(result) if result.ndim == 0 else result


def floor_bytes(
    speed_gbps: ArrayLike,
    cable_m: ArrayLike,
    port_mtu_bytes: ArrayLike,
    lossless_mtu_bytes: ArrayLike,
) -> NDArray[np.float64]:
    """Return the headroom below which no peer can stop in time (response time zero).

    Parameters
    ----------
    speed_gbps : float or array
        Speed in Gb/s, > 0.
    cable_m : float or array
        One-way length in metres, >= 0.
    port_mtu_bytes, lossless_mtu_bytes : float or array
        Largest frame of the port, and of its lossless classes, in bytes.

    Returns
    -------
    array of float
        Bytes.
    """
    floor: NDArray[np.float64] = (
        np.asarray(port_mtu_bytes, dtype=float)
        + np.asarray(lossless_mtu_bytes, dtype=float)
        + PAUSE_FRAME_BYTES
        + np.asarray(cable_bytes(speed_gbps, cable_m))
    )
    return floor


def plain_bytes(
    speed_gbps: ArrayLike,
    cable_m: ArrayLike,
    port_mtu_bytes: ArrayLike,
    lossless_mtu_bytes: ArrayLike,
) -> NDArray[np.float64]:
    """Return the plain IEEE headroom in bytes, without cell rounding.

    Parameters
    ----------
    cable_m : array_like of float
        One-way cable length in metres, >= 0.
    port_mtu_bytes : array_like of int
        Largest frame of any class: it may delay the pause frame.
    lossless_mtu_bytes : array_like of int
        Largest frame of the lossless class: the peer may just have begun one.
    """
    floor = floor_bytes(speed_gbps, cable_m, port_mtu_bytes, lossless_mtu_bytes)
    total: NDArray[np.float64] = floor + response_bytes(speed_gbps)
    return total
