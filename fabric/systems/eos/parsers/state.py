"""EOS: state and counters from the JSON answers of eAPI (shapes of aristanetworks/anta)."""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from fabric.core.json_text import parse_json
from fabric.core.units import BPS_PER_GBPS
from fabric.observe.parsers import UnreadableError
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    MacEntry,
    NeighbourEntry,
    QueueCounters,
    SystemFacts,
    by_address,
)

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")
_MAC = re.compile(r"[0-9a-f]{12}")
_CLASS = re.compile(r"TC(\d)")
#: Counters of `show interfaces` and their names in a snapshot.
_COUNTERS = {
    "inOctets": "rx_bytes",
    "outOctets": "tx_bytes",
    "totalInErrors": "rx_errors",
    "totalOutErrors": "tx_errors",
    "inDiscards": "rx_drops",
    "outDiscards": "tx_drops",
}
_NOT_COUNTED = "-"


def reading(parse: Callable[[Any], T]) -> Callable[[str], T]:
    """Give a parser the JSON of an answer; whatever is not of its shape is unreadable."""

    @wraps(parse)
    def read(text: str) -> T:
        try:
            return parse(parse_json(text))
        except UnreadableError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableError(
                f"the answer of {parse.__name__} has another shape: {error}"
            ) from error

    return read


@reading
def facts(answer: Any) -> SystemFacts:
    """Parse ``show version``; the host name is the answer of another command."""
    return SystemFacts(
        hostname="",
        model=_text(answer["modelName"]),
        version=_text(answer["version"]),
        serial=_text(answer["serialNumber"]),
        mac=_text(answer["systemMacAddress"]).lower(),
        uptime_s=float(answer["uptime"]) if "uptime" in answer else None,
    )


@reading
def host_name(answer: Any) -> SystemFacts:
    """Parse ``show hostname``."""
    return SystemFacts(hostname=_text(answer["hostname"]))


@reading
def interfaces(answer: Any) -> dict[str, InterfaceState]:
    """Parse ``show interfaces``."""
    return {
        name: InterfaceState(
            up=_text(port["lineProtocolStatus"]) == "up",
            enabled=_text(port["interfaceStatus"]) != "disabled",
            speed_gbps=_count(port["bandwidth"]) / BPS_PER_GBPS or None,
            mtu_bytes=_count(port["mtu"]),
            description=_text(port.get("description", "")),
            counters={
                ours: _count(port["interfaceCounters"][theirs])
                for theirs, ours in _COUNTERS.items()
                if theirs in port.get("interfaceCounters", {})
            },
        )
        for name, port in answer["interfaces"].items()
        if "bandwidth" in port and "mtu" in port
    }


@reading
def pfc_frames(answer: Any) -> dict[str, InterfaceState]:
    """Parse ``show priority-flow-control counters``: frames of all priorities together."""
    return {
        name: InterfaceState(
            counters={
                "rx_pfc_frames": _count(port["rxFrames"]),
                "tx_pfc_frames": _count(port["txFrames"]),
            }
        )
        for name, port in answer["interfaceCounters"].items()
    }


@reading
def ecn_marks(answer: Any) -> dict[tuple[str, int], EcnState]:
    """Parse ``show qos interfaces ecn counters queue``; ``-`` is a queue that does not count."""
    return {
        (name, int(queue)): EcnState(
            marked_packets=None if marks == _NOT_COUNTED else _digits(marks)
        )
        for name, port in answer["intfQueueCounters"].items()
        for queue, marks in port["queueCounters"].items()
    }


@reading
def queue_drops(answer: Any) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show interfaces counters queue detail``: drops of unicast queues."""
    counters = {}
    for name, port in answer["egressQueueCounters"]["interfaces"].items():
        for traffic_class, queue in port["ucastQueues"]["trafficClasses"].items():
            number = _CLASS.fullmatch(traffic_class)
            if number is None:
                raise UnreadableError(f"{traffic_class!r} is not a traffic class")
            drops = [_count(row["droppedPackets"]) for row in queue["dropPrecedences"].values()]
            counters[name, int(number[1])] = QueueCounters(dropped_packets=sum(drops))
    return counters


@reading
def neighbours(answer: Any) -> dict[str, NeighbourEntry]:
    """Parse ``show arp vrf all``, with the age of each entry."""
    return by_address(
        (
            _text(row["address"]),
            NeighbourEntry(
                _mac(row["hwAddress"]),
                _text(row["interface"]),
                float(_count(row["age"])) if "age" in row else None,
            ),
        )
        for vrf in answer["vrfs"].values()
        for row in vrf["ipV4Neighbors"]
    )


@reading
def macs(answer: Any) -> tuple[MacEntry, ...]:
    """Parse ``show mac address-table``; EOS shows the time of the last move, not an age."""
    return tuple(
        MacEntry(_count(row["vlanId"]), _mac(row["macAddress"]), _text(row["interface"]))
        for row in answer["unicastTable"]["tableEntries"]
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnreadableError(f"{value!r} is not a text")
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UnreadableError(f"{value!r} is not a count")
    return value


def _digits(value: Any) -> int:
    text = _text(value)
    if not text.isdecimal():
        raise UnreadableError(f"{text!r} is not a count")
    return int(text)


def _mac(value: Any) -> str:
    digits = re.sub(r"[.:-]", "", _text(value)).lower()
    if not _MAC.fullmatch(digits):
        raise UnreadableError(f"{value!r} is not a MAC address")
    return ":".join(digits[index : index + 2] for index in range(0, 12, 2))
