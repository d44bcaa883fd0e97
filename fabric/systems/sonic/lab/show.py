"""The reading commands of SONiC, in the layouts of its own test-suite.

Known: sonic-net/sonic-utilities 202405, tests (expected outputs of the show commands) and
doc/Command-Reference.md for ``show arp`` and ``show vlan brief``. Assumed: figures that nothing
here depends on (memory of BGP, uptime, message counts) are invented.
"""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING

from fabric.lab.lines.tree import natural
from fabric.lab.shell.state import Result
from fabric.lab.text_table import grid, simple
from fabric.systems.sonic.lab import show_state as sonic_show_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn

_PRIORITIES = range(8)


def commands(device: SonicStandIn) -> dict[str, Tool]:
    """Return the command ``show``."""
    pages: dict[tuple[str, ...], Callable[[SonicStandIn], str]] = {
        ("runningconfiguration", "all"): _running,
        ("version",): _version,
        ("platform", "summary"): _platform,
        ("ip", "bgp", "summary"): _bgp,
        ("lldp", "table"): _lldp,
        ("pfc", "counters"): _pfc_counters,
        ("pfc", "priority"): _pfc_priority,
        ("pfc", "asymmetric"): _pfc_asymmetric,
        ("pfcwd", "config"): _watchdog,
        ("ecn",): _ecn,
        ("interfaces", "status"): _status,
        ("arp",): _arp,
        ("vlan", "brief"): _vlans,
        ("priority-group", "drop", "counters"): _group_drops,
        **sonic_show_state.pages(),
    }

    def show(_context: Context, argv: list[str], _stdin: str) -> Result:
        words = tuple(argv[1:])
        if words in pages:
            return Result(pages[words](device))
        if words[:2] == ("queue", "counters") and words[-1] == "--json":
            return Result(_queues_json(device, words[2] if len(words) == 4 else None))  # noqa: PLR2004
        usage = 'Usage: show [OPTIONS] COMMAND [ARGS]...\nTry "show -h" for help.\n\n'
        return Result("", f'{usage}Error: No such command "{" ".join(words)}".\n', 2)

    return {"show": show, "crm": sonic_show_state.crm(device)}


def _ports(device: SonicStandIn) -> list[str]:
    return sorted(device.table("PORT"), key=natural)


def _running(device: SonicStandIn) -> str:
    return json.dumps(device.running, indent=4, sort_keys=True) + "\n"


def _platform(device: SonicStandIn) -> str:
    row = device.metadata()
    return (
        f"Platform: {device.platform}\nHwSKU: {row.get('hwsku', '')}\nASIC: {device.asic}\n"
        f"ASIC Count: 1\nSerial Number: {device.spec.serial}\n"
        f"Model Number: {device.spec.model}\nHardware Revision: N/A\n"
    )


def _version(device: SonicStandIn) -> str:
    return (
        f"\nSONiC Software Version: SONiC.{device.release}.0\nSONiC OS Version: 12\n"
        "Distribution: Debian 12.5\nKernel: 6.1.0-11-2-amd64\nBuild commit: 000000000\n"
        f"Build date: Thu Jan  1 00:00:00 UTC 1970\nBuilt by: lab\n\n{_platform(device)}"
        "Uptime: 00:00:00 up 1 day,  0:00,  1 user,  load average: 0.00, 0.00, 0.00\n"
        "Date: Thu 01 Jan 1970 00:00:00\n\nDocker images:\n"
        "REPOSITORY    TAG    IMAGE ID    SIZE\n"
    )


