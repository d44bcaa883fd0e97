"""Hosts: their live settings, from the readings of ``fabric.observe.hostfacts``."""

from __future__ import annotations

import json
import re
from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.observe.hostfacts.dcb import (
    parse_dcb_app,
    parse_dcb_dcbx,
    parse_dcb_ets,
    parse_dcb_pfc,
)
from fabric.observe.hostfacts.gids import Gid, ipv4_roce_v2, show_gids
from fabric.observe.hostfacts.ibstat import parse_ibdev2netdev
from fabric.observe.hostfacts.ip import parse_ip_addr, parse_ip_rule
from fabric.observe.hostfacts.lldp import parse_lldp as lldp_neighbours
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.hostfacts.ofed import parse_traffic_class
from fabric.observe.hostfacts.values import number, shown
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.parsers.linux import uptime
from fabric.observe.parsers.tables import plain
from fabric.observe.snapshot import Running
from fabric.systems.host.parsers.settings import UNAVAILABLE, bare, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.hostfacts.ip import IpAddresses
    from fabric.observe.parsers import Reading

__all__ = [
    "UNAVAILABLE",
    "Gid",
    "HostParser",
    "NicQos",
    "ipv4_roce_v2",
    "lldp_neighbours",
    "mlnx_qos",
    "show_gids",
]


#: A file of OFED's driver, or of the kernel's, and what is in it.
_PARAMETER = re.compile(
    r"(?:/sys/class/net/[^/]+/ecn|/sys/kernel/debug/mlx5/[^/]+/cc_params)"
    r"/([a-z0-9_/]{1,64}):([0-9]{1,10})"
)
#: Switches by priority, which are no parameters.
_SWITCH = "/enable/"


