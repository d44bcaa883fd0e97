"""Linear stability of the steady state with delayed feedback.

The model is linear near its fixed point. Marks act one delay late, and so do the parts of the
rates that count packets. With z = e^(-s delay), P the marking and capital letters for small
changes::

    (s + g/tau') ALPHA  = g/tau' (m_p P + m_R R) z
    (s + c) GAP         = (i_p - D c_p) P z + (i_R - D c_R) R z - s R
    s R                 = r GAP - (c R*/d) ALPHA - (alpha*/d) c R
                          + (D r_p - R* alpha*/d c_p) P z + (D r_R - R* alpha*/d c_R) R z
    s Q                 = N R,  P = slope Q

c, r, i and m are the rates of :class:`fabric.qos.dcqcn.fluid.Events` with their derivatives, D the
gap. The characteristic function is ``s inner(s) - slope outer(s)``. The roots in the
right half plane are counted by the turn of its phase along the imaginary axis (Mikhailov's
criterion for equations with retarded argument; G. Stepan, Retarded Dynamical Systems, 1989).

The fixed point does not depend on the slope of the marking, so the slope can be varied alone: how
much steeper or flatter it may be is an exact gain margin, and one that an operator can set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.dcqcn.fluid import Events, Loop, events, fixed_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from fabric.qos.dcqcn.fluid import FixedPoint

    Floats = NDArray[np.float64]
    Complexes = NDArray[np.complex128]

#: Angular frequencies that are looked at, per second; our choice: slower than minutes, faster than
#: a packet.
_SLOWEST, _FASTEST, _COUNT = 1e-2, 1e8, 2000
#: The characteristic function is divided by (s + this)^4, which turns by 2 pi whatever this is.
_REFERENCE_PER_S = 1e4
#: Step of the numerical derivatives, over the distance to the nearer end of the range.
_STEP = 1e-5
#: No switch holds a queue that needs more marking: there the model is taken at this marking.
_MOST_MARKING = 1.0 - 1e-4
#: Points that are worked on at once, few enough for the cache of a core; our choice.
_CHUNK = 16


@dataclass(frozen=True, slots=True)
class Stability:
    """What the linear model says; arrays of one shape.

    Parameters
    ----------
    growing_roots : array of int
        Roots in the right half plane; 0 is stable.
    steeper : array of float
        How many times steeper the marking may become before the number of roots changes; > 1.
    flatter : array of float
        How many times flatter; > 1.
    """

    growing_roots: NDArray[np.int64]
    steeper: Floats
    flatter: Floats

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether small disturbances die out."""
        return np.asarray(self.growing_roots == 0)

    @property
    def slope_margin(self) -> Floats:
        """Gain margin of the marking: the slope may be this many times what it is.

        Above 1 where the steady state is stable. Below 1 where it is not: the nearest flatter
        slope where the number of growing roots changes, or 0 where there is none.
        """
        return np.asarray(np.where(self.stable, self.steeper, 1.0 / self.flatter))


def stability(model: Loop, slope_per_byte: ArrayLike, delay_s: ArrayLike) -> Stability:
    """Return whether the steady state is stable, and how far the marking is from the change.

    Parameters
    ----------
    slope_per_byte : array_like of float
        Growth of the marking probability with the queue; broadcasts with the points.
    delay_s : array_like of float
        Time from the mark to its effect on the queue, >= 0; broadcasts with the points.
    """
    shape = np.broadcast_shapes(model.flows.shape, np.shape(slope_per_byte), np.shape(delay_s))

    def flat(value: ArrayLike) -> Floats:
        return np.ravel(np.broadcast_to(np.asarray(value, float), shape))

    points, slope, delay = _each(model, flat), flat(slope_per_byte), flat(delay_s)
    parts = []
    for first in range(0, len(slope), _CHUNK):
        rows = slice(first, first + _CHUNK)
        parts.append(_judge(_each(points, itemgetter(rows)), slope[rows], delay[rows]))
    roots, steeper, flatter = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Stability(
        roots.astype(np.int64).reshape(shape), steeper.reshape(shape), flatter.reshape(shape)
    )


