"""What happens when the flows of a port start at line rate, and which settings pause less.

Starts are spread (:data:`fabric.qos.simulate.scenario.START_SPREAD_US`), and each figure is the
worst of some seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.units import gbps_to_bytes_per_s, gbps_to_mbps, s_to_us
from fabric.qos.headroom.wire import response_ns
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import START_SPREAD_US, Cable, End, Scenario, Stream
from fabric.qos.simulate.spread import spread
from fabric.qos.simulate.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet
    from fabric.qos.simulate.classes import Ingress

#: A dozen recoveries of the slowest published timer, 300 us: our choice.
DURATION_US = 4_000.0
#: Seeds that a start is judged by: our choice, for the time that it takes. Pauses of 16 flows
#: differ by a factor of two from seed to seed.
SEEDS = range(1, 4)
#: Below this share of the port in the second half of the run the port starves: what an incast must
#: reach in its first 20 ms (docs/lossless.md, section 6).
STARVES_BELOW = 0.8


@dataclass(frozen=True, slots=True)
class Buffer:
    """What a congested port draws from.

    Parameters
    ----------
    shared_bytes : int
        Shared pool of the switch.
    ingress : Ingress
        Lossless buffer of each port that sends to the congested one.
    response_ns : float or None
        Longest time that a NIC goes on after a pause; None takes what IEEE 802.3 allows.
    """

    shared_bytes: int
    ingress: Ingress
    response_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """What comes of a start: the worst of the seeds.

    Parameters
    ----------
    peak_bytes : int
        Longest queue.
    paused_us : float
        Longest pause of a sender, added up.
    last_pause_us : float
        When the last pause ended; 0 without one.
    settled_gbps : float
        Least payload in the second half of the run.
    """

    peak_bytes: int
    paused_us: float
    last_pause_us: float
    settled_gbps: float


def starts(
    speed_gbps: float,
    marking: CongestionPoint,
    parameters: ParameterSet,
    buffer: Buffer,
    round_trip_s: float,
    flows: tuple[int, ...],
) -> tuple[Start, ...]:
    """Return what comes of a start of each number of flows.

    Parameters
    ----------
    speed_gbps : float
        Speed of the port and of its senders.
    round_trip_s : float
        Feedback delay.
    """
    return tuple(
        _start(speed_gbps, marking, parameters, buffer, round_trip_s, count) for count in flows
    )


@cache
def _start(
    speed_gbps: float,
    marking: CongestionPoint,
    parameters: ParameterSet,
    buffer: Buffer,
    round_trip_s: float,
    flows: int,
) -> Start:
    scenario = start_scenario(speed_gbps, marking, parameters, buffer, round_trip_s, flows)
    runs = [Summary(simulate(one)) for one in spread(scenario, START_SPREAD_US, SEEDS)]
    paused = (run.outcome.ports["paused_ps"].max() for run in runs)
    rates = (run.throughput_gbps() for run in runs)
    return Start(
        peak_bytes=max(run.most_queue_bytes for run in runs),
        paused_us=float(max(paused)) / 1e6,
        last_pause_us=max(run.last_pause_us for run in runs),
        settled_gbps=min(float(own[len(own) // 2 :].mean()) for own in rates),
    )


def start_scenario(
    speed_gbps: float,
    marking: CongestionPoint,
    parameters: ParameterSet,
    buffer: Buffer,
    round_trip_s: float,
    flows: int,
) -> Scenario:
    """Return a start of some flows at one instant; see :func:`starts`."""
    longest_ns = buffer.response_ns or response_ns(speed_gbps)[1]
    far = End(node=flows + 1, ingress=buffer.ingress, marking=marking)
    cables = tuple(
        Cable(
            near=End(node=host, response_ns=longest_ns),
            far=far,
            speed_gbps=speed_gbps,
            delay_ns=0.0,
            latency_ns=s_to_us(round_trip_s) * 1000 / 4,
        )
        for host in range(flows + 1)
    )
    return Scenario(
        shared_bytes=(*[None] * (flows + 1), buffer.shared_bytes),
        cables=cables,
        streams=tuple(Stream(path=(2 * host, 2 * flows + 1)) for host in range(flows)),
        parameters=parameters,
        duration_us=DURATION_US,
        sample_us=DURATION_US / 200,
    )


#: Numbers of flows that a start is judged by, and the shares of the line rate that are tried for
#: the first notice: our choice.
_FLOWS = (2, 16, 64)
_SHARES = (2, 4, 8, 16)
#: Least rate: so many flows still fit the port; twice the 256 that a set is reasoned for.
_MOST_FLOWS = 512
#: Width of the register, mstflint's tools_open_roce_cc_ecn: 17 bits.
_MOST_MBPS = 2**17 - 1


def softened(
    parameters: ParameterSet, speed_gbps: int, buffer: Buffer, round_trip_s: float
) -> tuple[ParameterSet, str]:
    """Return a set whose start pauses the least, and why.

    The first notice sets the rate of a flow to a share of the line rate, and no flow falls below a
    rate at which all of them fit. Both leave the steady state as it is. Of the shares that keep
    the port busy (``STARVES_BELOW``), the one with the least pause is taken, of equal ones the
    largest.
    """
    trials = {1: (parameters, _judged(parameters, speed_gbps, buffer, round_trip_s))}
    if not _paused_us(trials[1][1]):
        return parameters, f"No start of {_or(_FLOWS)} flows {_SPREAD} pauses a sender."
    for share in _SHARES:
        chosen = _limited(parameters, speed_gbps, share)
        trials[share] = chosen, _judged(chosen, speed_gbps, buffer, round_trip_s)
        if len(trials[share][1]) == 1:
            break  # the fewest flows starve: so they do with each smaller share
    fit = [one for one, (_, trial) in trials.items() if not _starves(trial, speed_gbps)] or [1]
    best = min(fit, key=lambda one: (_paused_us(trials[one][1]), one))
    named = dict.fromkeys((best, 1, 2 * best))
    words = [_never([trials[one][1] for one in fit])]
    words += [_limit(one, trials[one][1], speed_gbps) for one in named if one in trials]
    return trials[best][0], " ".join(words).strip()


_SPREAD = f"within {START_SPREAD_US:g} us"


def _or(flows: Sequence[int]) -> str:
    *first, last = map(str, flows)
    return f"{', '.join(first)} or {last}" if first else last


def _never(trials: Sequence[tuple[Start, ...]]) -> str:
    """Return which numbers of flows pause a sender with every limit."""
    flows = [
        count
        for row, count in enumerate(_FLOWS)
        if all(len(trial) > row and trial[row].paused_us for trial in trials)
    ]
    if not flows:
        return ""
    what = "No limit of the first notice that keeps the port busy"
    return f"{what} keeps {_or(flows)} flows without a pause on this buffer."


def _limit(share: int, trial: tuple[Start, ...], speed_gbps: float) -> str:
    """Return what each number of flows has of the port, and what a sender and a packet wait."""
    rate = gbps_to_bytes_per_s(speed_gbps)
    each = (
        f"{counted(flows, 'flow')} {start.settled_gbps:.0f} Gb/s, paused {start.paused_us:.0f} us, "
        f"queue {s_to_us(start.peak_bytes / rate):.0f} us"
        for flows, start in zip(_FLOWS, trial, strict=False)
    )
    what = f"limited to 1/{share} of the line rate" if share > 1 else "without a limit"
    return f"Starts {_SPREAD}, {what}: {'; '.join(each)}."


def _paused_us(starts_of: tuple[Start, ...]) -> int:
    """Return the pause of all starts in whole microseconds: less does not make a set better."""
    return sum(round(start.paused_us) for start in starts_of)


def _starves(trial: tuple[Start, ...], speed_gbps: float) -> bool:
    return min(start.settled_gbps for start in trial) < STARVES_BELOW * speed_gbps


def _judged(
    parameters: ParameterSet, speed_gbps: int, buffer: Buffer, round_trip_s: float
) -> tuple[Start, ...]:
    """Return the starts by their number of flows, up to one that starves the port."""
    trial: tuple[Start, ...] = ()
    marking = parameters.congestion_point
    for flows in _FLOWS:
        trial += starts(speed_gbps, marking, parameters, buffer, round_trip_s, (flows,))
        if _starves(trial, speed_gbps):
            break
    return trial


def _limited(parameters: ParameterSet, speed_gbps: int, share: int) -> ParameterSet:
    speed_mbps = gbps_to_mbps(speed_gbps)
    point = replace(
        parameters.reaction_point,
        first_cnp_rate_mbps=min(speed_mbps // share, _MOST_MBPS),
        min_rate_mbps=max(1, speed_mbps // _MOST_FLOWS),
    )
    return replace(parameters, reaction_point=point)
