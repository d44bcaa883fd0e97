"""What becomes of N equal flows on a port: stable, oscillating, or past Kmax into PFC."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.marking import band
from fabric.qos.dcqcn.stability import stability
from fabric.qos.dcqcn.transient import simulate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.qos.dcqcn.transient import Queue, Run

    Floats = NDArray[np.float64]

#: A run starts with the queue a tenth too far above Kmin: what is further off has grown.
_GROWN = 0.1


class Verdict(Enum):
    """What the model says of a point."""

    STABLE = "stable"
    OSCILLATES = "oscillates"
    RIDES = "rides past Kmax into PFC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """What is asked about; shapes that broadcast.

    Parameters
    ----------
    capacity_bps, flows, packet_bytes : array_like of float
        Rate of the port, equal flows on it, bytes of a packet; > 0.
    delay_s : array_like of float
        Feedback delay, at least one step of the run.
    xoff_threshold_bytes : array_like of float
        Egress queue at which PFC starts; infinite when it is not known.
    """

    capacity_bps: ArrayLike
    flows: ArrayLike
    packet_bytes: ArrayLike
    delay_s: ArrayLike
    xoff_threshold_bytes: ArrayLike = np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Verdicts with their figures; arrays of one shape.

    Parameters
    ----------
    marking, alpha : array of float
        p* and alpha*.
    rate_bps : array of float
        Fair share of a flow.
    queue_bytes : array of float
        q*; NaN where no queue up to Kmax marks enough.
    queue : Queue
        The queue of the settled run.
    slope_margin : array of float
        How many times steeper the marking could be; below 1 the steady state is unstable, NaN
        as ``queue_bytes``.
    kmax_share : array of float
        q* over Kmax; NaN as ``queue_bytes``.
    kmax_margin_bytes, pfc_margin_bytes : array of float
        Kmax, and the PFC level, minus the peak; infinite where the PFC level is not known.
    verdicts : array of Verdict
        The verdicts.
    """

    marking: Floats
    alpha: Floats
    rate_bps: Floats
    queue_bytes: Floats
    queue: Queue
    slope_margin: Floats
    kmax_share: Floats
    kmax_margin_bytes: Floats
    pfc_margin_bytes: Floats
    verdicts: NDArray[np.object_]


def assess(parameters: ParameterSet, points: Points, run: Run | None = None) -> Assessment:
    """Return the verdict of every point.

    A point *rides past Kmax into PFC* when no queue of the band marks enough, or when the peak
    reaches the PFC level (Kmax where that level is not known). It *oscillates* when small
    disturbances grow, or when that of the run has not died out. Else it is *stable*.

    Raises
    ------
    ValueError
        When an input is not above zero, or the delay is shorter than a step of the run.
    """
    asked = (points.capacity_bps, points.flows, points.packet_bytes, points.delay_s)
    *flows, delay, limit = np.broadcast_arrays(
        *(np.asarray(value, float) for value in (*asked, points.xoff_threshold_bytes))
    )
    if not (limit > 0).all():
        raise ValueError("xoff_threshold_bytes must be above zero")
    model = loop(parameters, *flows)
    thresholds = band(parameters.congestion_point, model.flows.shape)
    steady = fixed_point(model)
    level = thresholds.queue_bytes(steady.marking)
    queue = simulate(model, thresholds, delay, run)
    linear = stability(model, thresholds.slope_per_byte, delay)
    worst = np.where(np.isfinite(limit), limit, thresholds.kmax_bytes)
    rides = np.isnan(level) | (queue.peak_bytes >= worst)
    kick = _GROWN * (level - thresholds.kmin_bytes)
    away = (queue.std_bytes > kick) | (np.abs(queue.mean_bytes - level) > kick)
    swings = ~linear.stable | away
    return Assessment(
        marking=steady.marking,
        alpha=steady.alpha,
        rate_bps=model.capacity_bps / model.flows,
        queue_bytes=level,
        queue=queue,
        slope_margin=np.where(np.isnan(level), np.nan, linear.slope_margin),
        kmax_share=level / thresholds.kmax_bytes,
        kmax_margin_bytes=thresholds.kmax_bytes - queue.peak_bytes,
        pfc_margin_bytes=limit - queue.peak_bytes,
        verdicts=_verdicts(rides, swings),
    )


def _verdicts(rides: NDArray[np.bool_], swings: NDArray[np.bool_]) -> NDArray[np.object_]:
    found = np.full(rides.shape, Verdict.STABLE, dtype=object)
    found[swings] = Verdict.OSCILLATES
    found[rides] = Verdict.RIDES
    return found
