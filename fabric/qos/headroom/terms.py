"""What a port faces, and the sum that answers it with its terms kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.wire import QUANTUM_BITS, response_quanta

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


#: Name of the term for the response of the peer.
RESPONSE = "response of the peer"


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What a lossless port faces; all fields are arrays of one shape, made by ``Link.of``.

    Parameters
    ----------
    speed_gbps : array of float
        Port speed, > 0.
    cable_m : array of float
        One-way length of the cable, >= 0.
    port_mtu_bytes : array of float
        Largest frame of any class: it may delay the pause frame.
    lossless_mtu_bytes : array of float
        Largest frame of the lossless class: the peer may just have begun one.
    peer_ns : array of float
        Longest time that the peer takes to stop after a pause; NaN takes what IEEE 802.3 allows.
    """

    speed_gbps: Floats
    cable_m: Floats
    port_mtu_bytes: Floats
    lossless_mtu_bytes: Floats
    peer_ns: Floats

    @classmethod
    def of(
        cls,
        speed_gbps: ArrayLike,
        cable_m: ArrayLike,
        port_mtu_bytes: ArrayLike,
        lossless_mtu_bytes: ArrayLike,
        peer_ns: ArrayLike | None = None,
    ) -> Link:
        """Return a link of broadcast arrays.

        Parameters
        ----------
        speed_gbps : float or array
            Speed in Gb/s, > 0.
        cable_m : float or array
            One-way length in metres, >= 0.
        port_mtu_bytes, lossless_mtu_bytes : float or array
            Largest frame of the port, and of its lossless classes.
        peer_ns : float or array, optional
            Longest time that the peer takes to stop; default: what IEEE 802.3 allows.

        Raises
        ------
        ValueError
            When a size or time is not positive, a length is negative, or one is no finite number.
        """
        fields = {
            "speed_gbps": speed_gbps,
            "cable_m": cable_m,
            "port_mtu_bytes": port_mtu_bytes,
            "lossless_mtu_bytes": lossless_mtu_bytes,
        }
        arrays = {name: np.asarray(value, dtype=float) for name, value in fields.items()}
        for name, value in arrays.items():
            good = (value >= 0) if name == "cable_m" else (value > 0)
            if not (good & np.isfinite(value)).all():
                bound = "at least 0" if name == "cable_m" else "above 0"
                raise ValueError(f"{name} must be {bound} and finite, not {value[~good].tolist()}")
        arrays["peer_ns"] = np.asarray(np.nan if peer_ns is None else peer_ns, dtype=float)
        if (wrong := arrays["peer_ns"] <= 0).any() or np.isinf(arrays["peer_ns"]).any():
            bad = arrays["peer_ns"][wrong | np.isinf(arrays["peer_ns"])].tolist()
            raise ValueError(f"peer_ns must be above 0 and finite, not {bad}")
        return cls(*np.broadcast_arrays(*arrays.values()))

    def response(self, times: ArrayLike = 1.0) -> Term:
        """Return what arrives while the peer reacts; ``times`` that, where IEEE 802.3 says it."""
        bytes_per_quantum = np.asarray(times) * (QUANTUM_BITS / 8)
        least, most = (quanta * bytes_per_quantum for quanta in response_quanta(self.speed_gbps))
        own = self.speed_gbps * gbps_to_bytes_per_s(1) * ns_to_s(1) * self.peer_ns
        unknown = np.isnan(own)
        lower, upper = np.where(unknown, least, own), np.where(unknown, most, own)
        is_exact = np.array_equal(lower, upper)
        return Term(RESPONSE, upper, least_bytes=None if is_exact else lower)


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One summand in bytes; ``packed`` terms are multiplied by the packing factor.

    ``least_bytes`` is its least where the summand is known as an interval; None where it is not.
    """

    name: str
    amount_bytes: Floats
    packed: bool = True
    least_bytes: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Headroom:
    """Headroom and the sum that it came from.

    ``headroom = ceil_to(packing_factor * sum(packed terms) + sum(other terms), rounding_bytes)``

    Parameters
    ----------
    law : str
        Name of the law that made it.
    terms : tuple of Term
        Summands in the order of their cause.
    packing_factor : array of float
        Worst case of buffer bytes for each byte on the wire.
    rounding_bytes : int
        Cell of the buffer, or the step of the vendor's tables.
    headroom_bytes : array of int
        Room that must be left after the pause was sent.
    xon_threshold_bytes, size_bytes : array of int or None
        Where the law also gives them (SONiC: ``xon`` and ``size`` of the profile).
    least_bytes : array of int or None
        Headroom with the least of every term; below ``headroom_bytes`` where a term is known as an
        interval. None where no term has one.
    """

    law: str
    terms: tuple[Term, ...]
    packing_factor: Floats
    rounding_bytes: int
    headroom_bytes: Ints
    xon_threshold_bytes: Ints | None = None
    size_bytes: Ints | None = None
    least_bytes: Ints | None = None


def total(
    law: str, terms: tuple[Term, ...], packing_factor: ArrayLike, rounding_bytes: int
) -> Headroom:
    """Return the sum of the terms, packed and rounded up.

    Parameters
    ----------
    terms : tuple of Term
        What adds up, in bytes.
    packing_factor : float or array
        Buffer bytes for each byte on the wire, >= 1.
    rounding_bytes : int
        Step that the sum is rounded up to, >= 1.
    """
    factor = np.asarray(packing_factor, dtype=float)
    sizes = tuple((term.amount_bytes, term.packed) for term in terms)
    lower = tuple(
        (term.amount_bytes if term.least_bytes is None else term.least_bytes, term.packed)
        for term in terms
    )
    rounded = _sum(sizes, factor, rounding_bytes)
    known = all(term.least_bytes is None for term in terms)
    least = None if known else _sum(lower, factor, rounding_bytes)
    return Headroom(law, terms, factor, rounding_bytes, rounded, least_bytes=least)


def _sum(sizes: tuple[tuple[Floats, bool], ...], factor: Floats, rounding_bytes: int) -> Ints:
    packed = sum((size for size, is_packed in sizes if is_packed), start=np.float64(0))
    plain = sum((size for size, is_packed in sizes if not is_packed), start=np.float64(0))
    return ceil_to(factor * packed + plain, rounding_bytes)


def ceil_to(value_bytes: ArrayLike, step_bytes: int) -> Ints:
    """Return sizes rounded up to whole steps; a millionth of a byte more is an error of floats.

    Parameters
    ----------
    value_bytes : float or array
        Sizes in bytes, >= 0.
    step_bytes : int
        Step in bytes, >= 1.

    Returns
    -------
    array of int
        Sizes in bytes, whole multiples of the step.
    """
    steps = np.ceil((np.asarray(value_bytes, dtype=float) - 1e-6) / step_bytes)
    result: Ints = steps.astype(np.int64) * step_bytes
    return result
