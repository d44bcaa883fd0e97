"""What a design means, against what `audit` reads of the file that follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabric.design.model import DeviceDesign
from fabric.design.port_model import PortDesign
from fabric.design.qos_model import QosProfile, QueueDesign
from fabric.intent.classes import LosslessClass
from fabric.observe.configuration.lossless import Lossless, Marking, PortPolicy

#: What systems call the actions of the watchdog; empty where they have one alone and no word.
ACTIONS = {
    "drop": {"drop", "discard", ""},
    "forward": {"forward", "forwarding"},
    "alert": {"alert", "notify-only"},
}
#: Units of thresholds are cells of some hundred bytes, kbytes, or percents of a queue.
_COARSEST = 0.02
_HASHED = {"src-ip", "dst-ip", "src-port", "dst-port"}


def misread(design: DeviceDesign, read: Lossless) -> Iterator[str]:
    """Yield what is read to another value than the design has.

    Times of a watchdog, speed, hash and headroom that a file of the system says nothing of are
    passed over.
    """
    yield from _same("name", design.name, read.name)
    if design.vlans:
        yield from _seconds("ARP", design.neighbours.arp_timeout_s, read.arp_timeout_s)
        yield from _seconds("MAC", design.neighbours.mac_ageing_s, read.mac_ageing_s)
    if read.hash_fields is not None:
        yield from _same("hash", _HASHED, read.hash_fields & _HASHED)
    for vlan in design.vlans:
        gateway = read.gateways.get(vlan.vlan)
        if gateway is None:
            yield f"gateway of VLAN {vlan.vlan} is not read"
    for port in design.ports:
        if port.qos is not None:
            yield from _port(port, port.qos, read.ports.get(port.name))


def _same(what: str, meant: Any, read: Any) -> Iterator[str]:
    if meant != read:
        yield f"{what}: {meant!r} is read as {read!r}"


def _seconds(what: str, meant: int, read: Any) -> Iterator[str]:
    if read is None:
        yield f"{what} ageing is not read"
    else:
        yield from _same(f"{what} ageing", meant, read.value)


def _port(port: PortDesign, qos: QosProfile, read: PortPolicy | None) -> Iterator[str]:
    if read is None:
        yield f"{port.kind} port is not read"
        return
    yield from _same("enabled", port.enabled, read.enabled)
    yield from _same("description", port.description, read.description)
    yield from _same("priorities", set(qos.paused), set(read.lossless))
    yield from _same("trust of DSCP", True, read.trusts_dscp)
    yield from _same("gaps", {}, dict(read.gaps))
    if read.speed_gbps is not None:
        yield from _same("speed", float(port.speed_gbps), read.speed_gbps)
    if port.kind == "host":
        yield from _same("VLANs", {port.vlan} - {None}, read.vlans)
    if read.mtu_bytes is None:
        yield "MTU is not read"
    else:
        yield from _same("MTU", port.mtu_bytes, read.mtu_bytes.value)
    yield from _queues(qos, read)
    yield from _watchdog(qos, read)
    if port.headroom and read.headroom_bytes and port.headroom.row:
        sizes = {size.value for size in read.headroom_bytes.values()}
        yield from _same("headroom", {port.headroom.row.headroom_bytes}, sizes)


def _queue(read: PortPolicy, dscp: int) -> int:
    number = read.dscp_to_class.get(dscp, 0)
    return read.class_to_queue.get(number, number)


def _queues(qos: QosProfile, read: PortPolicy) -> Iterator[str]:
    for dscp, number in enumerate(qos.dscp_to_traffic_class):
        queue = qos.traffic_class_to_queue[number]
        yield from _same(f"queue of DSCP {dscp}", queue, _queue(read, dscp))
    for queue_design in qos.queues:
        yield from _share(queue_design, read)
        marking = read.markings.get(queue_design.queue)
        if queue_design.lossless is not None:
            yield from _marking(queue_design.lossless, marking)
        elif queue_design.kind == "default" and qos.lossy.wred:
            yield from _same("early drops", False, marking.ecn if marking else None)


def _share(queue: QueueDesign, read: PortPolicy) -> Iterator[str]:
    share = read.percent.get(queue.queue)
    if queue.percent is None:
        yield from _same("strict", True, queue.queue in read.strict and share is None)
    elif share is None:
        yield f"share of the {queue.kind} queue is not read"
    else:
        yield from _same(f"share of the {queue.kind} queue", queue.percent, share.value)


def _marking(meant: LosslessClass, read: Marking | None) -> Iterator[str]:
    if read is None or not read.ecn:
        yield "marking of the lossless queue is not read"
        return
    for field in ("kmin_bytes", "kmax_bytes", "pmax_percent"):
        value, said = getattr(meant, field), getattr(read, field)
        if said is None:
            yield f"{field} is not read"
        elif abs(value - said) > value * _COARSEST:
            yield f"{field}: {value} is read as {said}"


def _watchdog(qos: QosProfile, read: PortPolicy) -> Iterator[str]:
    meant, said = qos.watchdog, read.watchdog
    is_on = said is not None and said.enabled
    if not (qos.pfc and meant.enabled):
        if qos.pfc:
            yield from _same("watchdog", False, is_on)
        return
    if not is_on or said is None:
        yield "watchdog is not read"
        return
    if said.action not in ACTIONS[meant.action]:
        yield f"watchdog action: {meant.action} is read as {said.action!r}"
    for field in ("detection_ms", "restoration_ms"):
        value = getattr(said, field)
        if value is not None and value != getattr(meant, field):
            yield f"watchdog {field}: {getattr(meant, field)} is read as {value}"
