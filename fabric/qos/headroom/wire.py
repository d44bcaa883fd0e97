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
#: cfgmgr/buffer_headroom_mellanox.lua. The 800G row stands only in the latter; its author says that
#: IEEE gives 400G and 800G one value (sonic-net/sonic-swss pull request 2860).
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
#: Speed whose quanta are those of half the speed, so that the time halves.
HALVED_GBPS = 800
#: Speed whose response time is the most that is assumed above all rows: no faster row has more
#: quanta, so a peer with the same logic takes as long.
SLOW_GBPS = 400
_SPEEDS = np.array(list(RESPONSE_QUANTA), dtype=float)
_QUANTA = np.array(list(RESPONSE_QUANTA.values()), dtype=float)


@overload
def response_quanta(speed_gbps: float) -> tuple[float, float]: ...
@overload
def response_quanta(
    speed_gbps: ArrayLike,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def response_quanta(
    speed_gbps: ArrayLike,
) -> tuple[float, float] | tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the most pause quanta that a peer may take.

    Both are equal at the speeds of ``RESPONSE_QUANTA``. Between two of them the quanta are those
    of the slower to those of the faster; above all of them, those of the fastest to those that keep
    the time of ``SLOW_GBPS``: no public text gives such speeds, 1600G among them.

    Parameters
    ----------
    speed_gbps : float or array
        Port speed, at least the slowest of ``RESPONSE_QUANTA``.

    Raises
    ------
    ValueError
        When a speed is below all of them.
    """
    speed = np.asarray(speed_gbps, dtype=float)
    if (speed < _SPEEDS[0]).any():
        slow = np.unique(speed[speed < _SPEEDS[0]]).tolist()
        raise ValueError(f"no pause response is known for {slow} Gb/s")
    least = _QUANTA[np.searchsorted(_SPEEDS, speed, side="right") - 1]
    most = _QUANTA[np.minimum(np.searchsorted(_SPEEDS, speed), len(_SPEEDS) - 1)]
    kept = np.ceil(RESPONSE_QUANTA[SLOW_GBPS] * speed / SLOW_GBPS)
    most = np.where(speed > _SPEEDS[-1], kept, most)
    return (float(least), float(most)) if speed.ndim == 0 else (least, most)


def response_ns(speed_gbps: float) -> tuple[float, float]:
    """Return the least and the most time in ns that a peer may take; see `response_quanta`.

    Parameters
    ----------
    speed_gbps : float
        Port speed in Gb/s.
    """
    least, most = response_quanta(speed_gbps)
    return least * QUANTUM_BITS / speed_gbps, most * QUANTUM_BITS / speed_gbps


def response_bytes(speed_gbps: ArrayLike) -> NDArray[np.float64]:
    """Return the most bytes that arrive while the peer reacts to a pause; see `response_quanta`.

    Parameters
    ----------
    speed_gbps : array_like of float
        Port speed.
    """
    return np.asarray(response_quanta(speed_gbps)[1]) * (QUANTUM_BITS / 8)


def response_note(speed_gbps: float) -> str:
    """Return what is uncertain about the response at a speed; empty where nothing is."""
    (least, most), (least_ns, most_ns) = response_quanta(speed_gbps), response_ns(speed_gbps)
    if speed_gbps == HALVED_GBPS:
        return (
            f"at {speed_gbps:g}G switches use the quanta of 400G, which halves the time: "
            f"{most_ns:,.0f} ns"
        )
    if speed_gbps in RESPONSE_QUANTA:
        return ""
    return (
        f"no public text gives the quanta of {speed_gbps:g}G: {least:,.0f} to {most:,.0f}, which "
        f"is {least_ns:,.0f} to {most_ns:,.0f} ns"
    )


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
    """Return the plain IEEE headroom in bytes, without cell rounding, for the slowest peer.

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
