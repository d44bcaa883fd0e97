"""dcb of a GPU host: the same driver state as mlnx_qos, through iproute2.

Known: iproute2/iproute2, dcb/ at ee2a4a86: names of the JSON, ``key:value`` arrays with ``all``,
``{}`` for an empty application table, a blank third member in the pairs of that table since 6.5;
Linux mlx5 (core/en_dcbnl.c): the ``delay`` of PFC is taken for metres of cable, only DSCP entries
are accepted, an ETS share must sum to 100, ``app replace`` ends with 0 even when it was refused.
Assumed: only the objects pfc, ets, app, buffer, dcbx and maxrate; buffers and rates are shown
alone; text for people is not printed, so ``-j`` is needed to show.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.lab.shell_types import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.host import HostStandIn
    from fabric.lab.host_qos import NicQos
    from fabric.lab.shell_types import Context

_EIGHT = range(8)
_TOTAL_BYTES = 262016
_KILOBIT = 1000
_MAX_CABLE_M = 999
_PERCENT = 100


class _BadError(Exception):
    """The tool refuses its words, or the kernel a message."""


class Dcb:
    """The command."""

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self._show: dict[str, Callable[[str, NicQos], dict[str, Any]]] = {
            "pfc": self._show_pfc,
            "ets": _show_ets,
            "app": _show_app,
            "buffer": _show_buffer,
            "dcbx": _show_dcbx,
            "maxrate": _show_maxrate,
        }

    def command(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer dcb."""
        words = argv[1:]
        flags = set()
        while words and words[0].startswith("-"):
            flags.add(words.pop(0))
        if flags - {"-j", "-p", "-s", "-N"} or len(words) < 4 or words[2] != "dev":  # noqa: PLR2004
            return Result("", "dcb: bad command line\n", 1)
        what, verb, _, name, *rest = words
        if what not in self._show:
            return Result("", f'Object "{what}" is unknown, try "dcb help".\n', 255)
        qos = self._host.qos.get(name)
        if qos is None:
            return Result("", f'Device "{name}" not found\n', 1)
        if verb == "show":
            if "-j" not in flags or rest:
                return Result("", "dcb: only -j shows here\n", 1)
            row = self._show[what](name, qos)
            if what == "pfc" and "-s" not in flags:
                del row["requests"], row["indications"]
            return Result(json.dumps(row, separators=(",", ":")) + "\n")
        if not context.root:
            return Result("", "dcb: Attribute write: Operation not permitted\n", 1)
        try:
            _change(qos, what, verb, rest)
        except (_BadError, ValueError) as error:
            refused = f"dcb: {error}\n"
            return Result("", refused, 0 if (what, verb) == ("app", "replace") else 1)
        return Result()

    def _show_pfc(self, interface: str, qos: NicQos) -> dict[str, Any]:
        counts = self._host.counters.of_driver(interface)
        return {
            "pfc_cap": 8,
            "macsec_bypass": False,
            "delay": qos.cable_m,
            "prio_pfc": [bool(bit) for bit in qos.pfc],
            "requests": [counts[f"tx_prio{number}_pause"] for number in _EIGHT],
            "indications": [counts[f"rx_prio{number}_pause"] for number in _EIGHT],
        }


def _show_ets(_interface: str, qos: NicQos) -> dict[str, Any]:
    nothing = [0] * 8
    return {
        "willing": False,
        "ets_cap": 8,
        "cbs": False,
        "tc_bw": qos.bandwidth,
        "pg_bw": nothing,
        "tc_tsa": qos.tsa,
        "prio_tc": qos.prio_tc,
        "reco_tc_bw": nothing,
        "reco_tc_tsa": ["strict"] * 8,
        "reco_prio_tc": nothing,
    }


def _show_app(_interface: str, qos: NicQos) -> dict[str, Any]:
    pairs = [[dscp, priority, " "] for dscp, priority in sorted(qos.dscp.items())]
    return {"dscp_prio": pairs} if pairs else {}


def _show_buffer(_interface: str, qos: NicQos) -> dict[str, Any]:
    sizes = {"prio_buffer": qos.buffer_of, "buffer_size": qos.buffer_bytes}
    return {**sizes, "total_size": _TOTAL_BYTES}


def _show_dcbx(_interface: str, qos: NicQos) -> dict[str, Any]:
    return {"host": True, "ieee": True} if qos.os_controlled else {"ieee": True}


