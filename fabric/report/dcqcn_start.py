"""show dcqcn: what happens when all flows of a port start at line rate, packet by packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import s_to_us
from fabric.qos.headroom.wire import QUANTUM_BITS, RESPONSE_QUANTA
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import Cable, End, Ingress, Scenario, Stream
from fabric.qos.simulate.summary import Summary
from fabric.qos.thresholds import alpha

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.model import HeadroomProfile
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


def ingress_of(group: HeadroomProfile) -> Ingress:
    """Return the lossless buffer of a port whose headroom is known."""
    return Ingress(
        alpha=alpha(group.dynamic_th),
        headroom_bytes=group.headroom_bytes or 0,
        reserve_bytes=group.guaranteed_bytes,
        xon_offset_bytes=(group.row.xon_offset_bytes or 0) if group.row else 0,
    )


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
    flows: Sequence[int],
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
        _start(_scenario(speed_gbps, marking, parameters, buffer, round_trip_s, count))
        for count in flows
    )


def _start(scenario: Scenario) -> Start:
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
