"""mlnx_qos of a GPU host, and the driver below it.

Known: Mellanox/mlnx-tools, python/mlnx_qos and python/Python/dcbnetlink.py (options, order of
processing, messages, output); Linux mlx5 (core/en_dcbnl.c): a change of the PFC mask toggles the
link, the cable length is kept only between 1 and 999, ETS bandwidths sum to 100, a driver load
puts priority 0 into TC 1 and priority 1 into TC 0. The back end is DCB netlink.
Assumed: sizes of the receive buffers; the options of optparse may not be abbreviated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn

page = pages(__file__)
TOTAL_BYTES = 262016
_RATE_UNIT = 1000 * 1000
_USAGE = "Usage: mlnx_qos -i <interface> [options]\n\n"
_OPTIONS = {
    "-f": "pfc",
    "--pfc": "pfc",
    "-F": "specific_pfc",
    "--specific_pfc": "specific_pfc",
    "-P": "get_pfc",
    "--get_pfc": "get_pfc",
    "-p": "prio_tc",
    "--prio_tc": "prio_tc",
    "-s": "tsa",
    "--tsa": "tsa",
    "-t": "tcbw",
    "--tcbw": "tcbw",
    "-r": "ratelimit",
    "--ratelimit": "ratelimit",
    "-d": "dcbx",
    "--dcbx": "dcbx",
    "--trust": "trust",
    "--dscp2prio": "dscp2prio",
    "--cable_len": "cable_len",
    "--prio2buffer": "prio2buffer",
    "--buffer_size": "buffer_size",
    "-i": "interface",
    "--interface": "interface",
}


@dataclass(slots=True)
class NicQos:
    """State of the driver of one NIC, as after it was loaded."""

    pfc: list[int] = field(default_factory=lambda: [0] * 8)
    cable_m: int = 7
    dscp: dict[int, int] = field(default_factory=dict)
    prio_tc: list[int] = field(default_factory=lambda: [1, 0, 2, 3, 4, 5, 6, 7])
    tsa: list[str] = field(default_factory=lambda: ["vendor"] * 8)
    bandwidth: list[int] = field(default_factory=lambda: [0] * 8)
    rates: list[int] = field(default_factory=lambda: [0] * 8)
    buffer_of: list[int] = field(default_factory=lambda: [0] * 8)
    buffer_bytes: list[int] = field(default_factory=lambda: [TOTAL_BYTES // 2, *[0] * 7])
    os_controlled: bool = True
    link_flaps: int = 0

    @property
    def trust(self) -> str:
        """The driver trusts DSCP as soon as one DSCP has a priority."""
        return "dscp" if self.dscp else "pcp"

    def set_pfc(self, mask: list[int]) -> None:
        """Set the PFC mask; another mask takes the link down and up."""
        if mask != self.pfc:
            self.link_flaps += 1
        self.pfc = list(mask)


class _StopError(Exception):
    """The tool ends here."""

    def __init__(self, text: str = "", rc: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.rc = rc


def _integer(text: str, low: int, high: int, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        why = f"invalid literal for int() with base 10: {text!r}"
    else:
        if low <= number <= high:
            return number
        why = f"{number} is not in the range {low}..{high}"
    raise _StopError(f"Bad value for {what}: {why}\n{_USAGE}")


def _items(text: str, many: str) -> list[str]:
    items = text.split(",")
    if len(items) > 8:  # noqa: PLR2004  (priorities)
        raise _StopError(f"Too many items for {many}\n")
    return items


def _eight(text: str, many: str, few: str) -> list[str]:
    items = _items(text, many)
    if len(items) != 8:  # noqa: PLR2004  (priorities)
        raise _StopError(f"{few} must have 8 items\n")
    return items


def command(host: HostStandIn) -> Tool:
    """Return the command mlnx_qos of a host."""

    def run(context: Context, argv: list[str], _stdin: str) -> Result:
        tool = _Tool(host, root=context.root)
        try:
            tool.run(argv[1:])
        except _StopError as stop:
            if stop.rc == 2:  # noqa: PLR2004  (optparse writes to stderr)
                return Result(tool.text, stop.text, 2)
            return Result(tool.text + stop.text, "", stop.rc)
        return Result(tool.text)

    return run


class _Tool:
    def __init__(self, host: HostStandIn, *, root: bool) -> None:
        self._host = host
        self._root = root
        self.text = ""
        self._options: dict[str, str] = {}
        self._dscp_options: list[str] = []
        self._all = False

    def run(self, words: list[str]) -> None:
        self._parse(words)
        if "interface" not in self._options:
            raise _StopError(f"Interface name is required\n{_USAGE}")
        qos = self._host.qos.get(self._options["interface"])
        if qos is None:
            raise _StopError("ETS features are not supported on your system\n")
        writes = set(self._options) - {"interface", "get_pfc"} or self._dscp_options
        if writes and self._options.get("dcbx") != "get" and not self._root:
            raise _StopError("[Errno 1] Operation not permitted\n")
        self._dcbx(qos)
        self._pfc(qos)
        self._dscp(qos)
        self._buffers(qos)
        self._rates(qos)
        self._ets(qos)
        self.text += _state(qos, every=self._all)

    def _parse(self, words: list[str]) -> None:
        rest = list(words)
        while rest:
            word, sign, value = rest.pop(0), "", ""
            if word.startswith("--"):
                word, sign, value = word.partition("=")
            elif word.startswith("-") and len(word) > 2:  # noqa: PLR2004  (-fVALUE)
                word, sign, value = word[:2], "=", word[2:]
            if word == "-a":
                self._all = True
                continue
            if not word.startswith("-"):
                raise _StopError(f"Bad arguments\n{_USAGE}")
            if word not in _OPTIONS:
                raise _StopError(f"{_USAGE}mlnx_qos: error: no such option: {word}\n", 2)
            if not sign:
                if not rest:
                    text = f"mlnx_qos: error: {word} option requires 1 argument\n"
                    raise _StopError(_USAGE + text, 2)
                value = rest.pop(0)
            if _OPTIONS[word] == "dscp2prio":
                self._dscp_options.append(value)
            else:
                self._options[_OPTIONS[word]] = value

    def _dcbx(self, qos: NicQos) -> None:
        mode = self._options.get("dcbx")
        if mode not in (None, "os", "fw", "get"):
            raise _StopError("Invalid dcbx mode command. Refer to the help.\n")
        if mode in ("os", "fw"):
            qos.os_controlled = mode == "os"

    def _pfc(self, qos: NicQos) -> None:
        options = self._options
        if options.get("cable_len"):
            metres = _integer(options["cable_len"], 0, 0xFFFF, "cable_len")
            qos.cable_m = metres if 0 < metres < 1000 else qos.cable_m  # noqa: PLR2004  (driver)
        if options.get("get_pfc"):
            index = int(options["get_pfc"]) if options["get_pfc"].isdigit() else -1
            if index not in range(8):
                raise _StopError("pfc index must be in range of 0-7\n")
            raise _StopError(f"{qos.pfc[index]}\n", 0)
        if options.get("specific_pfc"):
            items = options["specific_pfc"].split(",")
            if len(items) != 8:  # noqa: PLR2004  (priorities)
                raise _StopError("pfc list must have 8 items\n")
            bad = [item for item in reversed(items) if item not in ("0", "1", "x")]
            if bad:
                raise _StopError(f"Bad value for 'PFC': {bad[0]}\n")
            old = qos.pfc
            qos.set_pfc([old[n] if item == "x" else int(item) for n, item in enumerate(items)])
            raise _StopError("", 0)
        if options.get("pfc"):
            mask = [_integer(item, 0, 1, "PFC") for item in _items(options["pfc"], "PFC")]
            if len(mask) != 8:  # noqa: PLR2004  (priorities)
                raise _StopError("pfc list must have 8 items\n")
            qos.set_pfc(mask)

    def _dscp(self, qos: NicQos) -> None:
        trust = self._options.get("trust")
        if self._dscp_options and trust:
            raise _StopError("trust and dscp2prio commands cannot be used at the same time.\n")
        changes: list[tuple[str, int, int]] = []
        for option in self._dscp_options:
            if option == "flush":
                changes.append(("flush", 0, 0))
                continue
            try:
                action, code, number = option.split(",")
                change = (action, int(code), int(number))
            except ValueError:
                raise _StopError("Invalid dscp2prio command. Refer to the help.\n") from None
            if action not in ("set", "del") or change[1] > 63 or change[2] > 7:  # noqa: PLR2004
                raise _StopError
            changes.append(change)
        for action, dscp, priority in changes:
            if action == "flush":
                qos.dscp.clear()
            elif action == "set":
                qos.dscp[dscp] = priority
            elif qos.dscp.get(dscp) == priority:
                del qos.dscp[dscp]
            else:
                raise _StopError("dscp2prio command failed\n")
        if trust not in (None, "dscp", "pcp"):
            raise _StopError("Invalid trust state command. Refer to the help.\n")
        if trust and trust != qos.trust:
            qos.dscp = {dscp: dscp >> 3 for dscp in range(DSCPS)} if trust == "dscp" else {}

    def _buffers(self, qos: NicQos) -> None:
        options = self._options
        if options.get("prio2buffer"):
            for n, item in enumerate(_items(options["prio2buffer"], "prio2buffer")):
                qos.buffer_of[n] = _integer(item, 0, 7, "prio buffer")
        if options.get("buffer_size"):
            sizes = list(qos.buffer_bytes)
            for n, item in enumerate(_items(options["buffer_size"], "buffer_size")):
                sizes[n] = int(item) if item.isdigit() else -1
            if min(sizes) < 0 or sum(sizes) > TOTAL_BYTES:
                raise _StopError("Buffers commands error\n")
            qos.buffer_bytes = sizes

    def _rates(self, qos: NicQos) -> None:
        if not self._options.get("ratelimit"):
            return
        items = _eight(self._options["ratelimit"], "ratelimit", "ratelimit")
        rates = [_integer(item, 0, 1000000, "ratelimit") for item in items]
        if max(rates) > 255:  # noqa: PLR2004  (Gbit/s; the driver's limit)
            self.text += "Rate limit is not supported on your system!\n"
        else:
            qos.rates = [rate * _RATE_UNIT for rate in rates]

    def _ets(self, qos: NicQos) -> None:
        options = self._options
        tsa, bandwidth, prio_tc = list(qos.tsa), list(qos.bandwidth), list(qos.prio_tc)
        if options.get("tsa"):
            items = _items(options["tsa"], "TSA")
            bad = [item for item in items if item not in ("strict", "ets", "vendor")]
            if bad:
                raise _StopError(f"('Bad TSA value: ', {bad[0]!r})\n{_USAGE}")
            tsa = _eight(options["tsa"], "TSA", "tsa list")
        if options.get("tcbw"):
            for n, item in enumerate(_items(options["tcbw"], "ETS BW")):
                bandwidth[n] = _integer(item, 0, 100, "ETS BW")
                if tsa[n] != "ets" and bandwidth[n]:
                    raise _StopError(f"ETS BW for a strict/vendor TC must be 0\n{_USAGE}")
            _eight(options["tcbw"], "ETS BW", "tcbw list")
        if options.get("prio_tc"):
            what = "UP => TC mapping"
            items = options["prio_tc"].split(",")
            if len(items) > 8:  # noqa: PLR2004  (priorities)
                raise _StopError(f"Too many items in {what}\n")
            prio_tc = [_integer(item, 0, 7, what) for item in items]
            _eight(options["prio_tc"], what, "prio_tc list")
        if not {"tsa", "tcbw", "prio_tc"} & set(options):
            return
        total = sum(share for share, kind in zip(bandwidth, tsa, strict=True) if kind == "ets")
        if "ets" in tsa and total != 100:  # noqa: PLR2004  (percent; checked by the driver)
            raise _StopError("[Errno 22] Invalid argument\n")
        qos.tsa, qos.bandwidth, qos.prio_tc = tsa, bandwidth, prio_tc


def _state(qos: NicQos, *, every: bool) -> str:
    owners = [[n for n, other in enumerate(qos.prio_tc) if other == tc] for tc in range(8)]
    mapping = []
    for priority in range(8):
        codes = sorted(code for code, other in qos.dscp.items() if other == priority)
        mapping += [(priority, codes[start : start + 8]) for start in range(0, len(codes), 8)]
    classes = [(tc, owned) for tc, owned in enumerate(owners) if owned or every]
    return page("mlnx_qos", qos=qos, mapping=mapping, classes=classes, total=TOTAL_BYTES)
