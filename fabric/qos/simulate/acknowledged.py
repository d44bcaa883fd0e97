"""Reaction points that act on acknowledgements: HPCC, a delay target, and simple AIMD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Flows, Laws, Packets, Trail

OFF, DCQCN, HPCC, DELAY, AIMD = range(5)


@kernel
def _bounded(rate: float, least: float, most: float) -> float:
    return max(least, min(rate, most))


@kernel
def _utilisation(
    flows: Flows, trail: Trail, seen: Trail, number: int, slot: int
) -> tuple[float, int]:
    """Return the largest use of a hop since the last telemetry, and how long ago that was."""
    flow, worst, span = flows[number], 0.0, 0
    for at in range(1, flow.hops):
        new, old = trail[slot * 6 + at], seen[number * 6 + at]
        passed = new.time - old.time
        if passed > 0:
            rate = float(new.sent - old.sent) / float(passed)
            line = 1.0 / new.ps_per_byte
            bandwidth_delay = flow.line_rate * flow.base_rtt
            queued = min(new.queue, old.queue) * flow.line_rate / line / bandwidth_delay
            if rate / line + queued > worst:
                worst, span = rate / line + queued, passed
        old.queue, old.sent, old.time = new.queue, new.sent, new.time
    return worst, min(span, flow.base_rtt)


@kernel
def hpcc(
    flows: Flows,
    packets: Packets,
    trail: Trail,
    seen: Trail,
    laws: Laws,
    number: int,
    slot: int,
) -> None:
    """HPCC (Li et al., SIGCOMM 2019, algorithm 1; HPCC's simulator, rdma-hw.cc, UpdateRateHp).

    The rate follows the window; maxStage is 0, so that each round trip is a multiplicative step.
    """
    flow, law = flows[number], laws[0]
    first = flow.last_update == 0
    worst, span = _utilisation(flows, trail, seen, number, slot)
    if first:
        flow.last_update = flow.sent
        return
    base = float(flow.base_rtt)
    flow.usage = (flow.usage * (base - span) + worst * span) / base
    ratio = flow.usage / law.share
    rate = flow.target / ratio + law.additive if ratio > 0 else flow.line_rate
    flow.rate = _bounded(rate, law.min_rate, flow.line_rate)
    if packets[slot].seq + packets[slot].payload > flow.last_update:
        flow.target, flow.last_update = flow.rate, flow.sent


@kernel
def delay(flows: Flows, packets: Packets, laws: Laws, number: int, slot: int, now: int) -> None:
    """Keep the round trip at a target (Swift, Kumar et al., SIGCOMM 2020, for the fabric delay).

    Below the target the rate grows by the additive step in each round trip; above it is cut by the
    share of the delay that is too much, once in a round trip.
    """
    flow, law = flows[number], laws[0]
    round_trip = now - packets[slot].sent_at
    target = flow.base_rtt + law.delay_ps
    if round_trip < target:
        acknowledged = float(packets[slot].payload)
        grown = law.additive * acknowledged / max(acknowledged, flow.rate * round_trip)
        flow.rate = _bounded(flow.rate + grown, law.min_rate, flow.line_rate)
    elif now - flow.last_update > round_trip:
        late = law.decrease * float(round_trip - target) / float(round_trip)
        factor = max(1.0 - late, 1.0 - law.most_decrease)
        flow.rate = _bounded(flow.rate * factor, law.min_rate, flow.line_rate)
        flow.last_update = now


@kernel
def aimd(flows: Flows, packets: Packets, laws: Laws, number: int, slot: int, now: int) -> None:
    """Halve the rate once in a round trip that saw a mark, else add the additive step."""
    flow, law = flows[number], laws[0]
    round_trip = now - packets[slot].sent_at
    if packets[slot].ecn and now - flow.last_update > round_trip:
        flow.rate = _bounded(flow.rate * law.decrease, law.min_rate, flow.line_rate)
        flow.last_update = now
    elif not packets[slot].ecn:
        acknowledged = float(packets[slot].payload)
        grown = law.additive * acknowledged / max(acknowledged, flow.rate * round_trip)
        flow.rate = _bounded(flow.rate + grown, law.min_rate, flow.line_rate)
