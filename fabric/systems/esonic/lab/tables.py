"""CONFIG_DB of the stand-in of Enterprise SONiC, as its lines make it.

Known: the management framework writes the database of SONiC, whose tables the shell shows
(sonic-net/SONiC doc/mgmt/Management Framework.md).
Assumed: rows of BGP have the keys of community SONiC; maps, schedulers and buffers are not made,
since nothing here shows them; the lines themselves are kept in a table of their own, so that a dump
of the database holds all of them.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.model import is_address
from fabric.systems.esonic.lab.config import text_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.lab.lines.tree import Section

    Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
    from fabric.lab.spec import StandInSpec
    from fabric.systems.sonic.lab.check import Tables

#: Table of the lines; no such table is on a real switch.
LINES = "SONIC_CLI"
_BYTES = 1000
_ADDRESSED = {"Ethernet": "INTERFACE", "Vlan": "VLAN_INTERFACE", "Loopback": "LOOPBACK_INTERFACE"}


def tables(root: Section, spec: StandInSpec) -> Tables:
    """Return CONFIG_DB, without tables that have no rows."""
    content: dict[str, Any] = {
        "DEVICE_METADATA": {"localhost": _metadata(root, spec)},
        "PORT": {port.line.split()[1]: _port(port) for port in root.below("interface Ethernet")},
        "PORT_QOS_MAP": dict(_port_qos(root)),
        "WRED_PROFILE": {
            policy.line.split()[2]: _wred(policy) for policy in root.below("qos wred-policy ")
        },
        "PFC_WD": dict(_watchdog(root)),
        "VLAN": {
            vlan.line.split()[1]: {"vlanid": vlan.line.partition("Vlan")[2]}
            for vlan in root.below("interface Vlan")
        },
        "VLAN_MEMBER": dict(_members(root)),
        **_addresses(root),
        "BGP_NEIGHBOR": dict(_neighbours(root)),
        LINES: {"lines": {"text": "".join(f"{line}\n" for line in text_lines(root))}},
    }
    return {table: rows for table, rows in content.items() if rows}


def _metadata(root: Section, spec: StandInSpec) -> dict[str, str]:
    asn = next((node.line.split()[2] for node in root.below("router bgp ")), "")
    return {
        "hostname": root.value("hostname") or "sonic",
        "hwsku": spec.model,
        "platform": f"x86_64-{spec.model.lower()}-r0",
        "mac": spec.mac,
        **({"bgp_asn": asn} if asn else {}),
    }


def _port(port: Section) -> dict[str, str]:
    fec = port.value("fec").lower()
    return {
        "admin_status": "up" if port.has("no shutdown") else "down",
        "mtu": port.value("mtu"),
        "speed": port.value("speed"),
        "description": port.value("description").strip('"'),
        **({"fec": fec} if fec else {}),
    }


def _port_qos(root: Section) -> Any:
    for port in root.below("interface Ethernet"):
        paused = [n.line.split()[2] for n in port.below("priority-flow-control priority ")]
        maps = {
            "dscp_to_tc_map": port.value("qos-map dscp-tc"),
            "tc_to_queue_map": port.value("qos-map tc-queue"),
            "tc_to_pg_map": port.value("qos-map tc-pg"),
            "pfc_enable": ",".join(sorted(paused)),
        }
        row = {name: value for name, value in maps.items() if value}
        if port.value("priority-flow-control watchdog on detect-time") and paused:
            row["pfcwd_sw_enable"] = row["pfc_enable"]
        if row:
            yield port.line.split()[1], row


def _wred(policy: Section) -> dict[str, str]:
    row = {"ecn": f"ecn_{policy.value('ecn') or 'none'}"}
    words = policy.value("green").split()
    if words:
        row |= {
            "green_min_threshold": str(int(words[1]) * _BYTES),
            "green_max_threshold": str(int(words[3]) * _BYTES),
            "green_drop_probability": words[5],
            "wred_green_enable": "true",
        }
    return row


def _watchdog(root: Section) -> Any:
    poll = root.value("priority-flow-control watchdog polling-interval")
    if poll:
        yield "GLOBAL", {"POLL_INTERVAL": poll}
    for port in root.below("interface Ethernet"):
        words = "priority-flow-control watchdog"
        detect, restore = (
            port.value(f"{words} {end}") for end in ("on detect-time", "restore-time")
        )
        if detect:
            row = {"detection_time": detect, "action": port.value(f"{words} action") or "drop"}
            yield (
                port.line.split()[1],
                {**row, **({"restoration_time": restore} if restore else {})},
            )


def _members(root: Section) -> Any:
    for port in root.below("interface Ethernet"):
        vlan = port.value("switchport access Vlan")
        if vlan:
            yield f"Vlan{vlan}|{port.line.split()[1]}", {"tagging_mode": "untagged"}


def _addresses(root: Section) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for kind, table in _ADDRESSED.items():
        for node in root.below(f"interface {kind}"):
            name = node.line.split()[1]
            for value in filter(None, (node.value("ip address"), node.value("ipv6 address"))):
                rows.setdefault(table, {}).update({name: {}, f"{name}|{value}": {}})
    return rows


def _neighbours(root: Section) -> Any:
    local = _local(root)
    for bgp in root.below("router bgp "):
        for node in bgp.below("neighbor "):
            peer = node.line.split()[-1]
            yield (
                peer,
                {
                    "asn": node.value("remote-as"),
                    "name": node.value("description").strip('"') or "NotAvailable",
                    "local_addr": _towards(local, peer),
                    "admin_status": "down" if node.has("shutdown") else "up",
                },
            )


def _local(root: Section) -> list[Interface]:
    words = ("ip address", "ipv6 address")
    values = (node.value(word) for node in root.below("interface ") for word in words)
    return [ipaddress.ip_interface(value) for value in values if value]


def _towards(local: list[Interface], peer: str) -> str:
    if not is_address(peer):  # a session over a port
        return ""
    address = ipaddress.ip_address(peer)
    return next((str(item.ip) for item in local if address in item.network), "")


def lines_of(config: Mapping[str, Any]) -> str:
    """Return the lines that a database holds."""
    return str(config.get(LINES, {}).get("lines", {}).get("text", ""))
