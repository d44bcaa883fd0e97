"""Marking thresholds from the path, the buffer and the marking that the flows of a port need."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Frames below which the queue is noise: the packet in service and the one behind it.
LEAST_FRAMES = 2
#: Kmax over Kmin in the HPCC simulator (alibaba-edu/High-Precision-Congestion-Control 9f4be2a9
#: simulation/run.py: 4 KB and 16 KB for each Gb/s).
BAND_RATIO = 4
#: Share of Pmax at which the flows of a port shall settle, so that the queue parks in the middle of
#: the band: half the way to Kmax is left for the swing around it.
PARKED_AT = 0.5
#: Thresholds are whole multiples of this where the ASIC asks for no other step.
STEP_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Thresholds with the reason for each of them."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """What is known of an egress queue.

    Parameters
    ----------
    bandwidth_delay_bytes : float
        Port speed times round trip of the longest modelled path.
    frame_bytes : int
        Largest lossless frame.
    marking : float
        Marking probability that the wanted number of flows needs in its steady state, 0 to 1.
    flows : int
        That number of flows.
    pause_bytes : float or None
        Queue at which one ingress port sends a pause; None when the pool is not known.
    quantum_bytes : int
        Step of the thresholds of the ASIC.
    """

    bandwidth_delay_bytes: float
    frame_bytes: int
    marking: float
    flows: int
    pause_bytes: float | None = None
    quantum_bytes: int = STEP_BYTES


def recommend(queue: Queue) -> Recommendation:
    """Return thresholds that keep the port busy, mark before PFC pauses, and park the queue.

    Kmin is one bandwidth-delay product, so that a single flow that halves its rate does not leave
    the port idle. Kmax is four times that, and lies below the pause threshold of one congested
    port: then the marking is total before the first pause. Pmax is twice the marking that the flows
    need.

    Raises
    ------
    ValueError
        When the pause threshold leaves no room for two steps.
    """
    step = queue.quantum_bytes
    least = LEAST_FRAMES * queue.frame_bytes
    kmin = _up(max(queue.bandwidth_delay_bytes, least), step)
    reasons = [
        f"kmin: one bandwidth-delay product ({queue.bandwidth_delay_bytes:,.0f} bytes)"
        if queue.bandwidth_delay_bytes >= least
        else f"kmin: {LEAST_FRAMES} frames, more than one bandwidth-delay product"
    ]
    kmax = BAND_RATIO * kmin
    reason = f"kmax: {BAND_RATIO} x kmin"
    if queue.pause_bytes is not None and kmax >= queue.pause_bytes:
        kmax = _up(queue.pause_bytes, step) - step
        reason = f"kmax: the last step below the pause threshold ({queue.pause_bytes:,.0f} bytes)"
        if kmin >= kmax:
            kmin = kmax // BAND_RATIO // step * step
            reasons = [f"kmin: kmax / {BAND_RATIO}; one bandwidth-delay product would not fit"]
        if kmin < step:
            message = f"a pause threshold of {queue.pause_bytes:,.0f} bytes leaves no room for ECN"
            raise ValueError(message)
    pmax = min(100, max(1, math.ceil(100 * queue.marking / PARKED_AT)))
    reasons += [reason, _why_pmax(queue)]
    return Recommendation(kmin, kmax, pmax, tuple(reasons))


def _why_pmax(queue: Queue) -> str:
    settle = f"{queue.flows} flows settle at a marking of {queue.marking:.2%}"
    return f"pmax: {settle}, at or below the middle of the band"


def _up(value_bytes: float, step: int) -> int:
    return math.ceil(value_bytes / step) * step