def _bgp(device: SonicStandIn) -> str:
    rows = []
    for key in sorted(device.bgp_peers, key=lambda item: natural(item.split("|")[-1])):
        state = device.bgp_state(key)
        if state is None:
            continue
        row = device.bgp_peers[key]
        up = state == "Established"
        count = "100" if up else "0"
        peer = key.split("|")[-1]
        asn = str(row.get("asn") or device.spec.options.get(f"asn {peer}", "0"))
        prefixes = device.spec.options.get("prefixes", "4")
        since = "1d00h00m" if up else "never"
        figures = ["4", asn, count, count, "0", "0", "0", since, prefixes if up else state]
        rows.append([peer, *figures, str(row.get("name", "NotAvailable"))])
    headers = "Neighbhor V AS MsgRcvd MsgSent TblVer InQ OutQ Up/Down State/PfxRcd NeighborName"
    asn = device.metadata().get("bgp_asn") or device.table("BGP_GLOBALS").get("default", {}).get(
        "local_asn", "0"
    )
    return (
        f"\nIPv4 Unicast Summary:\nBGP router identifier {device.router_id() or '0.0.0.0'}, "
        f"local AS number {asn} vrf-id 0\nBGP table version {len(rows)}\n"
        f"RIB entries {len(rows)}, using {len(rows) * 184} bytes of memory\n"
        f"Peers {len(rows)}, using {len(rows) * 20920} KiB of memory\n"
        f"Peer groups 0, using 0 bytes of memory\n\n\n{simple(headers.split(), rows)}\n"
        f"Total number of neighbors {len(rows)}\n"
    )


def _lldp(device: SonicStandIn) -> str:
    rows = [
        [port, neighbour.system_name, neighbour.port_id, "BR", neighbour.port_id]
        for port in sorted(device.neighbours, key=natural)
        for neighbour in device.neighbours[port]
        if device.port_up(port)
    ]
    headers = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"]
    table = simple(headers, rows)
    return (
        f"Capability codes: (R) Router, (B) Bridge, (O) Other\n{table}"
        f"{'-' * 50}\nTotal entries displayed:  {len(rows)}\n"
    )


def _pfc_counters(device: SonicStandIn) -> str:
    tables = []
    for way in ("Rx", "Tx"):
        names = [f"SAI_PORT_STAT_PFC_{number}_{way.upper()}_PKTS" for number in _PRIORITIES]
        rows = [
            [port, *(f"{device.counters.get(port, name):,}" for name in names)]
            for port in _ports(device)
        ]
        headers = [f"Port {way}", *(f"PFC{number}" for number in _PRIORITIES)]
        tables.append(simple(headers, rows, right=True))
    return "\n".join(tables)


def _group_drops(device: SonicStandIn) -> str:
    name = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"
    rows = [
        [port, *(str(device.counters.get(f"{port}:pg {group}", name)) for group in range(8))]
        for port in _ports(device)
    ]
    headers = ["Port", *(f"PG{group}" for group in range(8))]
    return "Ingress PG dropped packets:\n" + simple(headers, rows, right=True)


def _pfc_priority(device: SonicStandIn) -> str:
    rows = [
        [port, str(device.table("PORT_QOS_MAP").get(port, {}).get("pfc_enable") or "N/A")]
        for port in _ports(device)
        if port in device.table("PORT_QOS_MAP")
    ]
    return f"\n{simple(['Interface', 'Lossless priorities'], _text(rows))}\n"


def _text(rows: list[list[str]]) -> list[list[str]]:
    """``3`` alone would be a number to tabulate; SONiC prints it to the left all the same."""
    return [[name, value if "," in value else f"{value} "] for name, value in rows]


def _pfc_asymmetric(device: SonicStandIn) -> str:
    ports = device.table("PORT")
    rows = [[port, str(ports[port].get("pfc_asym", "N/A"))] for port in _ports(device)]
    return f"\n{simple(['Interface', 'Asymmetric'], rows)}\n"


def _watchdog(device: SonicStandIn) -> str:
    rows = device.table("PFC_WD")
    interval = rows.get("GLOBAL", {}).get("POLL_INTERVAL")
    head = f"Changed polling interval to {interval}ms\n" if interval else ""
    table = [
        [
            port,
            str(rows[port].get("action", "N/A")),
            str(rows[port].get("detection_time", "N/A")),
            str(rows[port].get("restoration_time", "infinite")),
        ]
        for port in sorted(rows, key=natural)
        if port != "GLOBAL"
    ]
    headers = ["PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME"]
    return head + simple(headers, table, right=True)


