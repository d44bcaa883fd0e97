"""RDMA tools of a GPU host, and LLDP.

Known: Mellanox/mlnx-tools (sbin/show_gids, cma_roce_mode, cma_roce_tos), iproute2 (rdma link -j),
lldpd (lldpcli -f json). The GID table starts with the link-local address as v1 and v2,
then each address adds such a pair in the order of its arrival (Linux drivers/infiniband/core/
roce_gid_mgmt.c). Assumed: one port per RDMA device; without link-local addresses the default GIDs
are there all the same.
"""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Any

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.systems.host.lab.kernel import CONFIGFS
from fabric.systems.host.lab.net import link_local

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.lab.spec import NicSpec
    from fabric.systems.host.lab import HostStandIn

page = pages(__file__)
_MODES = {"1": "IB/RoCE v1", "2": "RoCE v2"}


def commands(host: HostStandIn) -> dict[str, Tool]:
    """Return the commands by name."""
    tools = _Rdma(host)
    return {
        "show_gids": tools.show_gids,
        "ibdev2netdev": tools.ibdev2netdev,
        "rdma": tools.rdma,
        "cma_roce_mode": tools.cma_roce_mode,
        "cma_roce_tos": tools.cma_roce_tos,
        "lldpcli": tools.lldpcli,
    }


def gids(host: HostStandIn, nic: NicSpec) -> list[tuple[str, str]]:
    """Return (GID, IPv4 address or empty) by half of the index: each is there as v1 and v2."""
    table = [(ipaddress.IPv6Address(link_local(nic.mac)).exploded, "")]
    for text in host.network.state.links[nic.interface].addresses:
        address = ipaddress.ip_interface(text).ip
        if isinstance(address, ipaddress.IPv4Address):
            mapped = ipaddress.IPv6Address(f"::ffff:{address}")
            table.append((mapped.exploded, str(address)))
        else:
            table.append((address.exploded, ""))
    return table


class _Rdma:
    def __init__(self, host: HostStandIn) -> None:
        self._host = host

    def _nic(self, device: str) -> NicSpec | None:
        return next((nic for nic in self._host.rdma_nics if nic.rdma_device == device), None)

    def _up(self, nic: NicSpec) -> bool:
        return self._host.link_up(nic.interface)

    def show_gids(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        chosen = [
            nic for nic in self._host.rdma_nics if nic.rdma_device in argv[1:] or not argv[1:]
        ]
        rows = [
            (nic, 2 * half + version - 1, gid, ipv4, version)
            for nic in sorted(chosen, key=lambda nic: nic.rdma_device)
            for half, (gid, ipv4) in enumerate(gids(self._host, nic))
            for version in (1, 2)
        ]
        return Result(page("show_gids", gids=rows))

    def ibdev2netdev(self, _context: Context, _argv: list[str], _stdin: str) -> Result:
        rows = (
            f"{nic.rdma_device} port 1 ==> {nic.interface} ({'Up' if self._up(nic) else 'Down'})\n"
            for nic in self._host.rdma_nics
        )
        return Result("".join(rows))

    def rdma(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        words = [word for word in argv[1:] if word not in ("-j", "-p")]
        if words[:1] in (["statistic"], ["stat"]):
            return self._host.counters.statistic(words[1:], as_json="-j" in argv)
        if words not in (["link"], ["link", "show"]):
            return Result("", "rdma: only link [show] and statistic are supported\n", 1)
        rows: list[dict[str, Any]] = []
        names = list(self._host.network.state.links)
        for number, nic in enumerate(self._host.rdma_nics):
            up = self._up(nic)
            row = {"ifindex": number, "ifname": nic.rdma_device, "port": 1}
            row |= {"state": "ACTIVE" if up else "DOWN"}
            row |= {"physical_state": "LINK_UP" if up else "DISABLED", "netdev": nic.interface}
            rows.append(row | {"netdev_index": names.index(nic.interface) + 1})
        if "-j" in argv:
            return Result(json.dumps(rows) + "\n")
        lines = (
            f"link {row['ifname']}/1 state {row['state']} physical_state {row['physical_state']} "
            f"netdev {row['netdev']}\n"
            for row in rows
        )
        return Result("".join(lines))

    def _cma(self, context: Context, argv: list[str]) -> tuple[dict[str, str], Result | None]:
        options = {"-d": "mlx5_0", "-p": "1"}
        options |= dict(zip(argv[1::2], argv[2::2], strict=False))
        if not context.root:
            return options, Result("You must be root to run this\n", "", 1)
        if not self._host.modules & {"rdma_cm"}:
            text = "Module rdma_cm is not loaded or does not support configfs\n"
            return options, Result(text, "", 1)
        if self._nic(options["-d"]) is None:
            text = f"Failed to create configuration for {options['-d']}\n"
            return options, Result(text, "", 1)
        if options["-p"] != "1":
            text = f"Device {options['-d']} port {options['-p']} does not exist\n"
            return options, Result(text, "", 1)
        return options, None

    def cma_roce_mode(self, context: Context, argv: list[str], _stdin: str) -> Result:
        options, refusal = self._cma(context, argv)
        if refusal:
            return refusal
        path = f"{CONFIGFS}/{options['-d']}/ports/1/default_roce_mode"
        if options.get("-m") in _MODES:
            self._host.fs.write(path, _MODES[options["-m"]] + "\n")
        return Result(self._host.fs.read(path))

    def cma_roce_tos(self, context: Context, argv: list[str], _stdin: str) -> Result:
        options, refusal = self._cma(context, argv)
        if refusal:
            return refusal
        traffic_class = options.get("-t")
        path, error = f"{CONFIGFS}/{options['-d']}/ports/1/default_roce_tos", ""
        if traffic_class is not None:
            try:
                self._host.fs.write(path, f"{traffic_class}\n")
            except OSError:
                error = "cma_roce_tos: line 99: echo: write error: Invalid argument\n"
        return Result(self._host.fs.read(path), error)

    def lldpcli(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        words = argv[1:]
        if "-f" not in words or words[(words.index("-f") + 1) :][:1] != ["json"]:
            return Result("", "lldpcli: only -f json is supported\n", 1)
        rows: list[dict[str, Any]] = []
        for neighbour in self._host.spec.neighbours:
            if not self._host.link_up(neighbour.local_port):
                continue
            mac = neighbour.chassis_mac
            chassis = {neighbour.system_name: {"id": {"type": "mac", "value": mac}}}
            port = {
                "id": {"type": "ifname", "value": neighbour.port_id},
                "descr": neighbour.port_id,
            }
            body = {"via": "LLDP", "rid": str(len(rows) + 1), "age": "0 day, 00:10:00"}
            rows.append({neighbour.local_port: body | {"chassis": chassis, "port": port}})
        interface: Any = rows[0] if len(rows) == 1 else rows
        lldp = {"interface": interface} if rows else {}
        return Result(json.dumps({"lldp": lldp}, indent=2) + "\n")
