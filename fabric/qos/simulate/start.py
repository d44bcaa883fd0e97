"""What happens when all flows of a port start at line rate, and which settings pause less."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_mbps, s_to_us
from fabric.qos.headroom.wire import QUANTUM_BITS, RESPONSE_QUANTA
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import Cable, End, Ingress, Scenario, Stream
from fabric.qos.simulate.summary import Summary

if TYPE_CHECKING:
    from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet

#: A dozen recoveries of the slowest published timer, 300 us: our choice.
DURATION_US = 4_000.0
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
    """

    shared_bytes: int
    ingress: Ingress


@dataclass(frozen=True, slots=True)
class Start:
    """What comes of a start.

    Parameters
    ----------
    peak_bytes : int
        Longest queue.
    paused_us : float
        Longest pause of a sender, added up.
    last_pause_us : float
        When the last pause ended; 0 without one.
    settled_gbps : float
        Payload in the second half of the run.
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
    scenario = _scenario(speed_gbps, marking, parameters, buffer, round_trip_s, flows)
    run = Summary(simulate(scenario))
    rates = run.throughput_gbps()
    paused = run.outcome.ports["paused_ps"]
    return Start(
        peak_bytes=run.most_queue_bytes,
        paused_us=float(paused.max()) / 1e6,
        last_pause_us=run.last_pause_us,
        settled_gbps=float(rates[len(rates) // 2 :].mean()),
    )


def _scenario(
    speed_gbps: float,
    marking: CongestionPoint,
    parameters: ParameterSet,
    buffer: Buffer,
    round_trip_s: float,
    flows: int,
) -> Scenario:
    quanta = RESPONSE_QUANTA.get(int(speed_gbps), max(RESPONSE_QUANTA.values()))
    response_ns = quanta * QUANTUM_BITS / speed_gbps
    far = End(node=flows + 1, ingress=buffer.ingress, marking=marking)
    cables = tuple(
        Cable(
            near=End(node=host, response_ns=response_ns),
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
    before = _judged(parameters, speed_gbps, buffer, round_trip_s)
    if not before[0]:
        return parameters, "A start at line rate pauses no sender."
    busy = STARVES_BELOW * speed_gbps
    best, paused_us, least_gbps, share = parameters, *before, 1
    if least_gbps < busy:
        paused_us = math.inf  # any share that keeps the port busy is better
    for more in _SHARES:
        chosen = _limited(parameters, speed_gbps, more)
        result = _judged(chosen, speed_gbps, buffer, round_trip_s, (paused_us, busy))
        if result[1] >= busy and _whole(result[0]) < _whole(paused_us):
            best, paused_us, least_gbps, share = chosen, *result, more
    if best is parameters:
        return parameters, f"Starts of {_words()} pause a sender for {before[0]:.0f} us."
    return best, (
        f"The first notice limits a flow to 1/{share} of the line rate: starts of {_words()} pause "
        f"a sender for {paused_us:.0f} us, without the limit {before[0]:.0f} us. The price: the "
        f"slowest of these starts has {least_gbps:.0f} Gb/s from {DURATION_US / 2000:g} to "
        f"{DURATION_US / 1000:g} ms."
    )


def _words() -> str:
    return ", ".join(map(str, _FLOWS[:-1])) + f" and {_FLOWS[-1]} flows"


def _whole(microseconds: float) -> float:
    """Return whole microseconds: less does not make a set better."""
    return float(round(microseconds)) if math.isfinite(microseconds) else microseconds


def _judged(
    parameters: ParameterSet,
    speed_gbps: int,
    buffer: Buffer,
    round_trip_s: float,
    limits: tuple[float, float] = (math.inf, 0.0),
) -> tuple[float, float]:
    """Return the pause of the starts, added up in microseconds, and the least rate in Gb/s.

    ``limits`` are the most pause and the least rate that are of use: beyond them the rest of the
    starts is not run, and the figures are those of the starts so far.
    """
    paused_us, least_gbps = 0.0, math.inf
    for flows in _FLOWS:
        marking = parameters.congestion_point
        (run,) = starts(speed_gbps, marking, parameters, buffer, round_trip_s, (flows,))
        paused_us, least_gbps = paused_us + run.paused_us, min(least_gbps, run.settled_gbps)
        if _whole(paused_us) > _whole(limits[0]) or least_gbps < limits[1]:
            break
    return paused_us, least_gbps


def _limited(parameters: ParameterSet, speed_gbps: int, share: int) -> ParameterSet:
    speed_mbps = gbps_to_mbps(speed_gbps)
    point = replace(
        parameters.reaction_point,
        first_cnp_rate_mbps=min(speed_mbps // share, _MOST_MBPS),
        min_rate_mbps=max(1, speed_mbps // _MOST_FLOWS),
    )
    return replace(parameters, reaction_point=point)