def _ecn(device: SonicStandIn) -> str:
    text = ""
    for name, row in sorted(device.table("WRED_PROFILE").items()):
        rows = [[field, str(value)] for field, value in row.items()]
        text += f"Profile: {name}\n{simple((), rows)}\n"
    return text


def _speed(value: str) -> str:
    return f"{int(value) // 1000}G" if value.isdigit() and int(value) >= 1000 else f"{value}M"  # noqa: PLR2004


def _status(device: SonicStandIn) -> str:
    members = {key.split("|")[1] for key in device.table("VLAN_MEMBER")}
    rows = []
    for port in _ports(device):
        row = device.table("PORT")[port]
        figures = [str(row.get("lanes", "N/A")), _speed(str(row.get("speed", "N/A")))]
        figures += [str(row.get("mtu", "9100")), str(row.get("fec", "N/A"))]
        figures += [str(row.get("alias", "N/A")), "trunk" if port in members else "routed"]
        figures += ["up" if device.port_up(port) else "down", str(row.get("admin_status", "down"))]
        rows.append([port, *figures, "QSFP-DD Double Density 8X", str(row.get("pfc_asym", "N/A"))])
    headers = ["Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin"]
    return simple([*headers, "Type", "Asym PFC"], rows, right=True)


def _arp(device: SonicStandIn) -> str:
    rows = []
    for key in device.bgp_peers:
        peer = key.split("|")[-1]
        if device.bgp_state(key) == "Established" and ":" not in peer and "." in peer:
            number = int(ipaddress.ip_address(peer))
            octets = [0x52, 0x54, *number.to_bytes(4, "big")]
            mac = ":".join(f"{octet:02x}" for octet in octets)
            local = str(device.bgp_peers[key].get("local_addr", ""))
            rows.append([peer, mac, device.addresses().get(local, "-"), "-"])
    for key, row in device.table("NEIGH").items():
        vlan, address = key.split("|")
        port = next(
            (k.split("|")[1] for k in device.table("VLAN_MEMBER") if k.startswith(vlan + "|")), "-"
        )
        rows.append([address, str(row.get("neigh", "")), port, vlan[4:]])
    headers = ["Address", "MacAddress", "Iface", "Vlan"]
    return f"{simple(headers, rows)}Total number of entries {len(rows)} \n"


def _vlans(device: SonicStandIn) -> str:
    rows = []
    for name in sorted(device.table("VLAN"), key=natural):
        addresses = [
            key.split("|")[1]
            for key in device.table("VLAN_INTERFACE")
            if key.startswith(f"{name}|")
        ]
        members = {
            key.split("|")[1]: str(row.get("tagging_mode", ""))
            for key, row in device.table("VLAN_MEMBER").items()
            if key.startswith(f"{name}|")
        }
        ports = sorted(members, key=natural)
        proxy = str(device.table("VLAN_INTERFACE").get(name, {}).get("proxy_arp", "disabled"))
        helpers = device.table("VLAN")[name].get("dhcp_servers", [])
        cells = [[name[4:]], addresses, ports, [members[port] for port in ports], helpers, [proxy]]
        rows.append([cell or [""] for cell in cells])
    headers = ["VLAN ID", "IP Address", "Ports", "Port Tagging", "DHCP Helper Address", "Proxy ARP"]
    return "\n" + grid(headers, rows)


def _queues_json(device: SonicStandIn, only: str | None) -> str:
    queues: dict[str, dict[str, dict[str, str]]] = {}
    names = {
        "dropbytes": "DROPPED_BYTES",
        "droppacket": "DROPPED_PACKETS",
        "totalbytes": "BYTES",
        "totalpacket": "PACKETS",
    }
    for port in [only] if only else _ports(device):
        queues[port] = {
            f"UC{queue}": {
                name: str(device.counters.get(f"{port}:queue {queue}", f"SAI_QUEUE_STAT_{stat}"))
                for name, stat in names.items()
            }
            for queue in range(8)
        }
    return json.dumps(queues, indent=2) + "\n"
