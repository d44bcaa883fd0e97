"""A switch: admission to the shared buffer, pauses, marks, and what leaves next.

Ingress accounting and the dynamic threshold as in ConnectX's counterpart of HPCC's simulator
(alibaba-edu/High-Precision-Congestion-Control 9f4be2a9, simulation/src/point-to-point/model,
switch-mmu.cc and switch-node.cc): a packet is counted to the reserve of its ingress, then to the
shared pool up to ``alpha`` times what is free of it, or up to a fixed ``pause`` level, then to the
headroom; one that no headroom is left for is lost. Marks are set when a packet leaves, by the queue
that it leaves behind.

A port has a row for each class: its queue and marks, its buffer and pauses. All classes count in
the one pool of the switch.
"""

from __future__ import annotations

from heapq import heappush
from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel
from fabric.qos.simulate.lossy import admit_lossy, release_lossy
from fabric.qos.simulate.scheduler import next_frame, pick

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Events, Laws, Nodes, Packets, Ports, Trail, Whole

TX_DONE, ARRIVE, PFC, ACK, NACK, NOTICE, WAKE, CUT, TIMER, SAMPLE, WATCHDOG, START, HOLD = range(13)
#: Times beyond every run.
NEVER = 1 << 62


@kernel
def schedule(laws: Laws, events: Events, time: int, kind: int, who: int, what: int) -> None:
    """Put an event into the queue; of two at one instant the older goes first."""
    laws[0].order += 1
    heappush(events, (time, laws[0].order, kind, who, what))


@kernel
def pause_threshold(ports: Ports, nodes: Nodes, port: int) -> int:
    """Return what an ingress may hold of the shared pool now."""
    node = nodes[ports[port].node]
    free = node.shared - node.used
    if free <= 0:
        return 0
    fixed = ports[port].pause
    return fixed if fixed > 0 else int(ports[port].alpha * free)


@kernel
def admit(ports: Ports, nodes: Nodes, port: int, egress: int, size: int) -> bool:
    """Count a packet to its ingress, or to its lossy egress queue; False when it is lost."""
    if ports[egress].is_lossy:
        return admit_lossy(ports, nodes, egress, size)
    ingress, node = ports[port], nodes[ports[port].node]
    threshold = pause_threshold(ports, nodes, port)
    before = ingress.used - ingress.reserve  # of the shared pool, where above zero
    after = before + size
    if ingress.in_headroom + size > ingress.headroom and (
        after > threshold if before > 0 else size > threshold
    ):
        ingress.dropped += 1
        return False
    if after > 0 and after > threshold:
        ingress.in_headroom += size
        if ingress.in_headroom > ingress.most_headroom:  # noqa: PLR1730 - faster than max()
            ingress.most_headroom = ingress.in_headroom
        return True
    if after > 0:
        node.used += size if before > 0 else after
        if node.used > node.most_used:  # noqa: PLR1730
            node.most_used = node.used
    ingress.used += size
    if ingress.used > ingress.most_used:  # noqa: PLR1730
        ingress.most_used = ingress.used
    return True


@kernel
def release(ports: Ports, nodes: Nodes, port: int, size: int) -> None:
    """Take a packet that left off the account of its ingress, the headroom first."""
    ingress, rest = ports[port], size
    if ingress.in_headroom > 0:
        of_headroom = min(ingress.in_headroom, size)
        ingress.in_headroom -= of_headroom
        rest -= of_headroom
    shared = ingress.used - ingress.reserve
    if shared > 0:
        nodes[ingress.node].used -= min(shared, rest)
    ingress.used -= rest


