"""From a scenario to the records of its first instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.units import percent_to_share
from fabric.qos.dcqcn.parameters import ALPHA_ONE
from fabric.qos.simulate import acknowledged as reactions
from fabric.qos.simulate.classes import MOST_CLASSES, LossyPool
from fabric.qos.simulate.scenario import FRAME_BYTES
from fabric.qos.simulate.state import (
    MOST_HOPS,
    Flow,
    Hop,
    Law,
    Packet,
    SimulatedNode,
    SimulatedPort,
    records,
)
from fabric.qos.simulate.switch import HOLD, NEVER, SAMPLE, START

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.simulate.classes import PortClass
    from fabric.qos.simulate.scenario import Cable, End, Scenario, Stream
    from fabric.qos.simulate.state import Records

    Ints = NDArray[np.int64]

REACTIONS = {
    "off": reactions.OFF,
    "dcqcn": reactions.DCQCN,
    "hpcc": reactions.HPCC,
    "delay": reactions.DELAY,
    "aimd": reactions.AIMD,
}
#: Packets by which a packet is late, at most, that are told apart; ours.
MOST_LATE = 4096
_PS_PER_US = 1_000_000
_PS_PER_NS = 1_000
#: eta of HPCC (Li et al., SIGCOMM 2019, section 5.1).
_HPCC_SHARE = 0.95
#: Additive step and least rate of HPCC's simulator (alibaba-edu/High-Precision-Congestion-Control
#: 9f4be2a9, simulation/run.py): 10 Mb/s for each 25 Gb/s, and 1 Gb/s.
_HPCC_ADDITIVE_SHARE, _LEAST_MBPS = 10 / 25_000, 1_000.0
#: beta and max_mdf of Swift (Kumar et al., SIGCOMM 2020, table 1).
_SWIFT_BETA, _SWIFT_MOST = 0.8, 0.5


@dataclass(frozen=True, slots=True)
class Instant:
    """Records of the first instant, and the arrays that a run fills."""

    ports: Records
    nodes: Records
    flows: Records
    packets: Records
    trail: Records
    seen: Records
    laws: Records
    path: Ints
    routes: Ints
    late: Ints
    queues: Ints
    delivered: Ints
    begin: Ints
    until: int


def _ps_per_byte(speed_gbps: float) -> float:
    return 8_000.0 / speed_gbps


def _mbps(rate_mbps: float) -> float:
    """Return bytes per picosecond."""
    return rate_mbps / 8e6


def instant(scenario: Scenario) -> Instant:
    """Return the first instant of a scenario.

    Raises
    ------
    ValueError
        When a path has more hops than telemetry is kept of, the reaction point has no such name, or
        a stream has no such class.
    """
    if scenario.reaction not in REACTIONS:
        raise ValueError(f"reaction is {scenario.reaction!r}; it is one of {', '.join(REACTIONS)}")
    if any(len(stream.path) > MOST_HOPS for stream in scenario.streams):
        raise ValueError(f"a path has more than {MOST_HOPS} hops")
    if len(scenario.classes) > MOST_CLASSES:
        raise ValueError(
            f"there are {counted(len(scenario.classes), 'class')}; PFC has {MOST_CLASSES}"
        )
    if any(not 0 <= s.class_number < len(scenario.classes) for s in scenario.streams):
        raise ValueError(f"a stream is of no class from 0 to {len(scenario.classes) - 1}")
    ports = _ports(scenario)
    flows, path = _flows(scenario, ports)
    laws = _laws(scenario)
    slots = _slots(scenario)
    packets = records(Packet, slots)
    packets["next"] = np.arange(1, slots + 1)
    packets["next"][-1] = -1
    telemetry = laws["acknowledged"][0] > 1
    samples = int(scenario.duration_us // scenario.sample_us) + 1
    laws["samples"] = samples
    return Instant(
        ports,
        _nodes(scenario),
        flows,
        packets,
        records(Hop, slots * MOST_HOPS if telemetry else 1),
        records(Hop, len(flows) * MOST_HOPS if telemetry else 1),
        laws,
        path,
        _routes(scenario),
        np.zeros(MOST_LATE + 1, np.int64),
        np.zeros(samples * len(ports), np.int64),
        np.zeros(samples * len(flows), np.int64),
        _begin(scenario),
        int(scenario.duration_us * _PS_PER_US),
    )


def _begin(scenario: Scenario) -> Ints:
    """Return the first events; see :func:`fabric.qos.simulate.engine.run`."""
    events = [(0, 0, SAMPLE, 0, 0)]
    events += [
        (int(stream.start_us * _PS_PER_US), 0, START, number, 0)
        for number, stream in enumerate(scenario.streams)
        if stream.after is None
    ]
    for storm in scenario.storms:
        events.append((int(storm.start_us * _PS_PER_US), 0, HOLD, storm.port, 1))
        events.append((int(storm.stop_us * _PS_PER_US), 0, HOLD, storm.port, 0))
    return np.array(events, np.int64).ravel()


def _nodes(scenario: Scenario) -> Records:
    nodes = records(SimulatedNode, len(scenario.shared_bytes))
    nodes["shared"] = [shared or 0 for shared in scenario.shared_bytes]
    pools = scenario.lossy_pools or (None,) * len(nodes)
    for node, pool in zip(nodes, (pool or LossyPool() for pool in pools), strict=True):
        node["lossy"], node["lossy_shares"] = pool.own_bytes or 0, pool.shares
    return nodes


def _last(scenario: Scenario, stream: Stream) -> int:
    return scenario.row(stream.path[-1], stream.class_number)


def _receivers(scenario: Scenario) -> dict[int, int]:
    """Return a number for each last row of a path."""
    rows = sorted({_last(scenario, stream) for stream in scenario.streams})
    return {row: number for number, row in enumerate(rows)}


def _routes(scenario: Scenario) -> Ints:
    """Return the equal ports of each receiver and switch; see :func:`engine.run`."""
    nodes, receivers = len(scenario.shared_bytes), _receivers(scenario)
    table = [0] * (nodes * len(receivers) if scenario.routes else 1)
    for number in range(len(scenario.classes)):
        for (port, node), ports in scenario.routes.items():
            receiver = receivers.get(scenario.row(port, number))
            if receiver is not None:
                table[receiver * nodes + node] = len(table)
                table += [len(ports), *(scenario.row(egress, number) for egress in ports)]
    return np.array(table, np.int64)


def _slots(scenario: Scenario) -> int:
    """Return how many packets the buffers and cables hold at most."""
    size = scenario.payload_bytes + scenario.overhead_bytes
    buffers = sum(shared or 0 for shared in scenario.shared_bytes)
    buffers += sum(pool.own_bytes or 0 for pool in scenario.lossy_pools if pool)
    count = len(scenario.classes)
    at_ports = [
        own
        for cable in scenario.cables
        for end in (cable.near, cable.far)
        for own in end.classes(count)
    ]
    rooms = [own.ingress for own in at_ports if own.ingress]
    buffers += sum(room.headroom_bytes + room.reserve_bytes for room in rooms)
    buffers += sum(own.lossy.reserve_bytes for own in at_ports if own.lossy)
    flying = sum(
        8 * (4 + cable.delay_ns * cable.speed_gbps / 8 / size) for cable in scenario.cables
    )
    return int(buffers / size + flying) + 4 * len(scenario.streams) + 64


def _ports(scenario: Scenario) -> Records:
    lines, count = 2 * len(scenario.cables), len(scenario.classes)
    ports = records(SimulatedPort, count * lines)
    ports["head"] = ports["tail"] = -1
    ports["wake"] = ports["first_pause"] = ports["last_pause"] = -1
    ports["line"] = ports["serving"] = np.arange(len(ports)) % lines
    for number, cable in enumerate(scenario.cables):
        for line, end in ((2 * number, cable.near), (2 * number + 1, cable.far)):
            classes = end.classes(count)
            for row, own in enumerate(classes):
                _port(ports[row * lines + line], cable, end, own, scenario)
            ports["quantum"][line::lines] = _quanta(cable, classes, scenario)
    return ports


def _quanta(cable: Cable, classes: tuple[PortClass, ...], scenario: Scenario) -> list[int]:
    """Return what each class may send in a round: the least one a packet."""
    size = scenario.payload_bytes + scenario.overhead_bytes + cable.tunnel_bytes
    least = min((own.weight for own in classes if own.weight > 0), default=1.0)
    return [int(size * own.weight / least) for own in classes]


def _port(port: Records, cable: Cable, end: End, own: PortClass, scenario: Scenario) -> None:
    port["node"] = end.node
    port["is_switch"] = scenario.shared_bytes[end.node] is not None
    port["ps_per_byte"] = _ps_per_byte(cable.speed_gbps)
    port["tunnel"] = cable.tunnel_bytes
    port["delay_ps"] = int(cable.delay_ns * _PS_PER_NS)
    port["response_ps"] = int(end.response_ns * _PS_PER_NS)
    port["detection_ps"] = int(own.detection_ms * 1000 * _PS_PER_US)
    port["kmin"], port["kmax"] = NEVER, NEVER + 1
    if own.marking:
        port["kmin"], port["kmax"] = own.marking.kmin_bytes, own.marking.kmax_bytes
        port["pmax"] = percent_to_share(own.marking.pmax_percent)
    if own.ingress:
        port["alpha"] = own.ingress.alpha
        port["pause"] = own.ingress.pause_bytes or 0
        port["headroom"] = own.ingress.headroom_bytes
        port["reserve"] = own.ingress.reserve_bytes
        port["xon_offset"] = own.ingress.xon_offset_bytes
    if own.lossy:
        port["is_lossy"] = True
        port["alpha"], port["reserve"] = own.lossy.alpha, own.lossy.reserve_bytes


def _flows(scenario: Scenario, ports: Records) -> tuple[Records, Ints]:
    order = [(stream.path[0], stream.class_number) for stream in scenario.streams]
    if order != sorted(order):
        raise ValueError("streams must be in the order of their first port and their class")
    flows = records(Flow, len(order))
    path: list[int] = []
    receivers = _receivers(scenario)
    for number, stream in enumerate(scenario.streams):
        flow, first = flows[number], scenario.row(stream.path[0], stream.class_number)
        if ports["flows"][first] == 0:
            ports["first_flow"][first] = number
        ports["flows"][first] += 1
        flow["path"], flow["hops"], flow["port"] = len(path), len(stream.path), first
        path += [scenario.row(port, stream.class_number) for port in stream.path]
        flow["size"] = -1 if stream.size_bytes is None else stream.size_bytes
        flow["window"] = stream.window_bytes
        if stream.after is not None:
            flows["successor"][stream.after] = number
        flow["receiver"] = receivers[_last(scenario, stream)]
        _times(flow, scenario, stream.path)
        if stream.rate_gbps is not None:
            flow["fixed"] = True
            flow["rate"] = flow["target"] = 1.0 / _ps_per_byte(stream.rate_gbps)
    ended = {stream.after for stream in scenario.streams} - {None}
    flows["successor"][[number for number in range(len(order)) if number not in ended]] = -1
    flows["start"], flows["finish"] = NEVER, -1
    flows["nacked"] = flows["first_notice"] = -1
    flows["last_notice"] = -NEVER
    flows["alpha"] = flows["usage"] = 1.0
    return flows, np.array(path, np.int64)


def _times(flow: Records, scenario: Scenario, path: tuple[int, ...]) -> None:
    """Set the rates of a flow, and the times of its path when it is idle."""
    cables = [scenario.cables[port // 2] for port in path]
    size = scenario.payload_bytes + scenario.overhead_bytes
    delay = sum(int(cable.delay_ns * _PS_PER_NS) for cable in cables)
    back = sum(int(FRAME_BYTES * _ps_per_byte(cable.speed_gbps)) for cable in cables)
    there = sum(int(size * _ps_per_byte(cable.speed_gbps)) for cable in cables)
    latency = sum(int(2 * cable.latency_ns * _PS_PER_NS) for cable in cables)
    flow["back_ps"] = delay + latency + back
    flow["base_rtt"] = 2 * delay + latency + back + there
    flow["line_rate"] = 1.0 / _ps_per_byte(cables[0].speed_gbps)
    flow["rate"] = flow["target"] = flow["line_rate"]


def _laws(scenario: Scenario) -> Records:
    law = records(Law, 1)
    point = scenario.parameters.reaction_point
    reaction = REACTIONS[scenario.reaction]
    windows = any(stream.window_bytes for stream in scenario.streams)
    acts = reaction in {reactions.DELAY, reactions.AIMD} or windows
    values: dict[str, float] = {
        "reaction": reaction,
        "acknowledged": 2 if reaction == reactions.HPCC else int(acts),
        "payload": scenario.payload_bytes,
        "overhead": scenario.overhead_bytes,
        "frame": FRAME_BYTES,
        "sprays": scenario.levels if scenario.routes else 0,
        "places": bool(scenario.routes) and scenario.places,
        "nodes": len(scenario.shared_bytes),
        "classes": len(scenario.classes),
        "lines": 2 * len(scenario.cables),
        "notice_gap_ps": scenario.parameters.notification_point.cnp_interval_us * _PS_PER_US,
        "gain": point.alpha_gain_1024ths / ALPHA_ONE,
        "alpha_period_ps": point.alpha_period_us * _PS_PER_US,
        "initial_alpha": point.initial_alpha_1024ths / ALPHA_ONE,
        "alpha_divisor": point.alpha_divisor,
        "cut_period_ps": point.cut_period_us * _PS_PER_US,
        "timer_ps": point.timer_us * _PS_PER_US,
        "byte_counter": point.byte_counter_bytes,
        "recovery_steps": point.recovery_steps,
        "additive": _mbps(point.additive_mbps),
        "hyper": _mbps(point.hyper_mbps),
        "kept": percent_to_share(point.kept_percent),
        "min_rate": _mbps(point.min_rate_mbps),
        "max_rate": _mbps(point.max_rate_mbps) if point.max_rate_mbps else 1e9,
        "first_notice_rate": _mbps(point.first_cnp_rate_mbps),
        "clamp": point.clamp_target,
        "clamp_after_timer": point.clamp_target_after_timer,
        "share": _HPCC_SHARE,
        "delay_ps": int(scenario.delay_target_us * _PS_PER_US),
        "decrease": 0.5 if reaction == reactions.AIMD else _SWIFT_BETA,
        "most_decrease": _SWIFT_MOST,
        "sample_ps": int(scenario.sample_us * _PS_PER_US),
        "random": scenario.seed,
    }
    if reaction != reactions.DCQCN:
        values |= {"additive": _additive(scenario, reaction), "min_rate": _mbps(_LEAST_MBPS)}
    for name, value in values.items():
        law[name] = value
    return law


def _additive(scenario: Scenario, reaction: int) -> float:
    """Return the additive step: HPCC's share of the rate, else a packet in a round trip."""
    cables = [scenario.cables[port // 2] for port in scenario.streams[0].path]
    if reaction == reactions.HPCC:
        return _HPCC_ADDITIVE_SHARE / _ps_per_byte(cables[0].speed_gbps)
    trip = sum(
        2 * (cable.delay_ns + cable.latency_ns) * _PS_PER_NS
        + scenario.payload_bytes * _ps_per_byte(cable.speed_gbps)
        for cable in cables
    )
    return scenario.payload_bytes / trip
