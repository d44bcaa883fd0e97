"""Hosts: ``mlnx_qos`` (Mellanox/mlnx-tools), iproute2 JSON, lldpd JSON, ``show_gids``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.snapshot import LldpNeighbour, Running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.parsers import Reading

#: Live value of a setting that the driver of the NIC does not offer.
UNAVAILABLE = "unavailable"
_PRIORITIES = 8
_TRAFFIC_CLASS = re.compile(r"^tc:\s*(\d+)\s+ratelimit:.*?tsa:\s*(\w+)(?:,\s*bw:\s*(\d+)%)?")
_GID_FIELDS = 6


@dataclass(frozen=True, slots=True)
class NicQos:
    """What ``mlnx_qos`` prints for one NIC; -1 is the traffic class of a priority that has none."""

    trust: str
    pfc: tuple[int, ...]
    dscp_to_priority: Mapping[int, int]
    priority_to_traffic_class: tuple[int, ...]
    tsa: Mapping[int, str]
    bandwidth_percent: Mapping[int, int]
    cable_m: int | None


@dataclass(frozen=True, slots=True)
class Gid:
    """One row of ``show_gids``."""

    device: str
    port: int
    index: int
    gid: str
    address: str
    version: str
    interface: str


def mlnx_qos(text: str) -> NicQos:
    """Parse the state that ``mlnx_qos -i IF`` prints, in any of its versions.

    Raises
    ------
    UnreadableError
        When there is no PFC configuration in the output.
    """
    trust = re.search(r"Priority trust state:\s*(\w+)", text)
    enabled = re.search(r"^\s*enabled((?:\s+[01]){8})\s*$", text, re.MULTILINE)
    if not enabled:
        message = "mlnx_qos printed no PFC configuration"
        raise UnreadableError(message)
    dscp_map: dict[int, int] = {}
    for priority, dscps in re.findall(r"^\s*prio:(\d)\s+dscp:([\d,]+)", text, re.MULTILINE):
        dscp_map.update({int(dscp): int(priority) for dscp in dscps.split(",") if dscp})
    cable = re.search(r"^Cable len:\s*(\d+)", text, re.MULTILINE)
    classes, tsa, bandwidth = _traffic_classes(text)
    return NicQos(
        trust=trust.group(1) if trust else "unknown",
        pfc=tuple(int(bit) for bit in enabled.group(1).split()),
        dscp_to_priority=dscp_map,
        priority_to_traffic_class=classes,
        tsa=tsa,
        bandwidth_percent=bandwidth,
        cable_m=int(cable.group(1)) if cable else None,
    )


def _traffic_classes(text: str) -> tuple[tuple[int, ...], dict[int, str], dict[int, int]]:
    classes = [-1] * _PRIORITIES
    tsa: dict[int, str] = {}
    bandwidth: dict[int, int] = {}
    current = -1
    for line in text.splitlines():
        match = _TRAFFIC_CLASS.match(line.strip())
        if match:
            current = int(match.group(1))
            tsa[current] = match.group(2)
            bandwidth[current] = int(match.group(3) or 0)
        elif re.match(r"\s*priority:\s*\d", line) and current >= 0:
            classes[int(line.split(":")[1])] = current
    return tuple(classes), tsa, bandwidth


def show_gids(text: str) -> tuple[Gid, ...]:
    """Parse ``show_gids``; columns are split by tabs or spaces, IPv4 and netdev may be empty.

    Raises
    ------
    UnreadableError
        When the output is no table, or a row is cut.
    """
    found = []
    for line in text.splitlines():
        parts = line.split()
        if len(parts) < _GID_FIELDS - 1 or not parts[1].isdigit() or not parts[2].isdigit():
            continue
        if parts[4] in {"v1", "v2"}:
            parts.insert(4, "")
        device, port, index, gid, address, version, *interface = (*parts, "", "")
        if version not in {"v1", "v2"}:
            message = f"a row of show_gids is cut: {line!r}"
            raise UnreadableError(message)
        name = interface[0] if interface else ""
        found.append(Gid(device, int(port), int(index), gid, address, version, name))
    if not found and "DEV" not in text:
        message = "show_gids printed no table"
        raise UnreadableError(message)
    return tuple(found)


def ipv4_roce_v2(gids: tuple[Gid, ...], device: str) -> Gid | None:
    """Return the GID that carries RoCEv2 over IPv4 on a device: chosen by content, not by index."""
    return next(
        (gid for gid in gids if gid.device == device and gid.version == "v2" and gid.address), None
    )


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``lldpcli show neighbors -f json``; one interface is an object, several are a list.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    try:
        rows = json.loads(text)["lldp"].get("interface", [])
    except (json.JSONDecodeError, KeyError, AttributeError, TypeError) as error:
        message = "lldpcli printed no JSON"
        raise UnreadableError(message) from error
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in rows if isinstance(rows, list) else [rows]:
        for interface, seen in row.items():
            chassis = next(iter(seen.get("chassis", {"": {}})), "")
            port = seen.get("port", {})
            neighbour = LldpNeighbour(
                chassis, str(port.get("id", {}).get("value", "")), str(port.get("descr", ""))
            )
            found[interface] = (*found.get(interface, ()), neighbour)
    return found


def ip_addresses(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Parse ``ip -j addr show``: MTU and IPv4 addresses with prefix length by interface.

    Raises
    ------
    UnreadableError
        When the output is not JSON.
    """
    try:
        links = json.loads(text)
    except json.JSONDecodeError as error:
        message = "ip printed no JSON"
        raise UnreadableError(message) from error
    return {
        link["ifname"]: (
            int(link.get("mtu", 0)),
            tuple(
                f"{item['local']}/{item['prefixlen']}"
                for item in link.get("addr_info", [])
                if item.get("family") == "inet"
            ),
        )
        for link in links
    }


def ip_rules(text: str) -> dict[str, str]:
    """Parse ``ip -j rule show``: routing table by source address.

    Raises
    ------
    UnreadableError
        When the output is not JSON.
    """
    try:
        rules = json.loads(text)
    except json.JSONDecodeError as error:
        message = "ip printed no JSON"
        raise UnreadableError(message) from error
    return {str(rule.get("src", "")): str(rule.get("table", "")) for rule in rules}


def traffic_class_dscp(text: str) -> int | None:
    """Parse ``tc/1/traffic_class``: the DSCP of the override, None when there is none."""
    match = re.search(r"Global tclass=(\d+)", text)
    return int(match.group(1)) >> 2 if match else None


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
        "trust": qos.trust,
        "pfc": list(qos.pfc),
        "dscp_to_priority": {str(k): v for k, v in sorted(qos.dscp_to_priority.items())},
        "priority_to_traffic_class": list(qos.priority_to_traffic_class),
        "tsa": {str(number): word for number, word in sorted(qos.tsa.items())},
        "bandwidth_percent": {str(k): v for k, v in sorted(qos.bandwidth_percent.items())},
        "cable_m": qos.cable_m,
    }


parsers.add("host")(HostParser())
