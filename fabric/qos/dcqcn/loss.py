"""Bounds of a start at line rate, in closed form: what it loses without PFC, what it queues.

**At most**, for a port without PFC. N flows begin at line rate. The first notice comes after a
round trip, the time to drain the buffer and a CNP gap. From then on a flow is cut at least once in
a cut period and a CNP gap, since a notice may just miss a cut; between two cuts its rate recovers
half of the way to the rate before the cut, once for each increase. Until the flows together have no
more than the port, the surplus is lost; what the buffer holds is left out, as it stays full. So is
a limit at the first notice: it only lowers the loss.

**At least**, for any port, with starts that are evenly spread: the first packet of a flow is marked
when it leaves the queue that it found, no notice is back before a round trip after that, cuts are a
cut period apart, and nothing recovers between them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, gbps_to_mbps, percent_to_share, us_to_s
from fabric.qos.dcqcn.parameters import ALPHA_ONE

if TYPE_CHECKING:
    from fabric.qos.dcqcn.parameters import ParameterSet

#: Steps in the shorter of a round trip and a cut period: with twice as many, a queue above 2 MB
#: changes by 2.1 % at most (4 to 32 flows, 100 and 400 Gb/s; a test holds it within 10 %).
_STEPS = 8


def start_loss_bytes(
    flows: int,
    speed_gbps: int,
    round_trip_s: float,
    parameters: ParameterSet,
    buffer_bytes: float,
) -> float:
    """Return the most that a start of some flows loses at a port that sends no pause.

    Parameters
    ----------
    flows : int
        Flows that begin together at line rate, >= 1.
    speed_gbps : int
        Speed of the port and of each sender.
    round_trip_s : float
        Feedback delay.
    parameters : ParameterSet
        NICs and thresholds; Kmax is below the buffer, so that a full buffer marks every packet.
    buffer_bytes : float
        What the queue may hold.
    """
    rate = gbps_to_bytes_per_s(speed_gbps)
    gap_s = us_to_s(parameters.notification_point.cnp_interval_us)
    later_s = us_to_s(parameters.reaction_point.cut_period_us) + gap_s
    first_s = round_trip_s + buffer_bytes / rate + gap_s
    kept = _kept(parameters, rate, later_s)
    cuts = math.ceil(math.log(flows) / -math.log(kept)) if flows > 1 else 0
    over = sum(flows * math.pow(kept, cut) - 1 for cut in range(1, cuts))
    return rate * ((flows - 1) * first_s + later_s * over)


def _kept(parameters: ParameterSet, rate_bytes_per_s: float, later_s: float) -> float:
    """Return the share of its rate that a flow has after a cut and the increases behind it."""
    point = parameters.reaction_point
    cut = 1 - point.initial_alpha_1024ths / ALPHA_ONE / point.alpha_divisor
    kept = max(percent_to_share(point.kept_percent), cut)
    increases = math.ceil(later_s / us_to_s(point.timer_us))
    if point.byte_counter_bytes:
        increases += math.ceil(rate_bytes_per_s * later_s / point.byte_counter_bytes)
    return 1 - math.ldexp(1 - kept, -increases)


def least_queue_bytes(
    flows: int,
    speed_gbps: int,
    round_trip_s: float,
    parameters: ParameterSet,
    spread_s: float,
) -> float:
    """Return the least that a start of some flows queues at a port, however its marks fall.

    Parameters
    ----------
    flows : int
        Flows that begin at line rate, >= 1.
    speed_gbps : int
        Speed of the port and of each sender.
    round_trip_s : float
        Feedback delay.
    spread_s : float
        Time in which the flows begin, at equal distances.
    """
    point = parameters.reaction_point
    rate, cut_s = gbps_to_bytes_per_s(speed_gbps), us_to_s(point.cut_period_us)
    kept = max(percent_to_share(point.kept_percent), 1 - 1 / point.alpha_divisor)
    limit = point.first_cnp_rate_mbps / gbps_to_mbps(speed_gbps) or 1.0
    begins = np.arange(flows) * spread_s / flows
    noticed = np.full(flows, math.inf)
    step_s = min(round_trip_s, cut_s) / _STEPS
    queue = most = now_s = 0.0
    sent = float(flows)
    while now_s <= spread_s or sent > 1:
        fresh = (begins <= now_s) & np.isinf(noticed)
        noticed[fresh] = begins[fresh] + round_trip_s + queue / rate
        cuts = np.floor(np.maximum(now_s - noticed, -cut_s) / cut_s) + 1
        shares = np.where(cuts > 0, np.minimum(kept, limit) * kept ** np.maximum(cuts - 1, 0), 1.0)
        sent = float(shares[begins <= now_s].sum())
        queue = max(0.0, queue + rate * (sent - 1) * step_s)
        most, now_s = max(most, queue), now_s + step_s
    return most
