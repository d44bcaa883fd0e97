"""What the simulator knows at an instant: records of ports, switches, flows and packets.

Times are picoseconds, sizes bytes, rates bytes per picosecond. Ports 2i and 2i+1 are the ends of
cable i: the egress of a port leads to the other end, its ingress comes from there. Kernels read and
write ``ports[3].queue``: on numpy records when they are compiled, on objects when they are not.

With several classes each port has a row for each: those of the first class, then those of the
second in the same order. The row of the first class is the ``line``: it is busy for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, get_type_hints

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Records = NDArray[np.void]

#: Hops of a path that telemetry is kept of: three tiers up and down.
MOST_HOPS = 6


class Record:
    """A row of numbers."""

    def __init__(self, values: Sequence[float]) -> None:
        self.__dict__ = dict(zip(self.__annotations__, values, strict=True))


class SimulatedPort(Record):
    """A class at an interface of a switch or a host."""

    node: int
    is_switch: int
    line: int
    is_lossy: int
    ps_per_byte: float
    delay_ps: int
    response_ps: int
    # egress
    busy: int
    paused: int
    held: int
    paused_at: int
    head: int
    tail: int
    queue: int
    frames: int
    next_frame: int
    dropping: int
    kmin: int
    kmax: int
    pmax: float
    detection_ps: int
    # scheduler
    quantum: int
    deficit: int
    offer: int
    serving: int
    # ingress; alpha and reserve of a lossy class are of the egress
    alpha: float
    pause: int
    reserve: int
    headroom: int
    xon_offset: int
    used: int
    in_headroom: int
    xoff_sent: int
    # host
    first_flow: int
    flows: int
    turn: int
    ready: int
    wake: int
    # counted
    pauses: int
    paused_ps: int
    first_pause: int
    last_pause: int
    most_queue: int
    queue_area: float
    queue_time: int
    most_headroom: int
    most_used: int
    dropped: int
    sent: int
    marked: int
    storms: int
    tunnel: int


class SimulatedNode(Record):
    """A switch, or a host, which has no buffer."""

    shared: int
    used: int
    most_used: int
    lossy: int
    lossy_used: int
    lossy_shares: int


class Flow(Record):
    """A queue pair."""

    path: int
    hops: int
    port: int
    size: int
    start: int
    finish: int
    fixed: int
    sent: int
    acked: int
    expected: int
    nacked: int
    nack_time: int
    window: int
    next_packet: int
    back_ps: int
    base_rtt: int
    line_rate: float
    rate: float
    target: float
    alpha: float
    alpha_time: int
    alpha_notice: int
    first_notice: int
    cut_due: int
    timer: int
    timer_stage: int
    byte_stage: int
    byte_count: int
    last_notice: int
    last_update: int
    usage: float
    notices: int
    successor: int
    receiver: int
    most_sent: int
    most_received: int
    repeated: int


class Packet(Record):
    """A slot for a packet on its way."""

    flow: int
    seq: int
    payload: int
    size: int
    hop: int
    ingress: int
    ecn: int
    sent_at: int
    next: int
    again: int


class Hop(Record):
    """Telemetry of one hop: of a packet on its way, or the last that a flow saw."""

    queue: int
    sent: int
    time: int
    ps_per_byte: float


class Law(Record):
    """What is the same everywhere: sizes, the NIC's parameters, and the state of the run."""

    reaction: int
    acknowledged: int
    payload: int
    overhead: int
    frame: int
    notice_gap_ps: int
    gain: float
    alpha_period_ps: int
    initial_alpha: float
    alpha_divisor: float
    cut_period_ps: int
    timer_ps: int
    byte_counter: int
    recovery_steps: int
    additive: float
    hyper: float
    kept: float
    min_rate: float
    max_rate: float
    first_notice_rate: float
    clamp: int
    clamp_after_timer: int
    share: float
    delay_ps: int
    decrease: float
    most_decrease: float
    sample_ps: int
    samples: int
    sprays: int  # levels of a queue where switches choose, else 0
    places: int
    nodes: int
    classes: int
    lines: int
    # the run
    order: int
    free: int
    random: int
    events: int


Row = TypeVar("Row", bound=Record)


def records(kind: type[Record], count: int) -> Records:
    """Return ``count`` records of zeros."""
    formats = {int: np.int64, float: np.float64}
    hints = get_type_hints(kind)
    return np.zeros(count, dtype=[(name, formats[hint]) for name, hint in hints.items()])


def rows(kind: type[Row], array: Records) -> list[Row]:
    """Return records as objects."""
    return [kind(values) for values in array.tolist()]


def store(array: Records, objects: Sequence[Record]) -> None:
    """Write objects back to their records."""
    names = array.dtype.names or ()
    for at, one in enumerate(objects):
        array[at] = tuple(one.__dict__[name] for name in names)
