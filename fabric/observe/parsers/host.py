"""Hosts: ``mlnx_qos`` (Mellanox/mlnx-tools), iproute2 JSON, lldpd JSON, ``show_gids``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.parsers.gids import Gid, ipv4_roce_v2, show_gids
from fabric.observe.parsers.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.snapshot import Running
from fabric.observe.state import LldpNeighbour

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.parsers import Reading

__all__ = [
    "Gid",
    "HostParser",
    "NicQos",
    "ipv4_roce_v2",
    "lldp_neighbours",
    "mlnx_qos",
    "show_gids",
]

#: Live value of a setting that the driver of the NIC does not offer.
UNAVAILABLE = "unavailable"
_BYTE = 256


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``lldpcli show neighbors -f json``; one interface is an object, several are a list.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    try:
        rows = json.loads(text)["lldp"].get("interface", [])
        for row in rows if isinstance(rows, list) else [rows]:
            for interface, seen in row.items():
                found[interface] = (*found.get(interface, ()), _lldp_neighbour(seen))
    except (json.JSONDecodeError, KeyError, AttributeError, TypeError) as error:
        message = "lldpcli printed no JSON of neighbours"
        raise UnreadableError(message) from error
    return found


def _lldp_neighbour(seen: dict[str, Any]) -> LldpNeighbour:
    # The chassis is keyed by the system's name; a system that sends no name has its fields there.
    names = [name for name, chassis in seen["chassis"].items() if "id" in chassis]
    port = seen["port"]
    return LldpNeighbour(
        names[0] if names else "", str(port["id"]["value"]), str(port.get("descr", ""))
    )


def ip_addresses(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Parse ``ip -j addr show``: MTU and IPv4 addresses with prefix length by interface.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    found = {}
    try:
        for link in _iproute2(text, "ifname", "mtu"):
            addresses = [item for item in link.get("addr_info", []) if item["family"] == "inet"]
            texts = tuple(f"{item['local']}/{int(item['prefixlen'])}" for item in addresses)
            found[str(link["ifname"])] = (int(link["mtu"]), texts)
    except (KeyError, TypeError, ValueError) as error:
        message = "ip printed no addresses"
        raise UnreadableError(message) from error
    return found


def ip_rules(text: str) -> dict[str, str]:
    """Parse ``ip -j rule show``: routing table by source address.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    return {str(rule["src"]): str(rule["table"]) for rule in _iproute2(text, "src", "table")}


def _iproute2(text: str, *fields: str) -> list[dict[str, Any]]:
    """Return the objects of an ``ip -j`` output; it prints empty ones for what it left out."""
    try:
        found = [row for row in json.loads(text) if row]
    except (json.JSONDecodeError, TypeError) as error:
        message = "ip printed no JSON"
        raise UnreadableError(message) from error
    for row in found:
        if not isinstance(row, dict) or any(field not in row for field in fields):
            message = f"ip printed no {fields[0]} and {fields[1]} in {row}"
            raise UnreadableError(message)
    return found


def traffic_class_dscp(text: str) -> int | None:
    """Parse ``tc/1/traffic_class``: the DSCP of the override, None when there is none.

    Raises
    ------
    UnreadableError
        When the number is no traffic class byte.
    """
    match = re.search(r"^Global tclass=(\d+)\s*$", text, re.MULTILINE)
    if "Global" in text and (not match or int(match[1]) >= _BYTE):
        message = f"{text.strip()!r} is no traffic class"
        raise UnreadableError(message)
    return int(match[1]) >> 2 if match else None


class HostParser:
    """Reads a host back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {"lldp": ("lldp", lldp_neighbours)}

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the live settings of each NIC and the content of our files."""
        live = {"nics": self._nics(texts)}
        return Running(
            device=device,
            platform="host",
            config=live,
            canonical=json.dumps(live, sort_keys=True, indent=1),
            saved=None,
            files={
                name.removeprefix("file:"): text
                for name, text in texts.items()
                if name.startswith("file:")
            },
        )

    def _nics(self, texts: Mapping[str, str]) -> dict[str, Any]:
        addresses = ip_addresses(texts.get("addresses", "[]"))
        rules = ip_rules(texts.get("rules", "[]"))
        pairs = re.findall(r"^(\S+) port \d+ ==> (\S+)", texts.get("rdma", ""), re.MULTILINE)
        devices = {interface: device for device, interface in pairs}
        nics = {}
        for name, text in texts.items():
            kind, _, interface = name.partition(":")
            if kind != "qos":
                continue
            mtu, ips = addresses.get(interface, (0, ()))
            nics[interface] = {
                **_live_qos(text),
                "rdma_device": devices.get(interface, ""),
                "mtu_bytes": mtu,
                "addresses": list(ips),
                "table": rules.get(ips[0].partition("/")[0], "") if ips else "",
                "traffic_class_dscp": _available(
                    texts, f"tc:{devices.get(interface, '')}", traffic_class_dscp
                ),
                "cnp_dscp": _available(texts, f"cnp:{interface}", _number),
            }
        return nics


def _available(
    texts: Mapping[str, str], subject: str, parse: Callable[[str], int | None]
) -> int | str | None:
    return parse(texts[subject]) if subject in texts else UNAVAILABLE


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


def _live_qos(text: str) -> dict[str, Any]:
    try:
        qos = mlnx_qos(text)
    except UnreadableError as error:
        return {"qos": f"unknown: {error}"}
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


parsers.add("host")(HostParser())
