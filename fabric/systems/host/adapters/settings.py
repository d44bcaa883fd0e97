"""Commands that restore settings of a host beside the QoS of its NICs, as they were read.

What the host said of itself becomes part of a command only when it has the form that the reader of
its kind lets through; the checks are made again: a state comes from a journal, too.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.devices.shell_driver import UNITS
from fabric.intent.scalars import INTERFACE, MAC
from fabric.systems.host.parsers.settings import MODES, REGISTER, TO_PROC, UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_SYSCTL = re.compile(r"net\.ipv[46]\.(conf|neigh)\.[A-Za-z0-9_./-]{1,60}")
_FILE = re.compile(r"/sys/[A-Za-z0-9_./-]{1,120}")
_VALUE = re.compile(r"-?[A-Za-z0-9_.]{1,64}")
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_CODE = re.compile(r"[0-7]")
_IP = "[0-9a-f.:]{2,39}"
_NETWORK = re.compile(rf"{_IP}(/[0-9]{{1,3}})?")
_ROUTE = re.compile(
    rf"((unreachable|blackhole|prohibit|throw) )?(default|{_IP}(/[0-9]{{1,3}})?)"
    rf"( via {_IP})?( dev [A-Za-z][A-Za-z0-9_.-]{{0,14}})?( src {_IP})?"
    r"( scope [a-z]{1,10})?( metric [0-9]{1,10})?( proto [a-z0-9]{1,16})?"
)
_RULE = re.compile(rf"priority [0-9]{{1,10}} from {_IP}(/[0-9]{{1,3}})? table [A-Za-z0-9_]{{1,32}}")
_LINK = re.compile(r"[A-Za-z0-9@:_.\\-]+\.wants/[A-Za-z0-9@:_.\\-]+\.service")


def restored(old: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield commands for the settings that were read before.

    Parameters
    ----------
    old, now : mapping
        Settings by subject, before and after. What ``now`` does not tell, or tells as None, is
        restored in any case.
    """
    for subject, value in old.items():
        kind, _, name = subject.partition(":")
        after = now.get(subject)
        if value not in (UNAVAILABLE, after) and kind in _COMMANDS:
            yield from _COMMANDS[kind](name, value, after)


def _sysctl(name: str, value: Any, _now: Any) -> Iterator[str]:
    if _SYSCTL.fullmatch(name) and ".." not in name and _VALUE.fullmatch(str(value)):
        yield f"sh -c 'echo {value} > /proc/sys/{name.translate(TO_PROC)}'"


def _files(_name: str, value: Any, _now: Any) -> Iterator[str]:
    for path, text in value.items():
        if _FILE.fullmatch(path) and ".." not in path and _VALUE.fullmatch(str(text)):
            yield f"sh -c 'echo {text} > {path}'"


def _acs(_name: str, value: Any, _now: Any) -> Iterator[str]:
    for address, register in value.items():
        if _PCI.fullmatch(address) and REGISTER.fullmatch(str(register)):
            yield f"setpci -s {address} ECAP_ACS+0x6.w={register}"


def _pause(name: str, value: Any, _now: Any) -> Iterator[str]:
    rx, tx = ("on" if value.get(way) == "on" else "off" for way in ("rx", "tx"))
    if INTERFACE.fullmatch(name):
        yield f"ethtool -A {name} rx {rx} tx {tx} || true"


def _storm(name: str, value: Any, _now: Any) -> Iterator[str]:
    if INTERFACE.fullmatch(name):
        yield f"ethtool --set-tunable {name} pfc-prevention-tout {int(value)}"


def _read_request(name: str, value: Any, _now: Any) -> Iterator[str]:
    if INTERFACE.fullmatch(name) and _CODE.fullmatch(str(value)):
        device = f"$(basename $(readlink -f /sys/class/net/{name}/device))"
        yield f"setpci -s {device} CAP_EXP+08.w={value}000:7000"


def _cm(name: str, value: Any, _now: Any) -> Iterator[str]:
    """Yield nothing to do where the module is gone: it begins with its own values."""
    mode, tos = value.get("mode"), str(value.get("tos"))
    if _DEVICE.fullmatch(name) and mode in MODES and tos.isdigit():
        yield (
            "sh -c 'cd /sys/kernel/config/rdma_cm 2>/dev/null || exit 0; "
            f"mkdir -p {name}; echo {mode} > {name}/ports/1/default_roce_mode && "
            f"echo {tos} > {name}/ports/1/default_roce_tos; status=$?; "
            f"rmdir {name}; exit $status'"
        )


