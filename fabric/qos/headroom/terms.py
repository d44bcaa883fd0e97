"""What a port faces, and the sum that answers it with its terms kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


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
    """

    speed_gbps: Floats
    cable_m: Floats
    port_mtu_bytes: Floats
    lossless_mtu_bytes: Floats

    @classmethod
    def of(
        cls,
        speed_gbps: ArrayLike,
        cable_m: ArrayLike,
        port_mtu_bytes: ArrayLike,
        lossless_mtu_bytes: ArrayLike,
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

        Raises
        ------
        ValueError
            When a size is not positive, a length is negative, or one is no finite number.
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
        return cls(*np.broadcast_arrays(*arrays.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One summand in bytes; ``packed`` terms are multiplied by the packing factor."""

    name: str
    amount_bytes: Floats
    packed: bool = True


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
    """

    law: str
    terms: tuple[Term, ...]
    packing_factor: Floats
    rounding_bytes: int
    headroom_bytes: Ints
    xon_threshold_bytes: Ints | None = None
    size_bytes: Ints | None = None


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
    packed = sum((term.amount_bytes for term in terms if term.packed), start=np.float64(0))
    plain = sum((term.amount_bytes for term in terms if not term.packed), start=np.float64(0))
    rounded = ceil_to(factor * packed + plain, rounding_bytes)
    return Headroom(law, terms, factor, rounding_bytes, rounded)


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
