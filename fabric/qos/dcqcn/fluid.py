"""Fluid model of N equal DCQCN flows on one port, and its fixed point.

Rates in packets per second, p the marking probability, R the rate of a flow::

    dq/dt     = N R - C
    dalpha/dt = (g/tau') (1 - (1-p)^(tau' R) - alpha)
    dR_T/dt   = -(R_T-R)/tau (1 - (1-p)^(tau R)) + R_AI R ((1-p)^(F B) b + (1-p)^(F T R) t)
    dR/dt     = -R alpha/(d tau) (1 - (1-p)^(tau R)) + (R_T-R)/2 R (b + t)
    b = p / ((1-p)^-B - 1),  t = p / ((1-p)^-(T R) - 1)

Source: Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016,
with d = 2. Hyper increase, the rate limits and the clamps are not part of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import bps_to_bytes_per_s, mbps_to_bps, us_to_s
from fabric.qos.dcqcn.parameters import ALPHA_ONE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fabric.qos.dcqcn.parameters import ParameterSet

    Floats = NDArray[np.float64]

#: Bounds of the marking probability in the search for the fixed point; our choice, far beyond what
#: a switch marks.
LEAST_MARKING, MOST_MARKING = 1e-12, 1.0 - 1e-12
#: exp() of this is finite, and p over it is nothing.
_LARGEST_EXPONENT = 700.0
#: Halvings of the bracket in log p, 28 wide: they end below the spacing of floats.
_HALVINGS = 58


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """What the model knows of the flows; arrays of one shape.

    Parameters
    ----------
    capacity_bps, flows : array of float
        Rate of the port, and how many equal flows share it (> 0).
    packet_bytes : array of float
        Size of a packet on the wire.
    gain, alpha_period_s, alpha_divisor : array of float
        g, tau' and d.
    cut_interval_s, timer_s : array of float
        tau and T.
    byte_counter_bytes : array of float
        B; infinite when the byte counter is off.
    recovery_steps, additive_bps : array of float
        F and R_AI.
    """

    capacity_bps: Floats
    flows: Floats
    packet_bytes: Floats
    gain: Floats
    alpha_period_s: Floats
    alpha_divisor: Floats
    cut_interval_s: Floats
    timer_s: Floats
    byte_counter_bytes: Floats
    recovery_steps: Floats
    additive_bps: Floats

    @property
    def capacity_pps(self) -> Floats:
        """Rate of the port in packets per second."""
        return self._pps(self.capacity_bps)

    @property
    def fair_pps(self) -> Floats:
        """Fair share of a flow in packets per second."""
        return self.capacity_pps / self.flows

    @property
    def additive_pps(self) -> Floats:
        """Additive step in packets per second."""
        return self._pps(self.additive_bps)

    @property
    def counter_packets(self) -> Floats:
        """Byte counter in packets."""
        return self.byte_counter_bytes / self.packet_bytes

    def _pps(self, rate_bps: Floats) -> Floats:
        return np.asarray(bps_to_bytes_per_s(rate_bps) / self.packet_bytes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Events:
    """How often things happen to a flow: arrays of one shape.

    Parameters
    ----------
    marked : array of float
        Probability that an alpha period saw a CNP.
    recoveries_per_s : array of float
        Rate at which R closes the gap to the target: half of the increases.
    increase_pps_per_s : array of float
        Growth of the target rate.
    """

    marked: Floats
    cuts_per_s: Floats
    recoveries_per_s: Floats
    increase_pps_per_s: Floats


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Steady state; arrays of one shape.

    Parameters
    ----------
    marking : array of float
        p*, 0 to 1.
    alpha : array of float
        alpha*, 0 to 1.
    gap_pps : array of float
        Target rate minus rate.
    """

    marking: Floats
    alpha: Floats
    gap_pps: Floats


