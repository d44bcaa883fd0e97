"""What becomes of N equal flows on a port: stable, oscillating, or past Kmax into PFC."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.dcqcn.fluid import fixed_point, flatten, loop
from fabric.qos.dcqcn.parameters import band, join
from fabric.qos.dcqcn.stability import stability
from fabric.qos.dcqcn.transient import Queue, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fabric.qos.dcqcn.fluid import Loop
    from fabric.qos.dcqcn.parameters import Band, ParameterSet
    from fabric.qos.dcqcn.transient import Run

    Floats = NDArray[np.float64]

#: A run starts with the queue a tenth too far above Kmin: of that, half must have died out. Our
#: choice.
_LEFT = 0.05


class DcqcnVerdict(Enum):
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


def assess_together(
    cases: Sequence[tuple[ParameterSet, Points]], run: Run | None = None
) -> list[Assessment]:
    """Return the verdicts of points with different parameter sets, worked out in one run.

    A point *rides past Kmax into PFC* when its peak reaches the PFC level, or Kmax where that
    level is not known. It *oscillates* when small disturbances grow, when that of the run has not
    died out, or when no queue up to Kmax marks enough: then it swings around Kmax. Else it is
    *stable*.

    Raises
    ------
    ValueError
        When an input is not above zero, or the delay is shorter than a step of the run.
    """
    prepared = [_case(parameters, points) for parameters, points in cases]
    model = flatten(*(case.model for case in prepared))
    thresholds = join(*(case.thresholds for case in prepared))
    delay, limit = (
        np.concatenate([np.ravel(getattr(case, name)) for case in prepared])
        for name in ("delay_s", "limit_bytes")
    )
    assessment = _assess(_Case(model, thresholds, delay, limit), run)
    shapes = [case.model.flows.shape for case in prepared]
    ends = np.cumsum([case.model.flows.size for case in prepared])
    return [
        _part(assessment, slice(end - math.prod(shape), end), shape)
        for end, shape in zip(ends.tolist(), shapes, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Case:
    model: Loop
    thresholds: Band
    delay_s: Floats
    limit_bytes: Floats


def _case(parameters: ParameterSet, points: Points) -> _Case:
    asked = (points.capacity_bps, points.flows, points.packet_bytes, points.delay_s)
    *flows, delay, limit = np.broadcast_arrays(
        *(np.asarray(value, float) for value in (*asked, points.xoff_threshold_bytes))
    )
    if not (limit > 0).all():
        raise ValueError("xoff_threshold_bytes must be above zero")
    model = loop(parameters, *flows)
    return _Case(model, band(parameters.congestion_point, model.flows.shape), delay, limit)


def _assess(case: _Case, run: Run | None) -> Assessment:
    model, thresholds = case.model, case.thresholds
    steady = fixed_point(model)
    level = thresholds.queue_bytes(steady.marking)
    queue = simulate(model, thresholds, case.delay_s, run)
    linear = stability(model, thresholds.slope_per_byte, case.delay_s)
    worst = np.where(np.isfinite(case.limit_bytes), case.limit_bytes, thresholds.kmax_bytes)
    unheld = np.isnan(level)
    left = _LEFT * (level - thresholds.kmin_bytes)
    away = np.hypot(queue.std_bytes, queue.mean_bytes - level) > left
    return Assessment(
        marking=steady.marking,
        alpha=steady.alpha,
        rate_bps=model.capacity_bps / model.flows,
        queue_bytes=level,
        queue=queue,
        slope_margin=np.where(unheld, np.nan, linear.slope_margin),
        kmax_share=level / thresholds.kmax_bytes,
        kmax_margin_bytes=thresholds.kmax_bytes - queue.peak_bytes,
        pfc_margin_bytes=case.limit_bytes - queue.peak_bytes,
        verdicts=_verdicts(queue.peak_bytes >= worst, ~linear.stable | away | unheld),
    )


def _part(whole: Assessment, rows: slice, shape: tuple[int, ...]) -> Assessment:
    """Return some rows of a flat assessment in a shape."""
    figures = {
        field.name: getattr(whole, field.name)[rows].reshape(shape)
        for field in fields(Assessment)
        if field.name != "queue"
    }
    queue = Queue(
        *(getattr(whole.queue, field.name)[rows].reshape(shape) for field in fields(Queue))
    )
    return Assessment(queue=queue, **figures)


def _verdicts(rides: NDArray[np.bool_], swings: NDArray[np.bool_]) -> NDArray[np.object_]:
    verdicts = np.full(rides.shape, DcqcnVerdict.STABLE, dtype=object)
    verdicts[swings] = DcqcnVerdict.OSCILLATES
    verdicts[rides] = DcqcnVerdict.RIDES
    return verdicts