def _show_maxrate(_interface: str, qos: NicQos) -> dict[str, Any]:
    return {"tc_maxrate": [rate * _KILOBIT // 8 for rate in qos.rates]}


def _change(qos: NicQos, what: str, verb: str, words: list[str]) -> None:
    if what == "app":
        _change_app(qos, verb, words)
        return
    if verb != "set" or what not in ("pfc", "ets", "dcbx"):
        message = f'Command "{verb}" is unknown, try "dcb {what} help".'
        raise _BadError(message)
    if what == "dcbx":
        if not words or set(words) - {"host", "ieee"}:
            message = "Attribute write: Operation not supported"
            raise _BadError(message)
        qos.os_controlled = "host" in words
        return
    {"pfc": _set_pfc, "ets": _set_ets}[what](qos, _arrays(words))


def _arrays(words: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for word in words:
        if ":" in word or word in ("on", "off") or word.isdigit():
            current.append(word)
        else:
            current = found.setdefault(word, [])
    return found


def _filled(old: list[Any], pairs: list[str], convert: Callable[[str], Any]) -> list[Any]:
    """Return the array after ``key:value`` words; unnamed elements keep their value."""
    new = list(old)
    for pair in pairs:
        key, colon, value = pair.partition(":")
        if not colon or (key != "all" and not (key.isdigit() and int(key) in _EIGHT)):
            message = f'Invalid index "{key}"'
            raise _BadError(message)
        for number in _EIGHT if key == "all" else (int(key),):
            new[number] = convert(value)
    return new


def _switch(word: str) -> int:
    if word not in ("on", "off"):
        message = f'"{word}" is neither on nor off'
        raise _BadError(message)
    return int(word == "on")


def _below_eight(word: str) -> int:
    if not word.isdigit() or int(word) not in _EIGHT:
        message = f'"{word}" is no number from 0 to 7'
        raise _BadError(message)
    return int(word)


def _algorithm(word: str) -> str:
    if word not in ("strict", "ets", "vendor"):
        message = "Attribute write: Invalid argument"
        raise _BadError(message)
    return word


def _set_pfc(qos: NicQos, arrays: dict[str, list[str]]) -> None:
    if not arrays or set(arrays) - {"prio-pfc", "delay"}:
        message = f"What is {sorted(arrays)}?"
        raise _BadError(message)
    mask = _filled(qos.pfc, arrays.get("prio-pfc", []), _switch)
    for word in arrays.get("delay", []):
        if 0 < int(word) <= _MAX_CABLE_M:
            qos.cable_m = int(word)
    qos.set_pfc(mask)


def _set_ets(qos: NicQos, arrays: dict[str, list[str]]) -> None:
    known = {"prio-tc", "tc-tsa", "tc-bw", "willing"}
    if not arrays or set(arrays) - known:
        message = f"What is {sorted(set(arrays) - known)}?"
        raise _BadError(message)
    tsa = _filled(qos.tsa, arrays.get("tc-tsa", []), _algorithm)
    shares = _filled(qos.bandwidth, arrays.get("tc-bw", []), int)
    prio_tc = _filled(qos.prio_tc, arrays.get("prio-tc", []), _below_eight)
    total = sum(share for share, word in zip(shares, tsa, strict=True) if word == "ets")
    if "ets" in tsa and total != _PERCENT:
        message = "Attribute write: Invalid argument"
        raise _BadError(message)
    qos.tsa, qos.bandwidth, qos.prio_tc = tsa, shares, prio_tc


def _change_app(qos: NicQos, verb: str, words: list[str]) -> None:
    if words[:1] != ["dscp-prio"]:
        message = "Attribute write: Invalid argument"  # mlx5 takes no other selector
        raise _BadError(message)
    if verb == "flush":
        qos.dscp.clear()
        return
    if verb not in ("add", "replace", "del") or not words[1:]:
        message = f'Command "{verb}" is unknown, try "dcb app help".'
        raise _BadError(message)
    for pair in words[1:]:
        key, _, value = pair.partition(":")
        dscps = range(64) if key == "all" else (int(key),)
        if min(dscps) < 0 or max(dscps) not in range(64):
            message = f'Invalid DSCP "{key}"'
            raise _BadError(message)
        for dscp in dscps:
            if verb == "del":
                qos.dscp.pop(dscp, None)
            else:
                qos.dscp[dscp] = _below_eight(value)
