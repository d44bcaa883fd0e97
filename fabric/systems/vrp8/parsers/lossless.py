"""PFC, marking and queues.

Known: samples and meanings of the CloudEngine V300R023C00 command reference (WheaterW/INTA-project
@ 9308062d): display dcb pfc, display dcb pfc deadlock trigger status, display qos ecn statistics,
display qos queue statistics. They are no captures of a switch. Assumed: in tables with several rows
of a port, only the first names it, as in display dcb pfc deadlock trigger status.
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import first_match, row_of
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    PfcCounters,
    QueueCounters,
    WatchdogState,
)
from fabric.systems.vrp8.parsers.text import END, blocks, table, whole_configuration, whole_lines

CLASSES = 8
#: The built-in profile pauses this priority (command reference, dcb pfc).
BUILT_IN = ("default", {3})
_PORT = r"\d+GE\d+/\d+/\d+(?::\d+)?"
_INTERFACE = re.compile(rf"interface ({_PORT})")
_PROFILE = re.compile(r"dcb pfc(?: (?!dscp|deadlock|global|uplink)(\S+))?")
_ENABLE = re.compile(r"dcb pfc enable(?: (?!mode )(\S+))?(?: mode (?:auto|manual))?")
_PRIORITY = re.compile(r"(undo )?priority((?: \d)+)")
_TRIGGER = re.compile(
    rf"(?P<port>{_PORT})?\s+(?P<queue>[0-7])\s+(?:TurnOff|ErrorDown)\s+\d+\s+(?P<status>\w+)\s*"
)
_STATES = {"TurnOff", "LinkUp", "LinkDown", "ErrorDown", "ShutDown"}
_RECEIVED = re.compile(
    rf"(?P<port>{_PORT})?\s+(?P<queue>[0-7])\s+(?P<frames>\d+)\s+\d+\s+(?P<count>\d+)\s*"
)
_SENT = re.compile(r"\s+(?P<frames>\d+)\s+\d+\s+(?P<count>\d+)\s*")
_MARKED = re.compile(rf"({_PORT})\s+(\d+)\s*")
_DROP = re.compile(r"ecn buffer-size low-limit (\d+) high-limit (\d+) discard-percentage (\d+)")
_QUEUE_INFO = re.compile(rf"\s*Queue statistics info: interface ({_PORT})\s*")
_QUEUE = re.compile(
    r"\s+(?P<queue>[0-7])\s+\d+\s+(?P<passed>\d+)\s+\d+\s+(?P<dropped>\d+)\s+\d+\s.*"
)
_QUEUE_BYTES = re.compile(r"\s+\d+\s+\d+\s+\d+\s+\d+\s+\d+\s*")
_TABLE_HEAD = r"Interface\s+Queue\s+TriggerMode\s+Threshold\s+Status\s*"


def pfc_priorities(text: str) -> dict[str, tuple[int, ...]]:
    """Parse the running configuration and, behind it, ``display dcb pfc deadlock trigger status``.

    Returns the priorities that each port pauses: those of its profile, without the queues where
    PFC was turned off after deadlocks.

    Raises
    ------
    UnreadableError
        When one of the two outputs is not whole, or a port names a profile that is not there.
    """
    config, values, status = text.replace("\r\n", "\n").partition(f"\n{END}\n")
    parts = blocks(whole_configuration(config + values))
    off = _turned_off(status)
    profiles = _profiles(parts)
    globally = ["dcb pfc global disable"] not in parts
    pausing: dict[str, tuple[int, ...]] = {}
    for port, lines in _ports(parts):
        names = [
            enabled[1] or BUILT_IN[0] for line in lines if (enabled := _ENABLE.fullmatch(line))
        ]
        if names and names[0] not in profiles:
            raise UnreadableError(f"{port} names the PFC profile {names[0]}, which is not there")
        queues = profiles[names[0]] if names and globally else set()
        pausing[port] = tuple(sorted(queue for queue in queues if (port, queue) not in off))
    return pausing


def _ports(parts: list[list[str]]) -> list[tuple[str, list[str]]]:
    named = ((_INTERFACE.fullmatch(block[0]), block) for block in parts)
    return [(values[1], [line.strip() for line in block[1:]]) for values, block in named if values]


def _profiles(parts: list[list[str]]) -> dict[str, set[int]]:
    name, built_in = BUILT_IN
    by_name = {name: set(built_in)}
    for block in parts:
        profile = _PROFILE.fullmatch(block[0])
        if not profile:
            continue
        queues = by_name.setdefault(profile[1] or name, set())
        for line in block[1:]:
            match = _PRIORITY.fullmatch(line.strip())
            numbers = {int(number) for number in match[2].split()} if match else set()
            if match and match[1]:
                queues -= numbers
            else:
                queues |= numbers
    return by_name


def _turned_off(text: str) -> set[tuple[str, int]]:
    names = set()
    port = ""
    for line in table(whole_lines(text), _TABLE_HEAD):
        row = _TRIGGER.fullmatch(line)
        port = (row["port"] or port) if row else ""
        if not row or not port or row["status"] not in _STATES:
            raise UnreadableError(f"cannot read the row {line!r} of the deadlocks")
        if row["status"] == "TurnOff":
            names.add((port, int(row["queue"])))
    return names


def marking(text: str) -> dict[tuple[str, int], EcnState]:
    """Parse the running configuration: the thresholds of every marked queue of every port.

    Raises
    ------
    UnreadableError
        When it is not the whole configuration, or a threshold is not in bytes.
    """
    parts = blocks(whole_configuration(text))
    profiles = {
        block[0].removeprefix("drop-profile "): block[1:]
        for block in parts
        if block[0].startswith("drop-profile ")
    }
    by_name = {}
    for port, lines in _ports(parts):
        for queue in range(CLASSES):
            name = next(
                (x.split()[-1] for x in lines if x.startswith(f"qos queue {queue} wred ")), ""
            )
            if name and f"qos queue {queue} ecn" in lines:
                by_name[port, queue] = _thresholds(profiles.get(name, []))
    return by_name


def _thresholds(lines: list[str]) -> EcnState:
    matched = first_match(_DROP, [line.strip() for line in lines])
    if matched is None:
        raise UnreadableError("a queue is marked by thresholds that are not in bytes, or not there")
    return EcnState(int(matched[1]), int(matched[2]), float(matched[3]))


def _pfc_rows(text: str) -> list[tuple[str, int, re.Match[str], re.Match[str]]]:
    rows = table(whole_lines(text), r"Interface\s+Queue\s+Received\(Frames\)\s.*")
    items = []
    port = ""
    if len(rows) % 2:
        raise UnreadableError("a row of PFC is missing")
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        received, sent = _RECEIVED.fullmatch(first), _SENT.fullmatch(second)
        port = (received["port"] or port) if received else ""
        if not received or not sent or not port:
            raise UnreadableError(f"cannot read the rows {first!r} and {second!r} of PFC")
        items.append((port, int(received["queue"]), received, sent))
    return items


def pfc_counters(text: str) -> dict[str, PfcCounters]:
    """Parse ``display dcb pfc``: pause frames of each port by priority.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    counted: dict[str, tuple[list[int | None], list[int | None]]] = {}
    for port, queue, received, sent in _pfc_rows(text):
        lists = counted.setdefault(port, ([None] * CLASSES, [None] * CLASSES))
        lists[0][queue], lists[1][queue] = int(received["frames"]), int(sent["frames"])
    return {port: PfcCounters(tuple(seen), tuple(sent)) for port, (seen, sent) in counted.items()}


