"""dcb of a GPU host, over the same driver as mlnx_qos.

Known: iproute2 6.1 (dcb/*.c: arguments ``key:value`` with the key ``all``, JSON and text forms;
``app replace`` ends with 0 when the kernel refuses); Linux mlx5 (core/en_dcbnl.c: only the DSCP
selector is taken, one priority for each DSCP, ``delay`` is the cable length, ETS bandwidths sum to
100, another PFC mask toggles the link). Assumed: no other object than app, buffer, dcbx, ets, pfc;
words of text are printed without names of DSCPs, as ``-N`` does. With ``-s`` come the counters of
PFC (dcb/dcb_pfc.c and dcb_maxrate.c at ee2a4a86): ``requests`` were sent, ``indications`` received
(IEEE 802.1Q, 12.23); limits of rates are bytes per second since 6.18.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.lab.shell.state import Result
from fabric.qos.dscps import DSCPS
from fabric.systems.host.lab.qos import TOTAL_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn
    from fabric.systems.host.lab.qos import NicQos

_COUNT = 8
_PERCENT = 100
_MAX_CABLE_M = 1000
_KILOBIT = 1000
_APP_VERBS = {("app", "replace"), ("app", "flush")}
_WORDS = {
    "pfc": {"prio-pfc", "delay", "macsec-bypass"},
    "ets": {"willing", "prio-tc", "tc-tsa", "tc-bw"},
    "buffer": {"prio-buffer", "buffer-size"},
    "app": {"dscp-prio"},
    "dcbx": {"host", "lld-managed", "cee", "ieee", "static"},
}


class _RefusedError(Exception):
    """The tool ends with 1."""


def command(host: HostStandIn) -> Tool:
    """Return the command dcb of a host."""

    def run(context: Context, argv: list[str], _stdin: str) -> Result:
        flags = [word for word in argv[1:] if word.startswith("-")]
        words = [word for word in argv[1:] if not word.startswith("-")]
        if set(flags) - {"-j", "-p", "-s", "-N"}:
            return Result("", f"dcb: unsupported option {min(flags)}\n", 1)
        match words:
            case ["maxrate", "show", "dev", name] if name in host.qos and "-j" in flags:
                rates = [rate * _KILOBIT // 8 for rate in host.qos[name].rates]
                return Result(json.dumps({"tc_maxrate": rates}) + "\n")
        try:
            return Result(_answer(host, context, words, flags))
        except _RefusedError as refusal:
            return Result("", f"{refusal}\n", 1)

    return run


def _answer(host: HostStandIn, context: Context, words: list[str], flags: list[str]) -> str:
    match words:
        case [what, verb, "dev", name, *rest] if what in _WORDS:
            qos = host.qos.get(name)
        case _:
            raise _RefusedError(f'Object "{" ".join(words[:1])}" is unknown, try "dcb help".')
    if qos is None:
        raise _RefusedError(f'Cannot find device "{name}"')
    if verb == "show":
        text = _show(what, qos, rest, flags)
        counted = what == "pfc" and not rest and {"-j", "-s"} <= set(flags)
        return _with_counts(host, name, text) if counted else text
    if (what, verb) not in {(w, "set") for w in _WORDS} - {("app", "set")} | _APP_VERBS:
        raise _RefusedError(f'What is "{verb}"?')
    if not context.root:
        raise _RefusedError("Attribute write: Operation not permitted")
    if verb == "flush":
        qos.dscp.clear()
        return ""
    _CHANGES[what](qos, _arguments(what, rest))
    return ""


def _with_counts(host: HostStandIn, name: str, text: str) -> str:
    counts = host.counters.of_driver(name)
    row = json.loads(text)
    for member, way in (("requests", "tx"), ("indications", "rx")):
        row[member] = [counts[f"{way}_prio{number}_pause"] for number in range(_COUNT)]
    return json.dumps(row) + "\n"


def _arguments(what: str, words: list[str]) -> dict[str, list[str]]:
    arguments: dict[str, list[str]] = {}
    current: list[str] = []
    for word in words:
        if word in _WORDS[what]:
            current = arguments.setdefault(word, [])
        elif not arguments:
            raise _RefusedError(f'What is "{word}"?')
        else:
            current.append(word)
    return arguments


def _mapped(pairs: list[str], old: list[Any], read: Callable[[str], Any]) -> list[Any]:
    """Return an array with some elements set; ``all`` sets each."""
    new = list(old)
    for pair in pairs:
        key, _, value = pair.partition(":")
        if key == "all":
            new = [read(value)] * len(new)
        elif key.isdigit() and int(key) < len(new):
            new[int(key)] = read(value)
        else:
            raise _RefusedError(f'"{pair}" is not a valid argument')
    return new


def _below(high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdigit() or int(text) >= high:
            raise _RefusedError(f'"{text}" is out of range')
        return int(text)

    return read


def _one_of(words: dict[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in words:
            raise _RefusedError(f'"{text}" is not one of {", ".join(words)}')
        return words[text]

    return read


def _set_pfc(qos: NicQos, given: dict[str, list[str]]) -> None:
    if "delay" in given:
        metres = _below(2**16)(given["delay"][0])
        qos.cable_m = metres if 0 < metres < _MAX_CABLE_M else qos.cable_m
    qos.set_pfc(_mapped(given.get("prio-pfc", []), qos.pfc, _one_of({"on": 1, "off": 0})))


def _set_ets(qos: NicQos, given: dict[str, list[str]]) -> None:
    _one_of({"on": 1, "off": 0})(given.get("willing", ["off"])[0])
    kinds = {"strict": "strict", "ets": "ets", "vendor": "vendor"}
    tsa = _mapped(given.get("tc-tsa", []), qos.tsa, _one_of(kinds))
    shares = _mapped(given.get("tc-bw", []), qos.bandwidth, _below(_PERCENT + 1))
    classes = _mapped(given.get("prio-tc", []), qos.prio_tc, _below(_COUNT))
    total = sum(share for share, kind in zip(shares, tsa, strict=True) if kind == "ets")
    if "ets" in tsa and total != _PERCENT:
        raise _RefusedError("Attribute write: Invalid argument")
    qos.tsa, qos.bandwidth, qos.prio_tc = tsa, shares, classes


def _set_buffer(qos: NicQos, given: dict[str, list[str]]) -> None:
    sizes = _mapped(given.get("buffer-size", []), qos.buffer_bytes, _below(2**32))
    buffers = _mapped(given.get("prio-buffer", []), qos.buffer_of, _below(_COUNT))
    if sum(sizes) > TOTAL_BYTES or any(not sizes[number] for number in buffers):
        raise _RefusedError("Attribute write: Invalid argument")
    qos.buffer_bytes, qos.buffer_of = sizes, buffers


def _replace_app(qos: NicQos, given: dict[str, list[str]]) -> None:
    for pair in given.get("dscp-prio", []):
        key, _, value = pair.partition(":")
        qos.dscp[_below(DSCPS)(key)] = _below(_COUNT)(value)


def _set_dcbx(qos: NicQos, given: dict[str, list[str]]) -> None:
    if "lld-managed" in given:
        raise _RefusedError("Attribute write: Operation not supported")
    qos.os_controlled = "host" in given


_CHANGES = {
    "pfc": _set_pfc,
    "ets": _set_ets,
    "buffer": _set_buffer,
    "app": _replace_app,
    "dcbx": _set_dcbx,
}


def _show(what: str, qos: NicQos, rest: list[str], flags: list[str]) -> str:
    if set(rest) - _WORDS[what]:
        raise _RefusedError(f'What is "{rest[0]}"?')
    values = _values(what, qos)
    if "-j" in flags:
        return json.dumps({k.replace("-", "_"): v for k, v in values.items()}) + "\n"
    if what == "app":
        pairs = "".join(f"{dscp}:{priority} " for dscp, priority in values.get("dscp-prio", []))
        return f"dscp-prio {pairs}\n" if pairs else ""
    if what == "dcbx":
        return "".join(f"{name} " for name in values) + "\n"
    single = {name: value for name, value in values.items() if not isinstance(value, list)}
    rows = [[pair] for pair in values.items() if pair[0] not in single]
    return "".join(
        "".join(f"{name} {_text(value)} " for name, value in row) + "\n"
        for row in (list(single.items()), *rows)
        if row
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(f"{number}:{_text(item)}" for number, item in enumerate(value))
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _values(what: str, qos: NicQos) -> dict[str, Any]:
    if what == "pfc":
        pauses = [bool(bit) for bit in qos.pfc]
        return {"pfc-cap": _COUNT, "macsec-bypass": False, "delay": qos.cable_m, "prio-pfc": pauses}
    if what == "ets":
        head = {"willing": False, "ets-cap": _COUNT, "cbs": False, "tc-bw": qos.bandwidth}
        return head | {"pg-bw": [0] * _COUNT, "tc-tsa": qos.tsa, "prio-tc": qos.prio_tc}
    if what == "buffer":
        sizes = {"prio-buffer": qos.buffer_of, "buffer-size": qos.buffer_bytes}
        return sizes | {"total-size": TOTAL_BYTES}
    if what == "app":
        return {"dscp-prio": [list(pair) for pair in sorted(qos.dscp.items())]} if qos.dscp else {}
    return {"host": True, "ieee": True} if qos.os_controlled else {"ieee": True}
