"""Tools of NICs of Broadcom and AMD Pensando in a GPU host: ``bnxt_setupcc.sh`` and ``nicctl``.

Known: Broadcom bnxt_setupcc.sh 236.1.155.0 (options; ``-i`` and ``-r`` are needed; with ``-u 4`` it
calls dcb; global pause goes off); AMD Pensando Pollara guides, UG1813 (the updates and their order;
firmware refuses to schedule a priority without a DSCP, and a share of 0 without a rate limit).
Assumed: words of refusals; what the calls of a rendered `apply.sh` do not need is refused; every
NIC of a host can have either maker's tool; `nicctl` prints nothing where it did something.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn

_PRIORITIES, _PERCENT = 8, 100
_MODES = {"1": (True, False), "2": (False, True), "3": (True, True)}
_BY_DCB = "4"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
#: Numbers of `nicctl update dcqcn`, beside the DSCP of CNPs.
_DCQCN = {
    *("token-bucket-size", "ai-rate", "alpha-update-interval", "alpha-update-g"),
    *("initial-alpha-value", "rate-increase-byte-count", "hai-rate", "rate-reduce-monitor-period"),
    *("rate-increase-threshold", "rate-increase-interval"),
}


class _RefusedError(Exception):
    """The tool ends with 1."""


class NicTools:
    """Both tools of one host, and what `nicctl` set.

    Parameters
    ----------
    host : HostStandIn
        Whose they are.
    """

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self.reset()

    def reset(self) -> None:
        """Forget what was set, as after a load of the driver."""
        self.settings: dict[str, str] = {}
        self.marks: dict[int, int] = {}

    def commands(self) -> dict[str, Tool]:
        """Return the commands by name."""
        return {"nicctl": self._nicctl, "bnxt_setupcc.sh": self._setupcc}

    def _setupcc(self, context: Context, argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "bnxt_setupcc.sh: must run as root\n", 1)
        try:
            self._set_broadcom(_short(argv[1:], "dimrscpbu"))
        except _RefusedError as refusal:
            return Result("", f"bnxt_setupcc.sh: {refusal}\n", 1)
        return Result()

    def _set_broadcom(self, options: dict[str, str]) -> None:
        interface = options.get("i", "")
        qos = self._host.qos.get(interface)
        if qos is None:
            raise _RefusedError(f"-i {interface}: there is no such interface")
        devices = {nic.rdma_device for nic in self._host.spec.nics if nic.interface == interface}
        if options.get("d", "") not in devices:
            raise _RefusedError(f"-d {options.get('d', '')}: there is no such RDMA device")
        if options.get("m") not in _MODES or options.get("u") != _BY_DCB:
            raise _RefusedError("only modes 1 to 3 and -u 4 are supported")
        pauses, controls = _MODES[options["m"]]
        priority = _number(options, "r", _PRIORITIES)
        marks = {_number(options, "s", DSCPS): priority}
        if controls:
            marks[_number(options, "p", DSCPS)] = _number(options, "c", _PRIORITIES)
        if "b" in options:
            _number(options, "b", _PERCENT + 1)
        qos.set_pfc([int(pauses and one == priority) for one in range(_PRIORITIES)])
        qos.dscp = marks
        self._host.pause[interface] = {"rx": "off", "tx": "off"}

    def _nicctl(self, context: Context, argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "nicctl: permission denied\n", 1)
        try:
            self._update(argv[1:])
        except _RefusedError as refusal:
            return Result("", f"nicctl: {refusal}\n", 1)
        return Result()

    def _update(self, words: list[str]) -> None:
        match words:
            case ["update", "port", "-p", uuid, *rest] if _UUID.fullmatch(uuid):
                self._keep(f"port {uuid}", rest, "pause-type", "rx-pause", "tx-pause")
            case ["update", "qos", "--classification-type", "dscp" | "pcp"]:
                self.settings["classification"] = words[-1]
            case ["update", "qos", "dscp-to-priority", *rest]:
                options = _long(rest, "dscp", "priority")
                dscp = _number(options, "dscp", DSCPS)
                self.marks[dscp] = _number(options, "priority", _PRIORITIES)
            case ["update", "qos", "pfc", *rest]:
                priority = _number(_long(rest, "priority", "no-drop"), "priority", _PRIORITIES)
                self._keep(f"pfc {priority}", rest, "priority", "no-drop")
            case ["update", "qos", "scheduling", *rest]:
                self._schedule(rest)
            case ["update", "dcqcn", "-r", device, "-i", "1", *rest]:
                if device not in {nic.rdma_device for nic in self._host.rdma_nics}:
                    raise _RefusedError(f"{device}: there is no such RDMA device")
                self._keep(f"dcqcn {device}", rest, *_DCQCN, "cnp-dscp")
            case _:
                raise _RefusedError("only the updates of a rendered apply.sh are supported")

    def _keep(self, subject: str, words: list[str], *names: str) -> None:
        for name, value in _long(words, *names).items():
            self.settings[f"{subject} {name}"] = value

    def _schedule(self, words: list[str]) -> None:
        options = _long(words, "priority", "dwrr", "rate-limit")
        columns = [options[name].split(",") for name in ("priority", "dwrr", "rate-limit")]
        if len({len(column) for column in columns}) != 1:
            raise _RefusedError("--priority, --dwrr and --rate-limit need as many values")
        for priority, share, limit in zip(*columns, strict=True):
            if priority not in {"0", *map(str, self.marks.values())}:
                raise _RefusedError(f"priority {priority} has no DSCP")
            if share == limit == "0":
                raise _RefusedError(f"priority {priority} has neither a share nor a rate limit")
        self._keep("scheduling", words, *options)


def _short(words: list[str], names: str) -> dict[str, str]:
    """Return options of one letter with their values."""
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    known = {f"-{name}" for name in names}
    if len(words) % 2 or pairs.keys() - known:
        raise _RefusedError(f"only {', '.join(sorted(known))} with values are supported")
    return {name.removeprefix("-"): value for name, value in pairs.items()}


def _long(words: list[str], *names: str) -> dict[str, str]:
    """Return long options, of which each must be there."""
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or pairs.keys() != {f"--{name}" for name in names}:
        raise _RefusedError(f"needed: {', '.join(f'--{name}' for name in sorted(names))}")
    return {name.removeprefix("--"): value for name, value in pairs.items()}


def _number(options: dict[str, str], name: str, end: int) -> int:
    word = options.get(name, "")
    if not word.isdecimal() or int(word) >= end:
        raise _RefusedError(f"{name}: {word!a} is not a number from 0 to {end - 1}")
    return int(word)
