"""A NIC: which queue pair sends next, and what the receiver answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.acknowledged import AIMD, DCQCN, DELAY, HPCC, aimd, delay, hpcc
from fabric.qos.simulate.compiled import kernel
from fabric.qos.simulate.dcqcn import count_bytes, notice
from fabric.qos.simulate.scheduler import pick
from fabric.qos.simulate.switch import (
    ACK,
    ARRIVE,
    NACK,
    NEVER,
    NOTICE,
    START,
    TX_DONE,
    WAKE,
    free,
    schedule,
)

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Events, Flows, Laws, Packets, Ports, Trail, Whole

#: Time after which a receiver asks again for a packet: "NACK Generation Interval" in
#: alibaba-edu/High-Precision-Congestion-Control 9f4be2a9, rdma-hw.cc.
NACK_PS = 500_000_000


@kernel
def _may_send(flows: Flows, laws: Laws, number: int, now: int) -> bool:
    flow = flows[number]
    if flow.start > now or 0 <= flow.size <= flow.sent:
        return False
    if flow.window <= 0:
        return True
    window = float(flow.window)
    if laws[0].reaction == HPCC:
        window *= flow.rate / flow.line_rate
    return flow.sent - flow.acked < window


@kernel
def send(
    ports: Ports,
    flows: Flows,
    packets: Packets,
    laws: Laws,
    events: Events,
    number: int,
    now: int,
) -> None:
    """Send the next packet of the queue pair whose turn it is, or wake up when one may."""
    line = ports[number].line
    port, soonest = ports[line], NEVER
    if port.busy:
        return
    if laws[0].classes == 1:
        if port.paused:
            return
        soonest = _look(ports, flows, laws, line, now)
        row = line if soonest <= now else -1
    else:
        for at in range(line, len(ports), laws[0].lines):
            ports[at].offer = 0
            if not ports[at].paused:
                soonest = min(soonest, _look(ports, flows, laws, at, now))
        row = pick(ports, laws, line)
    if row >= 0:
        at = ports[row].ready
        ports[row].turn = at - ports[row].first_flow
        _emit(ports, flows, packets, laws, events, at, now)
    elif soonest < port.wake or (soonest < NEVER and port.wake <= now):
        port.wake = soonest
        schedule(laws, events, soonest, WAKE, line, 0)


@kernel
def _look(ports: Ports, flows: Flows, laws: Laws, row: int, now: int) -> int:
    """Offer the packet of the queue pair of a class whose turn it is; return when one may send."""
    port, soonest = ports[row], NEVER
    for step in range(1, port.flows + 1):
        at = port.first_flow + (port.turn + step) % port.flows
        if not _may_send(flows, laws, at, now):
            continue
        if flows[at].next_packet <= now:
            port.ready, port.offer = at, _payload(flows, laws, at) + laws[0].overhead
            return now
        if flows[at].next_packet < soonest:  # noqa: PLR1730 - faster than min()
            soonest = flows[at].next_packet
    return soonest


@kernel
def _payload(flows: Flows, laws: Laws, number: int) -> int:
    """Return the payload of the next packet of a flow."""
    flow, most = flows[number], laws[0].payload
    return most if flow.size < 0 else min(most, flow.size - flow.sent)


@kernel
def _emit(
    ports: Ports,
    flows: Flows,
    packets: Packets,
    laws: Laws,
    events: Events,
    number: int,
    now: int,
) -> None:
    flow, law = flows[number], laws[0]
    port = ports[flow.port]
    payload = _payload(flows, laws, number)
    slot = law.free
    if slot < 0:
        raise RuntimeError("more packets are on their way than the buffers hold")
    packet = packets[slot]
    law.free = packet.next
    packet.flow, packet.seq, packet.payload = number, flow.sent, payload
    packet.size, packet.hop, packet.ecn, packet.sent_at = payload + law.overhead, 0, 0, now
    packet.again = 1 if flow.sent < flow.most_sent else 0
    if packet.again:
        flow.repeated += payload
    flow.sent += payload
    if flow.sent > flow.most_sent:  # noqa: PLR1730 - faster than max()
        flow.most_sent = flow.sent
    flow.next_packet = now + int(packet.size / flow.rate)
    port.sent += packet.size
    ports[port.line].busy = 1
    sending = int(packet.size * port.ps_per_byte)
    schedule(laws, events, now + sending, TX_DONE, port.line, 0)
    schedule(laws, events, now + sending + port.delay_ps, ARRIVE, flow.port ^ 1, slot)
    if law.reaction == DCQCN:
        count_bytes(flows, laws, number, packet.size, now)


@kernel
def _order(flows: Flows, packets: Packets, laws: Laws, late: Whole, slot: int) -> None:
    """Count how many packets a packet lies behind the furthest one that arrived before it."""
    packet = packets[slot]
    flow = flows[packet.flow]
    if packet.again:
        return
    behind = 0
    if packet.seq < flow.most_received:
        behind = (flow.most_received - packet.seq - 1) // laws[0].payload
    else:
        flow.most_received = packet.seq + packet.payload
    late[min(behind, len(late) - 1)] += 1


@kernel
def receive(
    flows: Flows,
    packets: Packets,
    laws: Laws,
    events: Events,
    late: Whole,
    slot: int,
    now: int,
) -> None:
    """Take a packet at its receiver, and answer with what its sender waits for."""
    packet = packets[slot]
    number = packet.flow
    flow, law = flows[number], laws[0]
    noticed = 0
    if packet.ecn:
        noticed = 1 if now - flow.last_notice >= law.notice_gap_ps else 0
    if noticed:
        flow.last_notice = now
        flow.notices += 1
    if law.sprays:
        _order(flows, packets, laws, late, slot)
    if packet.seq != flow.expected and not law.places and not flow.fixed:
        if packet.seq > flow.expected and (
            flow.nacked != flow.expected or now - flow.nack_time >= NACK_PS
        ):
            flow.nacked, flow.nack_time = flow.expected, now
            schedule(laws, events, now + flow.back_ps, NACK, number, flow.expected)
    else:
        flow.expected += packet.payload
        if flow.size >= 0 and flow.expected >= flow.size:
            flow.finish = now + flow.back_ps
            if flow.successor >= 0:
                schedule(laws, events, flow.finish, START, flow.successor, 0)
    if law.acknowledged:
        schedule(laws, events, now + flow.back_ps, ACK, noticed, slot)
        return
    if noticed and law.reaction == DCQCN:
        schedule(laws, events, now + flow.back_ps, NOTICE, number, 0)
    free(packets, laws, slot)


@kernel
def acknowledge(
    flows: Flows,
    packets: Packets,
    trail: Trail,
    seen: Trail,
    laws: Laws,
    events: Events,
    noticed: int,
    slot: int,
    now: int,
) -> int:
    """Take an acknowledgement at the sender; return its flow."""
    number = packets[slot].flow
    flow, law = flows[number], laws[0]
    if laws[0].places:
        flow.acked += packets[slot].payload
    else:
        flow.acked = max(flow.acked, packets[slot].seq + packets[slot].payload)
    if flow.fixed:
        free(packets, laws, slot)
        return number
    if law.reaction == DCQCN and noticed:
        notice(flows, laws, events, number, now)
    elif law.reaction == HPCC:
        hpcc(flows, packets, trail, seen, laws, number, slot)
    elif law.reaction == DELAY:
        delay(flows, packets, laws, number, slot, now)
    elif law.reaction == AIMD:
        aimd(flows, packets, laws, number, slot, now)
    free(packets, laws, slot)
    return number


@kernel
def repeat(flows: Flows, number: int, expected: int) -> None:
    """Go back to the packet that the receiver lacks."""
    flow = flows[number]
    if expected < flow.sent:
        flow.sent = expected
        flow.acked = min(flow.acked, expected)