@kernel
def signal(ports: Ports, nodes: Nodes, port: int) -> bool:
    """Queue a PFC frame for the sender at an ingress where one is due; True when one is."""
    ingress = ports[port]
    if ingress.is_lossy:
        return False
    if (ingress.in_headroom > 0) == (ingress.xoff_sent > 0):
        if ingress.xoff_sent:
            return False  # it holds headroom, and has said so
        shared = max(0, ingress.used - ingress.reserve)
        if shared < pause_threshold(ports, nodes, port):
            return False
    elif ingress.xoff_sent:
        shared = max(0, ingress.used - ingress.reserve)
        if shared > 0 and shared + ingress.xon_offset > pause_threshold(ports, nodes, port):
            return False
    ingress.xoff_sent = 1 - ingress.xoff_sent
    if ingress.frames == 0:
        ingress.next_frame = ingress.xoff_sent
    ingress.frames += 1
    ingress.pauses += ingress.xoff_sent
    return True


@kernel
def measure(ports: Ports, port: int, now: int) -> None:
    """Bring the mean of a queue up to date before it changes."""
    egress = ports[port]
    egress.queue_area += float(egress.queue) * float(now - egress.queue_time)
    egress.queue_time = now


@kernel
def enqueue(ports: Ports, packets: Packets, port: int, slot: int, now: int) -> None:
    """Append a packet to the queue of an egress."""
    egress = ports[port]
    measure(ports, port, now)
    packets[slot].next = -1
    if egress.head < 0:
        egress.head = slot
    else:
        packets[egress.tail].next = slot
    egress.tail = slot
    egress.queue += packets[slot].size
    if egress.queue > egress.most_queue:  # noqa: PLR1730
        egress.most_queue = egress.queue


@kernel
def dequeue(ports: Ports, packets: Packets, port: int, now: int) -> int:
    """Take the first packet off the queue of an egress."""
    egress = ports[port]
    measure(ports, port, now)
    slot = egress.head
    egress.head = packets[slot].next
    egress.queue -= packets[slot].size
    return slot


@kernel
def _random(laws: Laws) -> float:
    """Return the next number, 0 to 1, of Park and Miller's generator (CACM 31, 1988)."""
    laws[0].random = laws[0].random * 48271 % 2147483647
    return laws[0].random / 2147483647.0


@kernel
def _band(ports: Ports, laws: Laws, port: int) -> int:
    """Return the level of a queue: 0 below one packet, then doubling.

    The edges are ours: the sources of the levels name no default. Where packets are placed, edges
    four times as high change completion times by 0.5 %.
    """
    packets, band = ports[port].queue // (laws[0].payload + laws[0].overhead), 0
    while packets > 0 and band < laws[0].sprays - 1:
        packets //= 2
        band += 1
    return band


@kernel
def least_loaded(ports: Ports, laws: Laws, routes: Whole, at: int) -> int:
    """Return the egress with the lowest level, one of equal ones by chance.

    Parameters
    ----------
    routes : array of int
        The number of ports at ``at``, and the ports after it.
    """
    chosen, lowest, equal = routes[at + 1], laws[0].sprays, 0
    if routes[at] == 1:
        return chosen
    for number in range(at + 1, at + 1 + routes[at]):
        level = _band(ports, laws, routes[number])
        if level < lowest:
            chosen, lowest, equal = routes[number], level, 1
        elif level == lowest:
            equal += 1
            if _random(laws) * equal < 1.0:
                chosen = routes[number]
    return chosen


@kernel
def mark(ports: Ports, packets: Packets, laws: Laws, port: int, slot: int) -> None:
    """Mark a packet that leaves, by the queue behind it."""
    egress = ports[port]
    queue = egress.queue
    if queue <= egress.kmin:
        return
    share = (queue - egress.kmin) / max(1, egress.kmax - egress.kmin) * egress.pmax
    if queue > egress.kmax or _random(laws) < share:
        packets[slot].ecn = 1
        egress.marked += 1


@kernel
def send_frame(ports: Ports, laws: Laws, events: Events, port: int, now: int) -> None:
    """Send the PFC frame that waits at a port; it acts after the response time of the peer."""
    egress, peer, line = ports[port], port ^ 1, ports[port].line
    sending = int(laws[0].frame * egress.ps_per_byte)
    ports[line].busy = 1
    egress.frames -= 1
    stops = egress.next_frame
    egress.next_frame = 1 - stops
    schedule(laws, events, now + sending, TX_DONE, line, 0)
    acts = now + sending + egress.delay_ps + ports[peer].response_ps
    schedule(laws, events, acts, PFC, peer, stops)