def ip_addresses(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return MTU and addresses with prefix length by interface.

    IPv6 addresses that nobody sets are left out: link-local ones, and what a NIC makes.

    Raises
    ------
    UnreadableError
        When the output is not the JSON of ``ip -j addr show``.
    """
    return {
        row.interface: (
            row.mtu_bytes,
            (*row.ipv4, *(one for one in row.ipv6 if _is_set(one, row))),
        )
        for row in parse_ip_addr(text)
    }


def _is_set(address: str, row: IpAddresses) -> bool:
    return address not in row.dynamic and not ip_interface(address).is_link_local


def ip_rules(*texts: str) -> dict[str, str]:
    """Return the routing table by source address.

    Raises
    ------
    UnreadableError
        When an output is not the JSON of ``ip -j rule show``.
    """
    rules = (rule for text in texts for rule in parse_ip_rule(text))
    return {bare(rule.source): rule.table for rule in rules if rule.table}


def traffic_class_dscp(text: str) -> int | None:
    """Return the DSCP of the override of a traffic class, None when there is none.

    Raises
    ------
    UnreadableError
        When the number is no traffic class byte.
    """
    return parse_traffic_class(text).dscp


class HostParser:
    """Reads a host back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "uptime": ("facts", uptime),
        "lldp": ("lldp", lldp_neighbours),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the live settings of each NIC and the content of our files."""
        live = {"nics": self._nics(texts), "settings": settings(texts)}
        return Running(
            device=device,
            platform="host",
            config=live,
            canonical=json.dumps(live, sort_keys=True, indent=1),
            saved=None,
            system={
                name.partition(":")[0]: text
                for name, text in texts.items()
                if name.partition(":")[0] in ("owners", "services")
            },
            files={
                name.removeprefix("file:"): text
                for name, text in texts.items()
                if name.startswith("file:")
            },
        )

    def _nics(self, texts: Mapping[str, str]) -> dict[str, Any]:
        if not any(name.partition(":")[0] in _LIVE for name in texts):
            return {}
        addresses = ip_addresses(texts.get("addresses", ""))
        rules = ip_rules(*(texts[name] for name in ("rules", "rules6") if name in texts))
        rdma = texts.get("rdma", "")  # the kernel's driver comes without the tool
        devices = {row.interface: row.device for row in parse_ibdev2netdev(rdma)} if rdma else {}
        nics = {}
        for name in texts:
            kind, _, interface = name.partition(":")
            if kind not in _LIVE:
                continue
            mtu, ips = addresses.get(interface, (0, ()))
            nics[interface] = {
                **_live(kind, interface, texts),
                "rdma_device": devices.get(interface, ""),
                "mtu_bytes": mtu,
                "addresses": list(ips),
                "table": next(filter(None, (rules.get(_ip(one)) for one in ips)), ""),
                "traffic_class_dscp": _available(
                    texts, f"tc:{devices.get(interface, '')}", traffic_class_dscp
                ),
                "cnp_dscp": _available(texts, f"cnp:{interface}", _number),
                **_dcqcn(texts.get(f"ecn:{interface}") or texts.get(f"cc:{interface}") or ""),
            }
        return nics


def _ip(address: str) -> str:
    return address.partition("/")[0]


def _available(
    texts: Mapping[str, str], subject: str, parse: Callable[[str], int | None]
) -> int | str | None:
    return parse(texts[subject]) if subject in texts else UNAVAILABLE


def _number(text: str) -> int | None:
    return number(text.strip(), "DSCP", high=63)


def _dcqcn(text: str) -> dict[str, Any]:
    """Return the DCQCN parameters by name, from ``PATH:VALUE`` lines; nothing without any."""
    by_name: dict[str, int] = {}
    for line in plain(text).splitlines():
        match = _PARAMETER.fullmatch(line)
        if not match or match[1] in by_name:
            raise UnreadableError(f"the driver printed {shown(line)} as a parameter of DCQCN")
        if _SWITCH not in match[1]:
            by_name[match[1]] = int(match[2])
    return {"dcqcn": by_name} if by_name else {}


def _live(kind: str, interface: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what a NIC says; a tool that answers anything but the whole of it told nothing."""
    try:
        return _LIVE[kind](texts[f"{kind}:{interface}"], interface, texts)
    except UnreadableError as error:
        raise UnreadableError(f"{interface}: {error}") from error


def _live_dcb(text: str, interface: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what ``dcb`` says, in the words of ``mlnx_qos``."""
    pfc = parse_dcb_pfc(text)
    ets = parse_dcb_ets(texts.get(f"dcb_ets:{interface}", ""))
    marks = parse_dcb_app(texts.get(f"dcb_app:{interface}", ""))
    flags = parse_dcb_dcbx(texts.get(f"dcb_dcbx:{interface}", ""))
    return {
        "reader": "dcb",
        "dcbx": "os" if "host" in flags else "fw",
        "trust": "dscp" if marks else "pcp",
        "pfc": [int(on) for on in pfc.enabled],
        "dscp_to_priority": {str(dscp): marks[dscp] for dscp in sorted(marks)},
        "priority_to_traffic_class": list(ets.priority_to_traffic_class),
        "tsa": {str(number): word for number, word in enumerate(ets.tsa)},
        "bandwidth_percent": {str(n): share for n, share in enumerate(ets.bandwidth_percent)},
        "cable_m": pfc.delay,
    }


def _live_ip(_text: str, _interface: str, _texts: Mapping[str, str]) -> dict[str, Any]:
    """Return nothing but that: no tool tells the settings of this NIC."""
    return {"reader": "ip"}


def _live_qos(text: str, _interface: str, _texts: Mapping[str, str]) -> dict[str, Any]:
    qos = mlnx_qos(text)
    return {
        "dcbx": qos.dcbx if qos.dcbx != "unknown" else UNAVAILABLE,
        "trust": qos.trust,
        "pfc": list(qos.pfc),
        "dscp_to_priority": {str(k): v for k, v in sorted(qos.dscp_to_priority.items())},
        "priority_to_traffic_class": list(qos.priority_to_traffic_class),
        "tsa": {str(number): word for number, word in sorted(qos.tsa.items())},
        "bandwidth_percent": {str(k): v for k, v in sorted(qos.bandwidth_percent.items())},
        "cable_m": qos.cable_m,
    }


#: What reads the settings of a NIC, by the kind of output that it comes from.
_LIVE: dict[str, Callable[[str, str, Mapping[str, str]], dict[str, Any]]] = {
    "qos": _live_qos,
    "dcb_pfc": _live_dcb,
    "ip": _live_ip,
}

parsers.add("host")(HostParser())
