"""``mlnx_qos`` (Mellanox/mlnx-tools): the QoS state of one NIC."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bps
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRIORITIES = 8
_PERCENT = 100
_TRAFFIC_CLASS = re.compile(
    r"tc: ([0-7]) ratelimit: (?:unlimited|[0-9]{1,7}\.[0-9]{1,3} Gbps)"
    r", tsa: (strict|ets|vendor|unknown)(?:, bw: ([0-9]{1,3})%)?"
)
#: Every line that a version of the tool is known to print (Mellanox/mlnx-tools python/mlnx_qos);
#: another one is the mark of a garbled answer. Versions before DSCP print ``default priority``.
_LINES = re.compile(
    r"|\*{3,} WARNING: .*|[ \t]*\*+[ \t]*"
    r"|(Buffers commands|Rate limit|Priority trust state) (is|are) not supported on your system!?"
    r"|DCBX mode: (OS|Firmware) controlled|Priority trust state:[ \t]*(pcp|dscp|none)[ \t]*"
    r"|[ \t]*default priority:.*|dscp2prio mapping:[ \t]*|[ \t]*prio:.*"
    r"|Receive buffer size \(bytes\):.*|Cable len:[ \t]*[0-9]{1,5}[ \t]*|PFC configuration:[ \t]*"
    r"|[ \t]*(priority|enabled|buffer)([ \t]+[0-9]){8}[ \t]*"
    r"|[ \t]*tc:.*|[ \t]*priority:[ \t]*[0-7][ \t]*"
)
#: Eight sizes; older versions of the tool do not print the largest.
_BUFFERS = re.compile(r"((?:[0-9]{1,9},){7}[0-9]{1,9},?)(?:max_buffer_size=([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class NicQos:
    """What ``mlnx_qos`` prints for one NIC; ``unknown`` is what it leaves out.

    ``dcbx`` is who decides: ``os``, or ``fw`` for the firmware of the NIC. Buffers are None where
    the driver does not show them; a traffic class without a limit is not in ``rate_limit_bps``.
    """

    dcbx: str
    trust: str
    pfc: tuple[int, ...]
    dscp_to_priority: Mapping[int, int]
    priority_to_traffic_class: tuple[int, ...]
    tsa: Mapping[int, str]
    bandwidth_percent: Mapping[int, int]
    cable_m: int | None
    buffer_bytes: tuple[int, ...] | None = None
    max_buffer_bytes: int | None = None
    priority_to_buffer: tuple[int, ...] | None = None
    rate_limit_bps: Mapping[int, int] = field(default_factory=dict)


def mlnx_qos(text: str) -> NicQos:
    """Parse the state that ``mlnx_qos -i IF`` prints, in any of its versions.

    Raises
    ------
    UnreadableError
        When a line is none of the tool, there is no PFC configuration, or its end is missing.
    """
    text = plain(text)
    strange = next((line for line in text.splitlines() if not _LINES.fullmatch(line)), "")
    if strange:
        raise UnreadableError(f"mlnx_qos does not print {strange[:80]!a}")
    trust = re.search(r"^Priority trust state:[ \t]*(pcp|dscp|none)[ \t]*$", text, re.MULTILINE)
    enabled = re.findall(r"^[ \t]*enabled((?:[ \t]+[01]){8})[ \t]*$", text, re.MULTILINE)
    if len(enabled) != 1 or ("Priority trust state:" in text and not trust):
        raise UnreadableError("mlnx_qos printed no PFC configuration or no trust state")
    cable = re.search(r"^Cable len:[ \t]*([0-9]{1,5})[ \t]*$", text, re.MULTILINE)
    if "Cable len" in text and not cable:
        raise UnreadableError("mlnx_qos printed no number as length of the cable")
    if trust and trust[1] == "dscp" and "dscp2prio mapping:" not in text:
        raise UnreadableError("mlnx_qos printed no priorities of DSCPs")
    classes, tsa, bandwidth = _traffic_classes(text)
    sizes, largest = _buffers(text)
    return NicQos(
        dcbx=_dcbx(text),
        trust=trust.group(1) if trust else "unknown",
        pfc=tuple(int(bit) for bit in enabled[0].split()),
        dscp_to_priority=_dscp_map(text),
        priority_to_traffic_class=classes,
        tsa=tsa,
        bandwidth_percent=bandwidth,
        cable_m=int(cable.group(1)) if cable else None,
        buffer_bytes=sizes,
        max_buffer_bytes=largest,
        priority_to_buffer=_priority_to_buffer(text),
        rate_limit_bps=_rate_limits(text),
    )


def _buffers(text: str) -> tuple[tuple[int, ...] | None, int | None]:
    title = "Receive buffer size (bytes):"
    lines = [line for line in text.splitlines() if line.startswith(title)]
    if not lines:
        return None, None
    match = _BUFFERS.fullmatch(lines[0].removeprefix(title).strip())
    if not match or len(lines) != 1:
        raise UnreadableError("mlnx_qos printed buffers that cannot be")
    sizes = tuple(int(size) for size in match[1].rstrip(",").split(","))
    return sizes, int(match[2]) if match[2] else None


def _priority_to_buffer(text: str) -> tuple[int, ...] | None:
    lines = [line.split() for line in text.splitlines() if line.split()[:1] == ["buffer"]]
    if not lines:
        return None
    numbers = lines[0][1:]
    if len(lines) != 1 or len(numbers) != _PRIORITIES or not set(numbers) <= set("01234567"):
        raise UnreadableError("mlnx_qos printed no buffer for each priority")
    return tuple(int(number) for number in numbers)


def _rate_limits(text: str) -> dict[int, int]:
    limits = re.findall(
        r"^tc: ([0-7]) ratelimit: ([0-9]{1,7}\.[0-9]{1,3}) Gbps", text, re.MULTILINE
    )
    return {int(number): round(gbps_to_bps(float(rate))) for number, rate in limits}


def _dscp_map(text: str) -> dict[int, int]:
    priorities: dict[int, int] = {}
    for line in text.splitlines():
        if not line.strip().startswith("prio:"):
            continue
        match = re.fullmatch(r"\s*prio:([0-7])\s+dscp:((?:\d\d,)+)\s*", line)
        dscps = [int(dscp) for dscp in match[2].split(",") if dscp] if match else []
        if not match or max(dscps) >= DSCPS or priorities.keys() & dscps:
            message = f"mlnx_qos printed a line of its DSCP map that cannot be: {line[:80]!a}"
            raise UnreadableError(message)
        priorities.update(dict.fromkeys(dscps, int(match[1])))
    return priorities


def _traffic_classes(text: str) -> tuple[tuple[int, ...], dict[int, str], dict[int, int]]:
    classes: dict[int, int] = {}
    tsa: dict[int, str] = {}
    bandwidth: dict[int, int] = {}
    current = -1
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("tc:"):
            current, word, percent = _traffic_class(words)
            tsa[current], bandwidth[current] = word, percent
        elif re.fullmatch(r"priority:\s*[0-7]", words) and current >= 0:
            priority = int(words[-1])
            if priority in classes:
                raise UnreadableError(f"mlnx_qos printed priority {priority} twice")
            classes[priority] = current
    if len(classes) != _PRIORITIES:
        raise UnreadableError("mlnx_qos did not print a traffic class for every priority")
    return tuple(classes[priority] for priority in range(_PRIORITIES)), tsa, bandwidth


def _traffic_class(line: str) -> tuple[int, str, int]:
    match = _TRAFFIC_CLASS.fullmatch(line)
    percent = int(match[3] or 0) if match else 0
    if not match or (match[2] == "ets") != (match[3] is not None) or percent > _PERCENT:
        raise UnreadableError(f"mlnx_qos printed a traffic class that cannot be: {line[:80]!a}")
    return int(match[1]), match[2], percent


def _dcbx(text: str) -> str:
    owner = re.search(r"^DCBX mode: (OS|Firmware) controlled", text, re.MULTILINE)
    return {"OS": "os", "Firmware": "fw"}[owner.group(1)] if owner else "unknown"
