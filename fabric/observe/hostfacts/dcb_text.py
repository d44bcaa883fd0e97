"""``dcb OBJECT show`` as text, for systems whose ``dcb`` was called without ``-j``.

iproute2/iproute2, dcb/ and lib/json_print_math.c at ee2a4a86. JSON is exact, text rounds sizes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.units import gib_to_bytes, kib_to_bytes, mib_to_bytes
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.dcb import DSCPS, PRIORITIES, TSA, DcbBuffer, DcbEts, DcbPfc
from fabric.observe.hostfacts.values import choice, number, shown, whole_lines
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
_U16 = 2**16 - 1


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


def _one(words_of: Mapping[str, list[str]], name: str) -> str:
    words = words_of.get(name, [])
    if len(words) != 1:
        raise UnreadableError(f"dcb printed no {name}")
    return words[0]


def _array(words: Mapping[str, list[str]], name: str) -> tuple[str, ...]:
    pairs = [word.partition(":")[::2] for word in words.get(name, [])]
    if [key for key, _ in pairs] != [str(place) for place in range(PRIORITIES)]:
        raise UnreadableError(f"dcb printed no {name} for each of {PRIORITIES}")
    return tuple(value for _, value in pairs)


def _on(word: str) -> bool:
    return choice(word, ("on", "off"), "state") == "on"


@reads("dcb_pfc_text", "dcb -s pfc show dev {interface}")
def parse_dcb_pfc_text(text: str) -> DcbPfc:
    """Parse PFC, or raise UnreadableError."""
    words = _words(text)
    counters = [
        tuple(number(word, name) for word in _array(words, name)) if name in words else None
        for name in ("requests", "indications")
    ]
    return DcbPfc(
        tuple(_on(word) for word in _array(words, "prio-pfc")),
        number(_one(words, "delay"), "delay", high=_U16),
        number(_one(words, "pfc-cap"), "number of priorities", high=PRIORITIES),
        *counters,
    )


@reads("dcb_ets_text", "dcb ets show dev {interface}")
def parse_dcb_ets_text(text: str) -> DcbEts:
    """Parse ETS, or raise UnreadableError."""
    words = _words(text)
    return DcbEts(
        _on(_one(words, "willing")),
        tuple(choice(word, TSA, "selection algorithm") for word in _array(words, "tc-tsa")),
        tuple(number(word, "percent", high=100) for word in _array(words, "tc-bw")),
        tuple(number(word, "traffic class", high=7) for word in _array(words, "prio-tc")),
    )


@reads("dcb_buffer_text", "dcb buffer show dev {interface}")
def parse_dcb_buffer_text(text: str) -> DcbBuffer:
    """Parse the receive buffers; ``Kb`` is rounded by up to 16 bytes, ``Mb`` by up to a kibibyte.

    Raises
    ------
    UnreadableError
        When something is missing.
    """
    words = _words(text)
    return DcbBuffer(
        tuple(number(word, "buffer", high=7) for word in _array(words, "prio-buffer")),
        tuple(_size(word) for word in _array(words, "buffer-size")),
        _size(_one(words, "total-size")),
    )


def _size(word: str) -> int:
    match = _SIZE.fullmatch(word)
    if not match:
        raise UnreadableError(f"{shown(word)} is not a size")
    return round(_TO_BYTES[match[2]](int(match[1])))


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