def _each(model: Loop, change: Callable[[Floats], Floats]) -> Loop:
    return Loop(**{name: change(getattr(model, name)) for name in Loop.__slots__})


def _judge(model: Loop, slope: Floats, delay: Floats) -> tuple[Floats, Floats, Floats]:
    """Return growing roots, and the margins of the slope upwards and downwards."""
    frequency = np.logspace(np.log10(_SLOWEST), np.log10(_FASTEST), _COUNT)[:, None]
    s = np.asarray(1j * frequency, dtype=np.complex128)
    inner, outer = _characteristic(model, s, delay)
    whole = (inner - slope * outer) / (s + _REFERENCE_PER_S) ** 4
    turn = np.unwrap(np.angle(whole), axis=0)
    roots = np.rint((turn[0] - turn[-1]) / np.pi)
    steeper, flatter = _margins(inner / outer, slope)
    return roots, steeper, flatter


def _margins(slopes: Complexes, slope: Floats) -> tuple[Floats, Floats]:
    """Return how far a slope is from the next ones that put a root on the imaginary axis.

    ``slopes`` are those that make a root of each frequency: real ones above zero exist.
    """
    real, imaginary = slopes.real, slopes.imag
    crossing = np.signbit(imaginary[1:]) != np.signbit(imaginary[:-1])
    share = imaginary[:-1] / np.where(crossing, imaginary[:-1] - imaginary[1:], 1.0)
    value = real[:-1] + share * (real[1:] - real[:-1])
    critical = np.where(crossing & (value > 0.0), value, np.nan) / slope
    above = np.where(critical > 1.0, critical, np.inf).min(axis=0)
    below = np.where(critical <= 1.0, critical, 0.0).max(axis=0)
    with np.errstate(divide="ignore"):
        return above, 1.0 / below


def _characteristic(model: Loop, s: Complexes, delay_s: Floats) -> tuple[Complexes, Complexes]:
    """Return ``s inner(s)`` and ``outer(s)`` for frequencies of shape (n, 1)."""
    steady = fixed_point(model)
    steady = replace(steady, marking=np.minimum(steady.marking, _MOST_MARKING))
    now = events(model, steady.marking, model.fair_pps)
    by_marking, by_rate = _derivatives(model, steady)
    z = np.exp(-s * delay_s)
    gain = model.gain / model.alpha_period_s
    cut = now.cuts_per_s
    strength = model.fair_pps / model.alpha_divisor
    push = {}
    for name, change in (("marking", by_marking), ("rate", by_rate)):
        target = change.increase_pps_per_s - steady.gap_pps * change.cuts_per_s
        own = steady.gap_pps * change.recoveries_per_s - strength * steady.alpha * change.cuts_per_s
        push[name] = (
            own * (s + cut) * (s + gain)
            + now.recoveries_per_s * target * (s + gain)
            - cut * strength * gain * change.marked * (s + cut)
        )
    brake = s + steady.alpha / model.alpha_divisor * cut
    free = brake * (s + cut) * (s + gain) + now.recoveries_per_s * s * (s + gain)
    fill = model.flows * model.packet_bytes
    return s * (free - z * push["rate"]), fill * z * push["marking"]


def _derivatives(model: Loop, steady: FixedPoint) -> tuple[Events, Events]:
    """Return the changes of the events with the marking and with the rate."""
    marking, rate = steady.marking, model.fair_pps
    by_marking = _STEP * np.minimum(marking, 1.0 - marking)
    by_rate = _STEP * rate
    return (
        _slope(
            events(model, marking + by_marking, rate),
            events(model, marking - by_marking, rate),
            by_marking,
        ),
        _slope(
            events(model, marking, rate + by_rate),
            events(model, marking, rate - by_rate),
            by_rate,
        ),
    )


def _slope(high: Events, low: Events, step: Floats) -> Events:
    changes = (
        (getattr(high, name) - getattr(low, name)) / (2.0 * step) for name in Events.__slots__
    )
    return Events(*changes)
