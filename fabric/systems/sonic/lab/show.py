"""The reading commands of SONiC, in the layouts of its own test-suite.

Known: sonic-net/sonic-utilities 202405, tests (expected outputs of the show commands) and
doc/Command-Reference.md for ``show arp`` and ``show vlan brief``. Assumed: figures that nothing
here depends on (memory of BGP, uptime, message counts) are invented; rates are 0; watermarks are
what the counters of the lab hold under their SAI names; tables of the ASIC hold what the
configuration and the sessions of the lab make.
"""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.lab.lines.tree import natural
from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.lab.text_table import grid, simple
from fabric.systems.sonic.lab.counters import database, ports_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn

#: Sizes of a Spectrum-3 by the names of CRM: used ones are taken from them.
_CAPACITY = {"ipv4_route": 98_304, "ipv4_neighbor": 32_768, "fdb_entry": 51_200}
_QUEUE_STATS = {
    "dropbytes": "DROPPED_BYTES",
    "droppacket": "DROPPED_PACKETS",
    "totalbytes": "BYTES",
    "totalpacket": "PACKETS",
}
_HYPHENATED = ("priority-group", "headroom-pool", "fec-stats")
#: What ``show`` prints behind its words: ``show/ip-bgp-summary.j2`` behind ``ip bgp summary``.
_PAGES = {path.stem for path in (Path(__file__).parent / "pages/show").glob("*.j2")}


def _speed(value: Any) -> str:
    mbps = int(value) if str(value).isdigit() else 0
    return f"{mbps // 1000}G" if mbps >= 1000 else f"{value}M"  # noqa: PLR2004


page = pages(__file__, simple=simple, grid=grid, speed=_speed, grouped="{:,}".format)


def commands(device: SonicStandIn) -> dict[str, Tool]:
    """Return the commands ``show`` and ``crm``."""

    def show(_context: Context, argv: list[str], _stdin: str) -> Result:
        words, name = argv[1:], "-".join(argv[1:])
        if words == ["runningconfiguration", "all"]:
            return Result(json.dumps(device.running, indent=4, sort_keys=True) + "\n")
        if words[:2] == ["queue", "counters"] and words[-1] == "--json":
            return Result(_queues_json(device, words[2:-1]))
        if name in _PAGES and not any("-" in word for word in words if word not in _HYPHENATED):
            values = _VALUES[name](device) if name in _VALUES else {}
            count, ports = device.counters.get, ports_of(device)
            text = page(f"show/{name}", device=device, count=count, ports=ports, **values)
            return Result(text)
        usage = 'Usage: show [OPTIONS] COMMAND [ARGS]...\nTry "show -h" for help.\n\n'
        return Result("", f'{usage}Error: No such command "{" ".join(words)}".\n', 2)

    def crm(_context: Context, argv: list[str], _stdin: str) -> Result:
        if argv[1:] != ["show", "resources", "all"]:
            return Result("", "Usage: crm [OPTIONS] COMMAND [ARGS]...\n", 2)
        used = (len(device.addresses()), len(device.bgp_peers), 0)
        rows = zip(_CAPACITY.items(), used, strict=True)
        return Result(page("crm", resources=[(name, n, size - n) for (name, size), n in rows]))

    return {"show": show, "crm": crm}


def _bgp(device: SonicStandIn, foreign: str) -> dict[str, Any]:
    """Return the peers of a family, in whose names is nothing of the other one."""
    peers = []
    for key in sorted(device.bgp_peers, key=lambda item: natural(item.split("|")[-1])):
        state = device.bgp_state(key)
        row, peer = device.bgp_peers[key], key.split("|")[-1]
        if state is None or foreign in peer:
            continue
        asn = row.get("asn") or device.asn_there(peer)
        figures = ("0", "never", state)
        if state == "Established":
            figures = ("100", "1d00h00m", device.spec.options.get("prefixes", "4"))
        peers.append((peer, asn, *figures, row.get("name", "NotAvailable")))
    sizes = {"rib_bytes": len(peers) * 184, "peers_kib": len(peers) * 20920}
    return {"peers": peers, "own_asn": device.own_asn(), **sizes}


