"""``dcb -j OBJECT show``, and the same as text (iproute2/iproute2, dcb/ at ee2a4a86).

Text is for systems whose ``dcb`` was called without ``-j`` (lib/json_print_math.c): it is brought
into the form of the JSON. JSON is exact, text rounds sizes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.units import gib_to_bytes, kib_to_bytes, mib_to_bytes
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import flag, items, read_json, whole
from fabric.observe.hostfacts.values import choice, number, shown, whole_lines
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PRIORITIES = 8
DSCPS = 64
TSA = ("strict", "cbs", "ets", "vendor")
_SIZE = re.compile(r"([0-9]{1,10})(b|Kb|Mb|Gb)")
_NAME = re.compile(r"[a-z][a-z-]{1,20}")
#: etc/iproute2/rt_dsfield: class selectors (RFC 2474), assured forwarding (RFC 2597), expedited
#: forwarding (RFC 3246).
_DSCP_NAMES = {
    **{f"CS{number}": 8 * number for number in range(8)},
    **{f"AF{row}{drop}": 8 * row + 2 * drop for row in range(1, 5) for drop in range(1, 4)},
    "EF": 46,
    "default": 0,
}
_TO_BYTES: Mapping[str, Callable[[float], float]] = {
    "b": float,
    "Kb": kib_to_bytes,
    "Mb": mib_to_bytes,
    "Gb": gib_to_bytes,
}
_DIGITS = re.compile(r"[0-9]{1,20}")
_BYTE = 255
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


def _words(text: str) -> dict[str, list[str]]:
    """Return the words after each name: ``pfc-cap 8 delay 7`` holds two names."""
    words: dict[str, list[str]] = {}
    current: list[str] | None = None
    for word in (word for line in whole_lines(text) for word in line.split()):
        if _NAME.fullmatch(word) and word not in {"on", "off"}:
            current = words.setdefault(word, [])
            if current:
                raise UnreadableError(f"dcb printed {word} twice")
        elif current is None:
            raise UnreadableError(f"dcb printed {shown(word)}")
        else:
            current.append(word)
    return words


def _row(text: str) -> Mapping[str, Any]:
    """Return a text in the form of the JSON: ``prio-pfc 0:off 1:on ...`` is a list of eight."""
    row: dict[str, Any] = {}
    for name, words in _words(text).items():
        pairs = [word.partition(":")[::2] for word in words]
        key = name.replace("-", "_")
        if [place for place, _ in pairs] == [str(place) for place in range(PRIORITIES)]:
            row[key] = [_value(key, word) for _, word in pairs]
        elif len(words) == 1:
            row[key] = _value(key, words[0])
        else:
            raise UnreadableError(f"dcb printed {name} otherwise")
    return row


def _value(key: str, word: str) -> object:
    if key in {"buffer_size", "total_size"}:
        return _size(word)
    return int(word) if _DIGITS.fullmatch(word) else {"on": True, "off": False}.get(word, word)


def _size(word: str) -> int:
    match = _SIZE.fullmatch(word)
    if not match:
        raise UnreadableError(f"{shown(word)} is not a size")
    return round(_TO_BYTES[match[2]](int(match[1])))


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
    return _pfc(_object(text))


@reads("dcb_pfc_text", "dcb -s pfc show dev {interface}")
def parse_dcb_pfc_text(text: str) -> DcbPfc:
    """Parse PFC, or raise UnreadableError."""
    return _pfc(_row(text))


def _pfc(row: Mapping[str, Any]) -> DcbPfc:
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
    return _ets(_object(text))


@reads("dcb_ets_text", "dcb ets show dev {interface}")
def parse_dcb_ets_text(text: str) -> DcbEts:
    """Parse ETS, or raise UnreadableError."""
    return _ets(_row(text))


def _ets(row: Mapping[str, Any]) -> DcbEts:
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
    return _buffer(_object(text))


@reads("dcb_buffer_text", "dcb buffer show dev {interface}")
def parse_dcb_buffer_text(text: str) -> DcbBuffer:
    """Parse the receive buffers; ``Kb`` is rounded by up to 16 bytes, ``Mb`` by up to a kibibyte.

    Raises
    ------
    UnreadableError
        When something is missing.
    """
    return _buffer(_row(text))


def _buffer(row: Mapping[str, Any]) -> DcbBuffer:
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


@reads("dcb_maxrate", "dcb -j maxrate show dev {interface}")
def parse_dcb_maxrate(text: str) -> tuple[int, ...]:
    """Parse the limits by traffic class as printed, 0 without one; raise UnreadableError.

    Notes
    -----
    The unit is bytes per second since iproute2 6.18. Before, the JSON holds kbit/s as the kernel
    has them, and the text shows these as if they were bytes per second. The output does not say
    which: these are rates only to those who know the version of ``dcb``.
    """
    return _numbers(_object(text), "tc_maxrate", 2**64 - 1)


@reads("dcb_app_text", "dcb app show dev {interface}")
def parse_dcb_app_text(text: str) -> Mapping[int, int]:
    """Parse the priority of each DSCP, by number or name; an empty table prints nothing.

    Raises
    ------
    UnreadableError
        When a DSCP is none or has two priorities, and for an empty output.
    """
    priorities: dict[int, int] = {}
    for line in whole_lines(text):
        name, *words = line.split() or [""]
        if name and not _NAME.fullmatch(name):
            raise UnreadableError(f"dcb printed {shown(name)}")
        for word in words if name == "dscp-prio" else []:
            key, _, value = word.partition(":")
            dscp = _DSCP_NAMES.get(key)
            dscp = number(key, "DSCP", high=DSCPS - 1) if dscp is None else dscp
            if dscp in priorities:
                raise UnreadableError(f"dcb printed DSCP {dscp} twice")
            priorities[dscp] = number(value, "priority", high=PRIORITIES - 1)
    return priorities