def loop(
    parameters: ParameterSet,
    capacity_bps: ArrayLike,
    flows: ArrayLike,
    packet_bytes: ArrayLike,
) -> Loop:
    """Return the model of flows with one parameter set.

    Parameters
    ----------
    capacity_bps, flows, packet_bytes : array_like of float
        Rate of the port, flows on it, and size of a packet; > 0, shapes that broadcast.

    Raises
    ------
    ValueError
        When one of them is not above zero, or not finite.
    """
    shaped = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (capacity_bps, flows, packet_bytes))
    )
    for name, value in zip(("capacity_bps", "flows", "packet_bytes"), shaped, strict=True):
        if not (np.isfinite(value) & (value > 0)).all():
            raise ValueError(f"{name} must be above zero")
    point = parameters.reaction_point
    scalars = {
        "gain": point.alpha_gain_1024ths / ALPHA_ONE,
        "alpha_period_s": us_to_s(point.alpha_period_us),
        "alpha_divisor": float(point.alpha_divisor),
        "cut_interval_s": us_to_s(parameters.cut_interval_us),
        "timer_s": us_to_s(point.timer_us),
        "byte_counter_bytes": float(point.byte_counter_bytes or np.inf),
        "recovery_steps": float(point.recovery_steps),
        "additive_bps": mbps_to_bps(point.additive_mbps),
    }
    arrays = {name: np.full(shaped[0].shape, value) for name, value in scalars.items()}
    return Loop(capacity_bps=shaped[0], flows=shaped[1], packet_bytes=shaped[2], **arrays)


def flatten(*models: Loop) -> Loop:
    """Return the points of one or more models as arrays of one dimension."""
    columns = {
        name: np.concatenate([np.ravel(getattr(model, name)) for model in models])
        for name in Loop.__slots__
    }
    return Loop(**columns)


def _increases(marking: Floats, packets: Floats) -> Floats:
    """Return the share of packets that end a run of ``packets`` without a mark."""
    exponent = np.minimum(-packets * np.log1p(-marking), _LARGEST_EXPONENT)
    return np.asarray(marking / np.expm1(exponent))


def events(model: Loop, marking: Floats, rate_pps: Floats) -> Events:
    """Return how often things happen at a marking probability and a rate.

    Parameters
    ----------
    marking : array of float
        p, ``LEAST_MARKING`` to ``MOST_MARKING``.
    rate_pps : array of float
        Rate of a flow in packets per second, > 0.
    """
    unmarked = np.log1p(-marking)
    bytes_share = _increases(marking, model.counter_packets)
    timer_share = _increases(marking, model.timer_s * rate_pps)
    past_bytes = np.exp(
        np.maximum(model.recovery_steps * model.counter_packets * unmarked, -_LARGEST_EXPONENT)
    )
    past_timer = np.exp(
        np.maximum(model.recovery_steps * model.timer_s * rate_pps * unmarked, -_LARGEST_EXPONENT)
    )
    return Events(
        marked=-np.expm1(model.alpha_period_s * rate_pps * unmarked),
        cuts_per_s=-np.expm1(model.cut_interval_s * rate_pps * unmarked) / model.cut_interval_s,
        recoveries_per_s=rate_pps * (bytes_share + timer_share) / 2.0,
        increase_pps_per_s=model.additive_pps
        * rate_pps
        * (past_bytes * bytes_share + past_timer * timer_share),
    )


def _gaps(model: Loop, marking: Floats) -> tuple[Floats, Floats]:
    """Return the gap R_T - R that keeps the target steady, and the one that keeps the rate so."""
    event_rates = events(model, marking, model.fair_pps)
    growing = event_rates.increase_pps_per_s / event_rates.cuts_per_s
    cutting = model.fair_pps * event_rates.marked / model.alpha_divisor * event_rates.cuts_per_s
    return growing, np.asarray(cutting / event_rates.recoveries_per_s)


def fixed_point(model: Loop) -> FixedPoint:
    """Return the steady state of the model.

    The gap that keeps the target steady falls with p, the one that keeps the rate steady grows, so
    there is one p* where they meet; it is found by bisection in log p.

    Notes
    -----
    p* does not depend on the thresholds of the switch: they only say which queue it takes.
    """
    low = np.full(model.flows.shape, np.log(LEAST_MARKING))
    high = np.full(model.flows.shape, np.log(MOST_MARKING))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        growing, cutting = _gaps(model, np.exp(middle))
        low = np.where(growing > cutting, middle, low)
        high = np.where(growing > cutting, high, middle)
    marking = np.exp((low + high) / 2.0)
    event_rates = events(model, marking, model.fair_pps)
    return FixedPoint(marking, event_rates.marked, _gaps(model, marking)[1])
