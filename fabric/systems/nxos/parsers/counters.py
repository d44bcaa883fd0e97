"""PFC, queues and watchdog as text.

Known: layout of the inputs of open-telemetry/opentelemetry-collector-contrib
receiver/ciscoosreceiver, interfaces scraper. Nothing in these outputs counts their rows, so a row
that is missing as a whole cannot be seen; a row that is cut can.
Assumed: the bitmap of paused classes is hexadecimal, ``8`` being class 3.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain, row_of
from fabric.observe.state import PfcCounters, QueueCounters, WatchdogState

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASSES = 8
_PFC_HEADER = re.compile(r"Port\s+Mode\s+Oper\([^)]+\)\s+RxPPP\s+TxPPP\s*")
_PFC_ROW = re.compile(
    r"(?P<port>[A-Za-z]+\d[\d/]*)\s+(?:Auto|On|Off)\s+"
    r"(?:Off|On\s+\((?P<bitmap>[0-9a-f]{1,2})\))\s+\d+\s+\d+\s*"
)
_EGRESS = re.compile(r"Egress Queuing for (\S+) \[\w+\]\s*")
_INGRESS = re.compile(r"Ingress Queuing for (\S+)\s*")
_GROUP = re.compile(r"\|\s*QOS GROUP (\d)\s*\|\s*")
_HEADING = re.compile(r"\|[A-Z ]*[A-Z]+[A-Z ]*\|\s*")
_CELL = re.compile(r"\|\s*(Tx Pkts|Dropped Pkts)\s*\|\s*(\d+)\s*(?=\|)")
_TABLE_LINE = re.compile(r"[|+].*[|+]\s*")
_PFC_CLASS = re.compile(
    r"\s*(?P<cos>[0-7])\s+[-\d]+\s+[-\d]+\s+(?:Active|Inactive)\s+(?P<sent>\d+)\s+"
    r"(?:Active|Inactive)\s+(?P<received>\d+)\s*"
)
_PFC_COLUMNS = re.compile(r"COS\s+QOS Group\s+PG\s+TxPause\s+TxCount\s+RxPause\s+RxCount\s*")
_WATCHED = re.compile(r"(\S+) Interface PFC watchdog: \[(Enabled|Disabled)\]\s*")
_WATCHED_GROUP = re.compile(r"\| QOS GROUP (\d) \[[^\]]+\] PFC \[\w+\] PFC-COS \[[^\]]+\]\s*")
_WATCHED_CELL = re.compile(r"\|\s*(.+?)\s*\|\s*(\d+)\|\s*")
_WATCHED_FIELDS = {
    "Shutdown": "storms_detected",
    "Restored": "storms_restored",
    "Total pkts dropped": "dropped_packets",
}


def _lines(text: str) -> list[str]:
    if not text.endswith("\n"):
        raise UnreadableError("the end of the output is missing")
    return plain(text).splitlines()


def pfc_priorities(text: str) -> dict[str, tuple[int, ...]]:
    """Parse ``show interface priority-flow-control``: the paused priorities of each port.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    lines = _lines(text)
    start = next((at for at, line in enumerate(lines) if _PFC_HEADER.fullmatch(line)), None)
    if start is None:
        raise UnreadableError("no table of PFC")
    by_name = {}
    for line in lines[start + 1 :]:
        if not line.strip() or set(line.strip()) == {"="}:
            continue
        row = row_of(_PFC_ROW, line, "PFC table")
        bitmap = int(row["bitmap"] or "0", 16)
        by_name[row["port"]] = tuple(number for number in range(CLASSES) if bitmap >> number & 1)
    return by_name


def queue_counters(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show queuing interface``: unicast packets and drops of each egress queue.

    Raises
    ------
    UnreadableError
        When there is no such table, or a group of it is incomplete.
    """
    counters: dict[tuple[str, int], QueueCounters] = {}
    key: tuple[str, int] | None = None
    port = ""
    for line in _lines(text):
        if egress := _EGRESS.fullmatch(line):
            port, key = egress[1], None
        elif port and (group := _GROUP.fullmatch(line)):
            key = (port, int(group[1]))
            counters[key] = QueueCounters()
        elif _HEADING.fullmatch(line):
            key = None
        elif line.startswith(("|", "+")):
            if not port or not _TABLE_LINE.fullmatch(line):
                raise UnreadableError(f"cannot read the line {line!r} of the queues")
            if key:
                counters[key] = _counted(counters[key], line)
        elif line.strip():
            key = None
    _complete(counters)
    return counters


def _counted(queue: QueueCounters, line: str) -> QueueCounters:
    for word, number in _CELL.findall(line):
        if word == "Tx Pkts":
            queue = replace(queue, packets=int(number))
        else:
            queue = replace(queue, dropped_packets=int(number))
    return queue


def _complete(found: dict[tuple[str, int], QueueCounters]) -> None:
    for (port, group), queue in found.items():
        if queue.packets is None or queue.dropped_packets is None:
            raise UnreadableError(f"group {group} of {port} has no counters")
    if not found:
        raise UnreadableError("no queues in the answer")


def pfc_counters(text: str) -> dict[str, PfcCounters]:
    """Parse ``show queuing interface``: pause frames of each port by priority.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    counters = {}
    for port, rows in _pfc_tables(_lines(text)):
        received: list[int | None] = [None] * CLASSES
        sent: list[int | None] = [None] * CLASSES
        for row in rows:
            counted = row_of(_PFC_CLASS, row, "pause frames")
            received[int(counted["cos"])] = int(counted["received"])
            sent[int(counted["cos"])] = int(counted["sent"])
        counters[port] = PfcCounters(tuple(received), tuple(sent))
    if not counters:
        raise UnreadableError("no pause frames in the answer")
    return counters


def _pfc_tables(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    port = ""
    rows: list[str] | None = None
    for line in lines:
        if ingress := _INGRESS.fullmatch(line):
            port = ingress[1]
        elif port and _PFC_COLUMNS.fullmatch(line):
            rows = []
        elif rows is not None and set(line.strip()) == {"-"}:
            yield port, rows
            port, rows = "", None
        elif rows is not None:
            rows.append(line)
    if rows is not None:
        raise UnreadableError("the end of the pause frames is missing")


def watchdog(text: str) -> dict[tuple[str, int], WatchdogState]:
    """Parse ``show queuing pfc-queue detail``: what the watchdog of each no-drop queue has counted.

    A port whose watchdog is switched off has none: that is no storm.

    Raises
    ------
    UnreadableError
        When there is no such output, or a queue of it is incomplete.
    """
    watchdogs: dict[tuple[str, int], WatchdogState] = {}
    port, enabled = "", False
    key: tuple[str, int] | None = None
    for line in _lines(text):
        if watched := _WATCHED.fullmatch(line):
            port, enabled, key = watched[1], watched[2] == "Enabled", None
        elif enabled and (group := _WATCHED_GROUP.fullmatch(line)):
            key = (port, int(group[1]))
            watchdogs[key] = WatchdogState(operational=None)
        elif key and (cell := _WATCHED_CELL.fullmatch(line)) and cell[1] in _WATCHED_FIELDS:
            counted: dict[str, Any] = {_WATCHED_FIELDS[cell[1]]: int(cell[2])}
            watchdogs[key] = replace(watchdogs[key], **counted)
    for (name, number), state in watchdogs.items():
        if None in (state.storms_detected, state.storms_restored, state.dropped_packets):
            raise UnreadableError(f"the watchdog of {name}, group {number}, has no counters")
    if not port:
        raise UnreadableError("no watchdog in the answer")
    return watchdogs