def _heard(device: SonicStandIn) -> dict[str, Any]:
    ports = filter(device.port_up, sorted(device.neighbours, key=natural))
    return {"heard": [(port, seen) for port in ports for seen in device.neighbours[port]]}


def _watchdog(device: SonicStandIn) -> dict[str, Any]:
    rows = device.table("PFC_WD")
    watched = [(port, rows[port]) for port in sorted(rows, key=natural) if port != "GLOBAL"]
    return {"watched": watched, "interval": rows.get("GLOBAL", {}).get("POLL_INTERVAL")}


def _watchdog_stats(device: SonicStandIn) -> dict[str, Any]:
    counters = database(device)
    queues = counters["COUNTERS_QUEUE_NAME_MAP"]
    rows = ((name, counters[f"COUNTERS:{queues[name]}"]) for name in sorted(queues, key=natural))
    return {"watched": [(name, row) for name, row in rows if "PFC_WD_STATUS" in row]}


def _arp(device: SonicStandIn) -> dict[str, Any]:
    entries = []
    for key in device.bgp_peers:
        peer = key.split("|")[-1]
        if device.bgp_state(key) == "Established" and ":" not in peer and "." in peer:
            number = int(ipaddress.ip_address(peer))
            mac = bytes([0x52, 0x54, *number.to_bytes(4, "big")]).hex(":")
            local = str(device.bgp_peers[key].get("local_addr", ""))
            entries.append((peer, mac, device.addresses().get(local, "-"), "-"))
    for key, row in device.table("NEIGH").items():
        vlan, address = key.split("|")
        members = _keys(device, "VLAN_MEMBER", vlan)
        entries.append((address, row.get("neigh", ""), next(iter(members), "-"), vlan[4:]))
    return {"entries": entries}


def _keys(device: SonicStandIn, table: str, name: str) -> list[str]:
    """Return the second parts of the keys of a row's name."""
    parts = (key.split("|") for key in device.table(table) if key.startswith(f"{name}|"))
    return [part[1] for part in parts]


def _vlans(device: SonicStandIn) -> dict[str, Any]:
    vlans = []
    for name in sorted(device.table("VLAN"), key=natural):
        ports = sorted(_keys(device, "VLAN_MEMBER", name), key=natural)
        members = device.table("VLAN_MEMBER")
        modes = [members[f"{name}|{port}"].get("tagging_mode", "") for port in ports]
        proxy = device.table("VLAN_INTERFACE").get(name, {}).get("proxy_arp", "disabled")
        helpers = device.table("VLAN")[name].get("dhcp_servers", [])
        addresses = _keys(device, "VLAN_INTERFACE", name)
        vlans.append((name[4:], addresses, ports, modes, helpers, proxy))
    return {"vlans": vlans}


#: What a page shows apart from the switch, its ports and its counters.
_VALUES: dict[str, Callable[[SonicStandIn], dict[str, Any]]] = {
    "ip-bgp-summary": lambda device: _bgp(device, ":"),
    "ipv6-bgp-summary": lambda device: _bgp(device, "."),
    "lldp-table": _heard,
    "pfc-priority": lambda device: {"maps": device.table("PORT_QOS_MAP")},
    "pfcwd-config": _watchdog,
    "pfcwd-stats": _watchdog_stats,
    "ecn": lambda device: {"profiles": sorted(device.table("WRED_PROFILE").items())},
    "interfaces-status": lambda device: {
        "members": {key.split("|")[1] for key in device.table("VLAN_MEMBER")}
    },
    "arp": _arp,
    "vlan-brief": _vlans,
}


def _queues_json(device: SonicStandIn, only: list[str]) -> str:
    def row(what: str) -> dict[str, str]:
        stats = ((name, f"SAI_QUEUE_STAT_{stat}") for name, stat in _QUEUE_STATS.items())
        return {name: str(device.counters.get(what, stat)) for name, stat in stats}

    queues = {
        port: {f"UC{queue}": row(f"{port}:queue {queue}") for queue in range(8)}
        for port in only or ports_of(device)
    }
    return json.dumps(queues, indent=2) + "\n"