@kernel
def answer(ports: Ports, nodes: Nodes, laws: Laws, events: Events, port: int, now: int) -> None:
    """Pause or resume the sender at an ingress where that is due."""
    if signal(ports, nodes, port) and not ports[ports[port].line].busy:
        send_frame(ports, laws, events, port, now)


@kernel
def _next_row(ports: Ports, packets: Packets, laws: Laws, line: int) -> int:
    """Return the class of a port whose first packet leaves next; -1 when none may."""
    if laws[0].classes == 1:
        return -1 if ports[line].paused or ports[line].head < 0 else line
    for row in range(line, len(ports), laws[0].lines):
        egress = ports[row]
        egress.offer = 0
        if egress.head >= 0 and not egress.paused:
            egress.offer = packets[egress.head].payload + laws[0].overhead + egress.tunnel
    return pick(ports, laws, line)


@kernel
def _leave(ports: Ports, nodes: Nodes, packets: Packets, port: int, slot: int) -> None:
    """Take a packet that left an egress off the buffer."""
    if ports[port].is_lossy:
        release_lossy(ports, nodes, port, packets[slot].size)
    else:
        release(ports, nodes, packets[slot].ingress, packets[slot].size)


@kernel
def forward(
    ports: Ports,
    nodes: Nodes,
    packets: Packets,
    trail: Trail,
    laws: Laws,
    events: Events,
    port: int,
    now: int,
) -> None:
    """Send what is next at the port of an egress of a switch, if it may send."""
    line = ports[port].line
    if ports[line].busy:
        return
    row = next_frame(ports, laws, line)
    if row >= 0:
        send_frame(ports, laws, events, row, now)
        return
    row = _next_row(ports, packets, laws, line)
    if row < 0:
        return
    egress, slot = ports[row], dequeue(ports, packets, row, now)
    packet = packets[slot]
    _leave(ports, nodes, packets, row, slot)
    mark(ports, packets, laws, row, slot)
    packet.size = packet.payload + laws[0].overhead + egress.tunnel
    sending = int(packet.size * egress.ps_per_byte)
    if laws[0].acknowledged > 1:
        _record(ports, trail, laws, line, slot * 6 + packet.hop, now)
    egress.sent += packet.size
    ports[line].busy = 1
    schedule(laws, events, now + sending, TX_DONE, line, 0)
    schedule(laws, events, now + sending + egress.delay_ps, ARRIVE, row ^ 1, slot)
    answer(ports, nodes, laws, events, packet.ingress, now)


@kernel
def _record(ports: Ports, trail: Trail, laws: Laws, line: int, at: int, now: int) -> None:
    """Write the telemetry of a port, of all its classes."""
    hop = trail[at]
    hop.queue, hop.sent, hop.time = 0, 0, now
    hop.ps_per_byte = ports[line].ps_per_byte
    for row in range(line, len(ports), laws[0].lines):
        hop.queue += ports[row].queue
        hop.sent += ports[row].sent


@kernel
def flush(
    ports: Ports, nodes: Nodes, packets: Packets, laws: Laws, events: Events, port: int, now: int
) -> None:
    """Drop the queue of an egress that the watchdog found in a storm."""
    while ports[port].head >= 0:
        slot = dequeue(ports, packets, port, now)
        ports[port].dropped += 1
        ingress = packets[slot].ingress
        _leave(ports, nodes, packets, port, slot)
        free(packets, laws, slot)
        answer(ports, nodes, laws, events, ingress, now)


@kernel
def free(packets: Packets, laws: Laws, slot: int) -> None:
    """Give a slot back."""
    packets[slot].next = laws[0].free
    laws[0].free = slot
