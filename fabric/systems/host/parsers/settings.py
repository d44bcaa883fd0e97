"""Settings of a host beside the QoS of its NICs: kernel, routes, RDMA-CM, PCIe, units.

Each value can be compared and kept as JSON. What the host does not have is ``UNAVAILABLE``; what
cannot be understood is refused.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts.dcb import parse_dcb_buffer
from fabric.observe.hostfacts.ethtool import parse_ethtool_pause
from fabric.observe.hostfacts.ip import parse_ip_neigh, parse_ip_route, parse_ip_rule
from fabric.observe.hostfacts.mlnx_qos import mlnx_qos
from fabric.observe.hostfacts.values import pci_address, shown, whole_lines
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.hostfacts.ip import IpRoute

#: Live value of a setting that the driver of the NIC, or the kernel, does not offer.
UNAVAILABLE = "unavailable"
#: What a port has as soon as rdma_cm is loaded (Linux drivers/infiniband/core/cma.c, cma_add_one).
CM_DEFAULT = {"mode": "RoCE v2", "tos": "0"}
#: From the notation of sysctl.d to a path below /proc/sys.
TO_PROC = str.maketrans("./", "/.")
MODES = ("RoCE v2", "IB/RoCE v1")
_VALUE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LINK = re.compile(r"/etc/systemd/system/([A-Za-z0-9@:_.\\-]+\.wants/[A-Za-z0-9@:_.\\-]+\.service)")
REGISTER = re.compile(r"[0-9a-f]{4}")
_STORM = re.compile(r"pfc-prevention-tout: ([0-9]{1,5})")


def settings(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings by subject, of those texts that tell one.

    Raises
    ------
    UnreadableError
        Naming the subject.
    """
    by_name: dict[str, Any] = {}
    for subject, text in texts.items():
        kind, _, name = subject.partition(":")
        if kind not in READ:
            continue
        try:
            value = READ[kind](plain(text), name)
        except UnreadableError as error:
            raise UnreadableError(f"{subject}: {error}") from error
        by_name[subject] = UNAVAILABLE if value is None else value
    for family in ("", "6"):
        routes = (name for name in by_name if name.startswith(f"routes{family}:"))
        tables = {subject.partition("/")[2] for subject in routes}
        if tables:
            by_name[f"rules{family}"] = _rules(texts.get(f"rules{family}", ""), tables)
    return by_name


def _rules(text: str, tables: set[str]) -> list[str]:
    """Return the rules that lead to some tables, in the words of ``ip rule``."""
    return sorted(
        f"priority {rule.priority} from {bare(rule.source)} table {rule.table}"
        for rule in parse_ip_rule(text)
        if rule.table in tables
    )


def bare(network: str) -> str:
    """Return a network as ``ip`` writes it: that of one address without its length."""
    return network.removesuffix("/128" if ":" in network else "/32")


def _sysctl(text: str, _name: str) -> str | None:
    value = text.strip()
    if value and not re.fullmatch(r"-?[0-9]{1,10}", value):
        raise UnreadableError(f"the kernel answered {shown(value)}")
    return value or None


def _pairs(text: str) -> dict[str, str]:
    by_name: dict[str, str] = {}
    for line in whole_lines(text):
        name, sign, value = line.partition("=")
        if not sign or name in by_name or (value and not _VALUE.fullmatch(value)):
            raise UnreadableError(f"no NAME=VALUE: {shown(line)}")
        by_name[name] = value
    return {name: value for name, value in by_name.items() if value}


def _files(text: str, pattern: str) -> dict[str, str] | None:
    values = _pairs(text)
    if not all(fnmatchcase(path, pattern) and ".." not in path for path in values):
        raise UnreadableError(f"a file next to {pattern} was read")
    return values or None


def _acs(text: str, _name: str) -> dict[str, str]:
    by_name = {pci_address(name): value for name, value in _pairs(text).items()}
    if not all(REGISTER.fullmatch(value) for value in by_name.values()):
        raise UnreadableError("setpci printed no register")
    return by_name


def _pause(text: str, _name: str) -> dict[str, str]:
    values = parse_ethtool_pause(text)
    return {"rx": "on" if values.receive else "off", "tx": "on" if values.transmit else "off"}


def _storm(text: str, _name: str) -> int:
    match = _STORM.fullmatch(text.strip())
    if not match:
        raise UnreadableError(f"ethtool printed {shown(text)}")
    return int(match[1])


def _read_request(text: str, _name: str) -> str:
    """Return bits 12 to 14 of the Device Control register, as the first hexadecimal digit."""
    if not REGISTER.fullmatch(text.strip()):
        raise UnreadableError(f"setpci printed {shown(text)}")
    return f"{int(text, 16) >> 12 & 7}"


def _cm(text: str, _name: str) -> dict[str, str]:
    if not text.strip():
        return dict(CM_DEFAULT)  # the module is not loaded yet
    lines = [line.strip() for line in whole_lines(text)]
    if len(lines) != len(CM_DEFAULT) or lines[0] not in MODES or not lines[1].isdigit():
        raise UnreadableError(f"RDMA-CM printed {shown(text)}")
    return {"mode": lines[0], "tos": lines[1]}


def _links(text: str, _name: str) -> list[str]:
    matched = [_LINK.fullmatch(line) for line in whole_lines(text)]
    if not all(matched):
        raise UnreadableError(f"no link of a unit: {shown(text)}")
    return sorted(match[1] for match in matched if match)


def _buffers(text: str, _name: str) -> dict[str, list[int]] | None:
    values = mlnx_qos(text)
    if values.buffer_bytes is None or values.priority_to_buffer is None:
        return None
    return {"sizes": list(values.buffer_bytes), "of": list(values.priority_to_buffer)}


def _dcb_buffer(text: str, _name: str) -> dict[str, list[int]]:
    values = parse_dcb_buffer(text)
    return {"sizes": list(values.buffer_bytes), "of": list(values.priority_to_buffer)}


def _neighbour(text: str, name: str) -> str:
    """Return the MAC of a permanent entry, empty without one."""
    address = name.partition("/")[2]
    rows = [row for row in parse_ip_neigh(text) if row.address == address]
    return next((row.mac or "" for row in rows if "PERMANENT" in row.states), "")


def _routes(text: str, name: str) -> list[str]:
    table = name.partition("/")[2]
    return sorted(_route_words(route) for route in parse_ip_route(text) if route.table == table)


def _ways(text: str, name: str) -> list[str]:
    """Return the routes of the main table by a NIC that the kernel did not make by itself."""
    return sorted(
        _route_words(route)
        for route in parse_ip_route(text)
        if route.table is None and route.interface == name and route.protocol != "kernel"
    )


def _route_words(route: IpRoute) -> str:
    """Return a route in the words of ``ip route``, with who made it: the kernel tells by that."""
    kind = "" if route.kind == "unicast" else f"{route.kind} "
    words = [f"{kind}{route.destination}"]
    words += [f"via {route.gateway}"] if route.gateway else []
    words += [f"dev {route.interface}"] if route.interface and not kind else []
    words += [f"src {route.source}"] if route.source else []
    words += [f"scope {route.scope}"] if route.scope else []
    words += [f"metric {route.metric}"] if route.metric else []
    return " ".join([*words, *([f"proto {route.protocol}"] if route.protocol else [])])


#: Readings by kind.
READ: dict[str, Callable[[str, str], Any]] = {
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
    "routes6": _routes,
    "ways6": _ways,
}