def watchdog(text: str) -> dict[tuple[str, int], WatchdogState]:
    """Parse ``display dcb pfc``: deadlocks and recoveries, not whether there is one now.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    return {
        (port, queue): WatchdogState(
            operational=None,
            storms_detected=int(received["count"]),
            storms_restored=int(sent["count"]),
        )
        for port, queue, received, sent in _pfc_rows(text)
    }


def marked(text: str) -> dict[str, InterfaceState]:
    """Parse ``display qos ecn statistics``: one counter of marked packets for a whole port.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    interfaces = {}
    for line in table(whole_lines(text), r"Interface\s+ECN-marked packets\s*"):
        row = row_of(_MARKED, line, "marked packets")
        interfaces[row[1]] = InterfaceState(counters={"out_ecn_marked_packets": int(row[2])})
    return interfaces


def queue_counters(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``display qos queue statistics slot 1``: packets and drops of every queue.

    Raises
    ------
    UnreadableError
        When there is no such output, or a port has not all of its queues.
    """
    counters: dict[tuple[str, int], QueueCounters] = {}
    port = ""
    seen: dict[str, list[int]] = {}
    for line in whole_lines(text):
        if info := _QUEUE_INFO.fullmatch(line):
            port = info[1]
            seen[port] = []
        elif port and (row := _QUEUE.fullmatch(line)):
            seen[port].append(int(row["queue"]))
            counters[port, int(row["queue"])] = QueueCounters(
                int(row["passed"]), int(row["dropped"])
            )
        elif port and not _is_furniture(line):
            raise UnreadableError(f"cannot read the line {line!r} of the queues")
    if not counters or any(queues != list(range(CLASSES)) for queues in seen.values()):
        raise UnreadableError("a port has not all of its queues, or there is none")
    return counters


def _is_furniture(line: str) -> bool:
    """Tell whether a line of the queues is head, rule, or the bytes below the packets."""
    words = line.split()
    head = bool(words) and (words[0] == "Queue" or words[0].startswith("(%"))
    return not words or head or set(words[0]) == {"-"} or bool(_QUEUE_BYTES.fullmatch(line))
