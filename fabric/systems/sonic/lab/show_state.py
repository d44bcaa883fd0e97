"""The counters and tables that SONiC shows, in the layouts of its own test-suite.

Known: sonic-net/sonic-utilities 202405, tests (expected outputs). Assumed: rates are 0; watermarks
are what the counters of the lab hold under their SAI names; tables of the ASIC hold what the
configuration and the sessions of the lab make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.lines.tree import natural
from fabric.lab.shell.state import Result
from fabric.lab.text_table import simple
from fabric.systems.sonic.lab.counters import database

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn

_QUEUES = range(8)
_QUEUE = "SAI_QUEUE_STAT_"
_GROUP_HEADROOM = "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"
#: Sizes of a Spectrum-3 by the names of CRM: used ones are taken from them.
_CAPACITY = {"ipv4_route": 98_304, "ipv4_neighbor": 32_768, "fdb_entry": 51_200}


def pages() -> dict[tuple[str, ...], Callable[[SonicStandIn], str]]:
    """Return what ``show`` prints behind its words."""
    return {
        ("interfaces", "counters"): _interfaces,
        ("queue", "counters"): _queues,
        ("queue", "watermark", "unicast"): _queue_watermarks,
        ("priority-group", "watermark", "headroom"): _group_watermarks,
        ("pfcwd", "stats"): watchdog_stats,
        ("ndp",): _ndp,
        ("mac",): _macs,
    }


def crm(device: SonicStandIn) -> Tool:
    """Return the command ``crm``."""

    def run(_context: Context, argv: list[str], _stdin: str) -> Result:
        if argv[1:] != ["show", "resources", "all"]:
            return Result("", "Usage: crm [OPTIONS] COMMAND [ARGS]...\n", 2)
        used = {
            "ipv4_route": len(device.addresses()),
            "ipv4_neighbor": len(device.bgp_peers),
            "fdb_entry": 0,
        }
        rows = [[name, str(used[name]), str(size - used[name])] for name, size in _CAPACITY.items()]
        headers = ["Resource Name", "Used Count", "Available Count"]
        return Result(f"\n{simple(headers, rows)}\n")

    return run


def watchdog_stats(device: SonicStandIn) -> str:
    """Return ``pfcwd show stats``: the queues that the watchdog runs on."""
    counters = database(device)
    rows = []
    for name, oid in counters["COUNTERS_QUEUE_NAME_MAP"].items():
        row = counters[f"COUNTERS:{oid}"]
        if "PFC_WD_STATUS" in row:
            storms = "/".join(
                row[f"PFC_WD_QUEUE_STATS_DEADLOCK_{what}"] for what in ("DETECTED", "RESTORED")
            )
            sent = "/".join(
                row[f"PFC_WD_QUEUE_STATS_TX_{what}"] for what in ("PACKETS", "DROPPED_PACKETS")
            )
            rows.append([name, row["PFC_WD_STATUS"], storms, sent, "0/0", "0/0", "0/0"])
    headers = ["QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP"]
    rows.sort(key=lambda cells: natural(cells[0]))
    return simple([*headers, "TX LAST OK/DROP", "RX LAST OK/DROP"], rows, right=True)


def _ports(device: SonicStandIn) -> list[str]:
    return sorted(device.table("PORT"), key=natural)


def _interfaces(device: SonicStandIn) -> str:
    rows = []
    for port in _ports(device):
        cells = [port, "U" if device.port_up(port) else "D"]
        for way in ("IN", "OUT"):
            packets, errors, drops = (
                f"{device.counters.get(port, f'SAI_PORT_STAT_IF_{way}_{name}'):,}"
                for name in ("UCAST_PKTS", "ERRORS", "DISCARDS")
            )
            cells += [packets, "0.00 B/s", "0.00%", errors, drops, "0"]
        rows.append(cells)
    ways = [
        f"{way}_{name}"
        for way in ("RX", "TX")
        for name in ("OK", "BPS", "UTIL", "ERR", "DRP", "OVR")
    ]
    return simple(["IFACE", "STATE", *ways], rows, right=True)


def _queues(device: SonicStandIn) -> str:
    headers = ["Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes"]
    stats = ("PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES")
    text = "For namespace :\n"
    for port in _ports(device):
        rows = [
            [port, f"UC{queue}"]
            + [f"{device.counters.get(f'{port}:queue {queue}', _QUEUE + name):,}" for name in stats]
            for queue in _QUEUES
        ]
        text += f"{simple(headers, rows, right=True)}\n"
    return text


def _queue_watermarks(device: SonicStandIn) -> str:
    name = f"{_QUEUE}SHARED_WATERMARK_BYTES"
    head = "Egress shared pool occupancy per unicast queue:\n"
    return head + _wide(device, "UC", "queue", name)


def _group_watermarks(device: SonicStandIn) -> str:
    return "Ingress headroom per PG:\n" + _wide(device, "PG", "pg", _GROUP_HEADROOM)


def _wide(device: SonicStandIn, title: str, what: str, name: str) -> str:
    rows = [
        [port, *(str(device.counters.get(f"{port}:{what} {number}", name)) for number in _QUEUES)]
        for port in _ports(device)
    ]
    return simple(["Port", *(f"{title}{number}" for number in _QUEUES)], rows, right=True)


def _ndp(_device: SonicStandIn) -> str:
    headers = ["Address", "MacAddress", "Iface", "Vlan", "Status"]
    return f"{simple(headers, [])}Total number of entries 0 \n"


def _macs(_device: SonicStandIn) -> str:
    headers = ["No.", "Vlan", "MacAddress", "Port", "Type"]
    return f"{simple(headers, [])}Total number of entries 0\n"
