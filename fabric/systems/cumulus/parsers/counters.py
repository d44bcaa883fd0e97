"""Counters of single ports: one ``nv show`` for each, and ``ip`` for bytes and packets.

Layouts of CumulusNetworks/docs, content/cumulus-linux-514, Quality of Service and RDMA over
Converged Ethernet. The driver prints ``== PORT ==`` before the output of each port. ``nv show``
rounds bytes to their unit. The counters of the hardware go to the kernel every two seconds
(Monitoring Interfaces and Transceivers with NVUE); iproute2 ip/ipaddress.c prints them as JSON.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    PfcCounters,
    QueueCounters,
    WatchdogState,
)
from fabric.systems.cumulus.parsers.tables import number, sections, settings, table

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_PORT = re.compile(r"^== (swp\d+(?:s\d+)?) ==\n", re.MULTILINE)
_NAME = re.compile(r"swp\d+(?:s\d+)?")
_STATES = {"OK": False, "DEADLOCK": True}
_COUNT = 8
_ROCE_TRAFFIC_CLASS = 3


def by_port(text: str, parse: Callable[[str], T]) -> dict[str, T]:
    """Return what a parser makes of the output of each port.

    Raises
    ------
    UnreadableError
        When something stands before the first port, or an output cannot be read.
    """
    before, *pieces = _PORT.split(plain(text))
    if before.strip() or not pieces:
        raise UnreadableError("there are no ports")
    return {port: parse(part) for port, part in zip(pieces[::2], pieces[1::2], strict=True)}


def link_bytes(text: str) -> dict[str, InterfaceState]:
    """Parse ``ip -s -j link show``: bytes and packets of the front panel ports.

    Raises
    ------
    UnreadableError
        When it is not that JSON, has no port, or a port has no counters.
    """
    try:
        ports = {str(row["ifname"]): row["stats64"] for row in parse_json(text) if _is_port(row)}
        counts = {
            port: {
                f"{way}_{what}": _count(said[way][what])
                for way in ("rx", "tx")
                for what in ("bytes", "packets")
            }
            for port, said in ports.items()
        }
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableError("this is not a list of links with their counters") from error
    if not counts:
        raise UnreadableError("there are no ports")
    return {port: InterfaceState(counters=said) for port, said in counts.items()}


def _is_port(row: Any) -> bool:
    return bool(_NAME.fullmatch(row["ifname"]))


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def pfc_counters(text: str) -> dict[str, PfcCounters]:
    """Parse ``nv show interface PORT counters qos``: pause frames by switch priority."""
    return by_port(text, _pfc)


def queues(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``nv show interface PORT counters qos``: frames of each egress queue.

    Its discards are in bytes, and are left out where packets are counted.
    """
    return _numbered(by_port(text, lambda part: _frames(part, _EGRESS, "tx-frames")))


def priority_groups(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``nv show interface PORT counters qos``: frames of each ingress priority group."""
    return _numbered(by_port(text, lambda part: _frames(part, _INGRESS, "rx-frames")))


def watchdog(text: str) -> dict[tuple[str, int], WatchdogState]:
    """Parse ``nv show interface PORT qos pfc-watchdog``: storms by traffic class.

    A port whose watchdog is switched off has none: that is no storm.
    """
    return _numbered(by_port(text, _watchdog))


def marked(text: str) -> dict[tuple[str, int], EcnState]:
    """Parse ``nv show interface PORT qos roce counters``: marked packets of RoCE's queue."""
    return _numbered(by_port(text, _marked))


_EGRESS = ("Egress Queue Statistics", "traffic-class")
_INGRESS = ("Ingress Buffer Statistics", "priority-group")


def _numbered(ports: dict[str, dict[int, T]]) -> dict[tuple[str, int], T]:
    return {(port, place): item for port, items in ports.items() for place, item in items.items()}


def _eight(text: str, title: str, first: str) -> list[dict[str, str]]:
    """Return the eight rows of a table, which are numbered from 0."""
    values = table(text, title)
    if [row.get(first) for row in values] != [str(place) for place in range(_COUNT)]:
        raise UnreadableError(f"{title} has not the rows 0 to 7")
    return values


def _column(rows: list[dict[str, str]], name: str) -> tuple[int, ...]:
    if any(name not in row for row in rows):
        raise UnreadableError(f"the column {name} is missing")
    return tuple(number(row[name]) for row in rows)


def _pfc(text: str) -> PfcCounters:
    values = _eight(text, "PFC Statistics", "switch-priority")
    return PfcCounters(_column(values, "rx-pause-frames"), _column(values, "tx-pause-frames"))


def _frames(text: str, where: tuple[str, str], column: str) -> dict[int, QueueCounters]:
    counts = _column(_eight(text, *where), column)
    return {place: QueueCounters(packets=count) for place, count in enumerate(counts)}


def _watchdog(text: str) -> dict[int, WatchdogState]:
    state = settings(sections(text)[""]).get("state", ("", ""))[0]
    values = _eight(text, "PFC WD Status", "traffic-class")
    storms = _column(values, "deadlock-count")
    if state not in ("enabled", "disabled") or any(
        row.get("status") not in _STATES for row in values
    ):
        raise UnreadableError("the state of the watchdog is missing")
    if state == "disabled":
        return {}
    return {
        place: WatchdogState(operational=not _STATES[row["status"]], storms_detected=count)
        for place, (row, count) in enumerate(zip(values, storms, strict=True))
    }


def _marked(text: str) -> dict[int, EcnState]:
    names = settings(sections(text)[""])
    if "ecn-marked-packets" not in names or "tx-roce-stats" not in names:
        raise UnreadableError("the count of marked packets is missing")
    count = number(names["ecn-marked-packets"][0])
    return {_ROCE_TRAFFIC_CLASS: EcnState(marked_packets=count)}
