"""The run: events in their order until the time is over."""

from __future__ import annotations

from heapq import heappop
from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel
from fabric.qos.simulate.dcqcn import cut, expire, notice
from fabric.qos.simulate.nic import acknowledge, receive, repeat, send
from fabric.qos.simulate.switch import (
    ACK,
    ARRIVE,
    CUT,
    HOLD,
    NACK,
    NOTICE,
    PFC,
    SAMPLE,
    START,
    TIMER,
    TX_DONE,
    WAKE,
    WATCHDOG,
    admit,
    answer,
    enqueue,
    flush,
    forward,
    free,
    least_loaded,
    schedule,
)

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import (
        Events,
        Flows,
        Laws,
        Nodes,
        Packets,
        Ports,
        Trail,
        Whole,
    )


@kernel
def run(
    ports: Ports,
    nodes: Nodes,
    flows: Flows,
    packets: Packets,
    trail: Trail,
    seen: Trail,
    laws: Laws,
    path: Whole,
    routes: Whole,
    late: Whole,
    queues: Whole,
    delivered: Whole,
    begin: Whole,
    until: int,
) -> None:
    """Run until a time.

    Parameters
    ----------
    path : array of int
        Egress ports of all flows, hop by hop, as rows of ``ports``.
    routes : array of int
        Where switches choose: for each receiver and node the place in this array of the number of
        equal ports, which follow it.
    late : array of int
        Filled with the packets by how many packets each lies behind the furthest one that arrived
        before it; the last number stands for all larger ones.
    queues, delivered : array of int
        Filled with the samples: of each port, and of each flow.
    begin : array of int
        The first events, five numbers each.
    until : int
        End in picoseconds.
    """
    events = [(begin[0], begin[1], begin[2], begin[3], begin[4])]
    for at in range(5, len(begin), 5):
        schedule(laws, events, begin[at], begin[at + 2], begin[at + 3], begin[at + 4])
    while events:
        now, _, kind, who, what = heappop(events)
        if now > until:
            return
        laws[0].events += 1
        if kind == TX_DONE:
            ports[who].busy = 0
            _continue(ports, nodes, flows, packets, trail, laws, events, who, now)
        elif kind == ARRIVE:
            _arrive(
                ports,
                nodes,
                flows,
                packets,
                trail,
                laws,
                events,
                path,
                routes,
                late,
                who,
                what,
                now,
            )
        elif kind == NOTICE:
            notice(flows, laws, events, who, now)
        elif kind == CUT:
            cut(flows, laws, events, who, now)
        elif kind == TIMER:
            expire(flows, laws, events, who, what, now)
            send(ports, flows, packets, laws, events, flows[who].port, now)
        elif kind == WAKE:
            ports[who].wake = now
            send(ports, flows, packets, laws, events, who, now)
        elif kind == ACK:
            number = acknowledge(flows, packets, trail, seen, laws, events, who, what, now)
            send(ports, flows, packets, laws, events, flows[number].port, now)
        elif kind == NACK:
            repeat(flows, who, what)
            send(ports, flows, packets, laws, events, flows[who].port, now)
        elif kind in (PFC, HOLD):
            if kind == HOLD:
                ports[who].held = what
            pause(ports, laws, events, who, what, now)
            if not ports[who].paused:
                _continue(ports, nodes, flows, packets, trail, laws, events, who, now)
        elif kind == WATCHDOG:
            if ports[who].paused and ports[who].paused_at == what:
                ports[who].dropping = 1
                ports[who].storms += 1
                flush(ports, nodes, packets, laws, events, who, now)
        elif kind == START:
            flows[who].start = now
            flows[who].next_packet = now
            send(ports, flows, packets, laws, events, flows[who].port, now)
        elif kind == SAMPLE:
            for at in range(len(ports)):
                queues[who * len(ports) + at] = ports[at].queue
            for at in range(len(flows)):
                delivered[who * len(flows) + at] = flows[at].expected
            if who + 1 < laws[0].samples:
                schedule(laws, events, now + laws[0].sample_ps, SAMPLE, who + 1, 0)


@kernel
def _continue(
    ports: Ports,
    nodes: Nodes,
    flows: Flows,
    packets: Packets,
    trail: Trail,
    laws: Laws,
    events: Events,
    port: int,
    now: int,
) -> None:
    if ports[port].is_switch:
        forward(ports, nodes, packets, trail, laws, events, port, now)
    else:
        send(ports, flows, packets, laws, events, port, now)


@kernel
def pause(ports: Ports, laws: Laws, events: Events, port: int, stops: int, now: int) -> None:
    """Pause or resume an egress."""
    egress = ports[port]
    if stops and not egress.paused:
        egress.paused, egress.paused_at = 1, now
        if egress.first_pause < 0:
            egress.first_pause = now
        if egress.detection_ps > 0:
            schedule(laws, events, now + egress.detection_ps, WATCHDOG, port, now)
    elif not stops and egress.paused and not egress.held:
        egress.paused = 0
        egress.dropping = 0
        egress.paused_ps += now - egress.paused_at
        egress.last_pause = now


@kernel
def _arrive(
    ports: Ports,
    nodes: Nodes,
    flows: Flows,
    packets: Packets,
    trail: Trail,
    laws: Laws,
    events: Events,
    path: Whole,
    routes: Whole,
    late: Whole,
    port: int,
    slot: int,
    now: int,
) -> None:
    """Take a packet at the far end of a cable."""
    if not ports[port].is_switch:
        receive(flows, packets, laws, events, late, slot, now)
        return
    packet = packets[slot]
    packet.hop += 1
    flow = flows[packet.flow]
    if laws[0].sprays:
        at = routes[flow.receiver * laws[0].nodes + ports[port].node]
        egress = least_loaded(ports, laws, routes, at)
    else:
        egress = path[flow.path + packet.hop]
    if ports[egress].dropping or not admit(ports, nodes, port, egress, packet.size):
        ports[egress].dropped += ports[egress].dropping
        free(packets, laws, slot)
        return
    packet.ingress = port
    answer(ports, nodes, laws, events, port, now)
    enqueue(ports, packets, egress, slot, now)
    forward(ports, nodes, packets, trail, laws, events, egress, now)