#: After a boot udev starts units whose script an undo has removed, and they end as failed: they are
#: stopped with what waits for them, and forgotten. Neither is an error where nothing ran.
_NAME_OF_LINK = '"$(basename "$f")"'
_END = "systemctl stop {0} 2>/dev/null; systemctl reset-failed {0} 2>/dev/null || true"


def _links(name: str, value: Any, now: Any) -> Iterator[str]:
    """Yield what removes links that were not there, after which their folder may be empty."""
    old = [link for link in value if _LINK.fullmatch(link)]
    if now is None and not old and _DEVICE.fullmatch(name):
        yield (
            f"sh -c 'for f in {UNITS}/*.wants/{name}-nic@*.service "
            f'{UNITS}/*.wants/{name}-tuning.service; do [ ! -L "$f" ] || '
            '{ rm -f "$f"; rmdir "$(dirname "$f")" 2>/dev/null || true; '
            f"{_END.format(_NAME_OF_LINK)}; }}; done'"
        )
    for link in now or ():
        if link not in old and _LINK.fullmatch(link):
            yield f"rm -f '{UNITS}/{link}'"
            yield f"rmdir '{UNITS}/{link.partition('/')[0]}' 2>/dev/null || true"
            yield _END.format(f"'{link.partition('/')[2]}'")
    for link in old:
        yield f"systemctl enable '{link.partition('/')[2]}'"


def _buffers(name: str, value: Any, _now: Any) -> Iterator[str]:
    if INTERFACE.fullmatch(name):
        yield f"mlnx_qos -i {name} --buffer_size {_comma(value['sizes'])}"
        yield f"mlnx_qos -i {name} --prio2buffer {_comma(value['of'])}"


def _dcb_buffer(name: str, value: Any, _now: Any) -> Iterator[str]:
    sizes, buffers = (
        " ".join(f"{number}:{int(item)}" for number, item in enumerate(value[key]))
        for key in ("sizes", "of")
    )
    if INTERFACE.fullmatch(name):
        yield f"dcb buffer set dev {name} buffer-size {sizes} prio-buffer {buffers}"


def _neighbour(name: str, value: Any, _now: Any) -> Iterator[str]:
    interface, _, address = name.partition("/")
    if not (INTERFACE.fullmatch(interface) and _NETWORK.fullmatch(address)):
        return
    if not value:
        yield f"ip neigh del {address} dev {interface} || true"
    elif MAC.fullmatch(value):
        yield f"ip neigh replace {address} lladdr {value} dev {interface} nud permanent"


def _routes(name: str, value: Any, now: Any, ip: str = "ip") -> Iterator[str]:
    yield from _lines(f"{ip} route", value, now, f" table {int(name.partition('/')[2])}", _ROUTE)


def _ways(_name: str, value: Any, now: Any, ip: str = "ip") -> Iterator[str]:
    yield from _lines(f"{ip} route", value, now, "", _ROUTE)


def _rules(_name: str, value: Any, now: Any, ip: str = "ip") -> Iterator[str]:
    yield from _lines(f"{ip} rule", value, now, "", _RULE)


def _lines(
    what: str, old: list[str], now: list[str] | None, table: str, form: re.Pattern[str]
) -> Iterator[str]:
    """Yield what deletes lines that are new and adds those that are gone, in that order.

    The network stack may have done either already, so that an error says nothing; what counts is
    read back.
    """
    for line in now or ():
        if not stands_in(line, old) and form.fullmatch(line):
            yield f"{what} del {line}{table} || true"
    verb = "replace" if what.endswith("route") else "add"
    for line in old:
        if line not in (now or ()) and form.fullmatch(line):
            yield f"{what} {verb} {line}{table} || true"


def stands_in(line: str, lines: Iterable[str]) -> bool:
    """Tell whether one of the lines is a planned one; it may say more behind it."""
    return any(one == line or one.startswith(f"{line} ") for one in lines)


def _comma(values: Iterable[int]) -> str:
    return ",".join(str(int(value)) for value in values)


_COMMANDS: dict[str, Callable[[str, Any, Any], Iterator[str]]] = {
    "sysctl": _sysctl,
    "files": _files,
    "acs": _acs,
    "pause": _pause,
    "storm": _storm,
    "read_request": _read_request,
    "cm": _cm,
    "links": _links,
    "buffers": _buffers,
    "dcb_buffer": _dcb_buffer,
    "neighbour": _neighbour,
    "routes": _routes,
    "ways": _ways,
    "rules": _rules,
    "routes6": partial(_routes, ip="ip -6"),
    "ways6": partial(_ways, ip="ip -6"),
    "rules6": partial(_rules, ip="ip -6"),
}
