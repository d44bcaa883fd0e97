"""``dcb -j OBJECT show`` (iproute2/iproute2, dcb/ at ee2a4a86)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import flag, items, read_json, whole
from fabric.observe.hostfacts.values import choice, shown
from fabric.observe.parsers import UnreadableError
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from collections.abc import Mapping

PRIORITIES = 8
TSA = ("strict", "cbs", "ets", "vendor")
_U16 = 2**16 - 1
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class DcbPfc:
    """PFC of a port by priority; the counters are there when ``-s`` asked for them.

    ``delay`` is in bit times after IEEE 802.1Q; mlx5 takes it for metres of cable.
    ``requests`` were sent, ``indications`` received.
    """

    enabled: tuple[bool, ...]
    delay: int
    capability: int
    requests: tuple[int, ...] | None = None
    indications: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class DcbEts:
    """Scheduling of a port by traffic class, and the traffic class of each priority."""

    willing: bool
    tsa: tuple[str, ...]
    bandwidth_percent: tuple[int, ...]
    priority_to_traffic_class: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DcbBuffer:
    """Receive buffers of a port."""

    priority_to_buffer: tuple[int, ...]
    buffer_bytes: tuple[int, ...]
    total_bytes: int


def _object(text: str) -> Mapping[str, Any]:
    parsed = read_json(text)
    if not isinstance(parsed, dict):
        raise UnreadableError("dcb printed no object")
    return parsed


def _numbers(row: Mapping[str, Any], name: str, high: int) -> tuple[int, ...]:
    values = items(row, name)
    if len(values) != PRIORITIES or any(
        type(value) is not int or not 0 <= value <= high for value in values
    ):
        raise UnreadableError(f"{name} is {shown(values)}")
    return tuple(values)


@reads("dcb_pfc", "dcb -j -s pfc show dev {interface}")
def parse_dcb_pfc(text: str) -> DcbPfc:
    """Parse PFC, or raise UnreadableError."""
    row = _object(text)
    enabled = items(row, "prio_pfc")
    if len(enabled) != PRIORITIES or any(type(value) is not bool for value in enabled):
        raise UnreadableError(f"prio_pfc is {shown(enabled)}")
    high = 2**64 - 1
    return DcbPfc(
        tuple(enabled),
        whole(row, "delay", 0, _U16),
        whole(row, "pfc_cap", 0, PRIORITIES),
        _numbers(row, "requests", high) if "requests" in row else None,
        _numbers(row, "indications", high) if "indications" in row else None,
    )


@reads("dcb_ets", "dcb -j ets show dev {interface}")
def parse_dcb_ets(text: str) -> DcbEts:
    """Parse ETS, or raise UnreadableError."""
    row = _object(text)
    words = items(row, "tc_tsa")
    if len(words) != PRIORITIES:
        raise UnreadableError(f"tc_tsa is {shown(words)}")
    return DcbEts(
        flag(row, "willing"),
        tuple(choice(word, TSA, "selection algorithm") for word in words),
        _numbers(row, "tc_bw", _PERCENT),
        _numbers(row, "prio_tc", PRIORITIES - 1),
    )


@reads("dcb_buffer", "dcb -j buffer show dev {interface}")
def parse_dcb_buffer(text: str) -> DcbBuffer:
    """Parse the receive buffers, or raise UnreadableError."""
    row = _object(text)
    return DcbBuffer(
        _numbers(row, "prio_buffer", PRIORITIES - 1),
        _numbers(row, "buffer_size", 2**32 - 1),
        whole(row, "total_size", 0, 2**32 - 1),
    )


@reads("dcb_app", "dcb -j app show dev {interface}")
def parse_dcb_app(text: str) -> Mapping[int, int]:
    """Parse the priority of each DSCP in the application table; ``{}`` is an empty table.

    Since iproute2 6.5 (commit a245bfe1) a pair can hold a third, blank string: it says nothing.

    Raises
    ------
    UnreadableError
        When the output is something else, or a DSCP has two priorities.
    """
    row = _object(text)
    priorities: dict[int, int] = {}
    for pair in items(row, "dscp_prio") if "dscp_prio" in row else []:
        members = [member for member in pair if member != " "] if isinstance(pair, list) else []
        if [type(member) for member in members] != [int, int] or members[0] in priorities:
            raise UnreadableError(f"dscp_prio holds {shown(pair)}")
        dscp, priority = members
        if not (0 <= dscp < DSCPS and 0 <= priority < PRIORITIES):
            raise UnreadableError(f"dscp_prio holds {shown(pair)}")
        priorities[dscp] = priority
    return priorities


@reads("dcb_dcbx", "dcb -j dcbx show dev {interface}")
def parse_dcb_dcbx(text: str) -> frozenset[str]:
    """Parse the flags that are set, for instance ``host`` and ``ieee``; raise UnreadableError."""
    row = _object(text)
    known = ("host", "lld_managed", "cee", "ieee", "static")
    return frozenset(choice(name, known, "flag of DCBX") for name in row if flag(row, name))
