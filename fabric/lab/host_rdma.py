"""RDMA and Ethernet tools of a GPU host.

Known: Mellanox/mlnx-tools (sbin/show_gids, cma_roce_mode, cma_roce_tos), iproute2 (rdma link -j),
lldpd (lldpcli -f json), ethtool. The GID table starts with the link-local address as v1 and v2,
then each address adds such a pair in the order of its arrival (Linux drivers/infiniband/core/
roce_gid_mgmt.c). Assumed: one port per RDMA device; without link-local addresses the default GIDs
are there all the same.
"""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Any

from fabric.lab.host_net import link_local
from fabric.lab.shell_types import Result

if TYPE_CHECKING:
    from fabric.lab.host import HostStandIn
    from fabric.lab.shell_types import Context, Tool
    from fabric.lab.spec import NicSpec

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
        "ethtool": tools.ethtool,
    }


def gids(host: HostStandIn, nic: NicSpec) -> list[tuple[str, str]]:
    """Return (GID, IPv4 address or empty) by half of the index: each is there as v1 and v2."""
    found = [(ipaddress.IPv6Address(link_local(nic.mac)).exploded, "")]
    for text in host.network.state.links[nic.interface].addresses:
        address = ipaddress.ip_interface(text).ip
        if isinstance(address, ipaddress.IPv4Address):
            mapped = ipaddress.IPv6Address(f"::ffff:{address}")
            found.append((mapped.exploded, str(address)))
        else:
            found.append((address.exploded, ""))
    return found


class _Rdma:
    def __init__(self, host: HostStandIn) -> None:
        self._host = host

    def _nic(self, device: str) -> NicSpec | None:
        return next((nic for nic in self._host.spec.nics if nic.rdma_device == device), None)

    def _up(self, nic: NicSpec) -> bool:
        return self._host.link_up(nic.interface)

    def show_gids(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        text = "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n"
        text += "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
        count = 0
        for nic in sorted(self._host.spec.nics, key=lambda nic: nic.rdma_device):
            if argv[1:] and nic.rdma_device not in argv[1:]:
                continue
            for half, (gid, ipv4) in enumerate(gids(self._host, nic)):
                for version in (1, 2):
                    shown = f"{ipv4}  " if ipv4 else "\t"
                    index = 2 * half + version - 1
                    text += f"{nic.rdma_device}\t1\t{index}\t{gid}\t{shown}\tv{version}"
                    text += f"\t{nic.interface}\n"
                    count += 1
        return Result(f"{text}n_gids_found={count}\n")

    def ibdev2netdev(self, _context: Context, _argv: list[str], _stdin: str) -> Result:
        rows = (
            f"{nic.rdma_device} port 1 ==> {nic.interface} ({'Up' if self._up(nic) else 'Down'})\n"
            for nic in self._host.spec.nics
        )
        return Result("".join(rows))

    def rdma(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        words = [word for word in argv[1:] if word not in ("-j", "-p")]
        if words not in (["link"], ["link", "show"]):
            return Result("", "rdma: only link [show] is supported\n", 1)
        rows: list[dict[str, Any]] = []
        names = list(self._host.network.state.links)
        for number, nic in enumerate(self._host.spec.nics):
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
        modes = self._host.cma_mode
        if options.get("-m") in _MODES:
            modes[options["-d"]] = _MODES[options["-m"]]
        return Result(modes.get(options["-d"], "RoCE v2") + "\n")

    def cma_roce_tos(self, context: Context, argv: list[str], _stdin: str) -> Result:
        options, refusal = self._cma(context, argv)
        if refusal:
            return refusal
        wanted = options.get("-t")
        error = ""
        if wanted is not None:
            if wanted.isdigit() and int(wanted) <= 255:  # noqa: PLR2004  (one byte)
                self._host.cma_tos[options["-d"]] = int(wanted)
            else:
                error = "cma_roce_tos: line 99: echo: write error: Invalid argument\n"
        return Result(f"{self._host.cma_tos.get(options['-d'], 0)}\n", error)

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

    def ethtool(self, context: Context, argv: list[str], _stdin: str) -> Result:
        option = argv[1] if len(argv) > 1 and argv[1].startswith("-") else ""
        name = argv[2] if option and len(argv) > 2 else (argv[1] if len(argv) > 1 else "")  # noqa: PLR2004
        nic = next((item for item in self._host.spec.nics if item.interface == name), None)
        if nic is None:
            return Result("", "netlink error: No such device\n", 1)
        pause = self._host.pause[name]
        if option == "-i":
            text = "driver: mlx5_core\nversion: 6.1.0\nfirmware-version: 28.39.1002\n"
            text += f"bus-info: {nic.pci_address}\n"
            return Result(text)
        if option == "-a":
            states = "".join(f"{way.upper()}:\t\t{pause[way]}\n" for way in ("rx", "tx"))
            return Result(f"Pause parameters for {name}:\nAutonegotiate:\toff\n{states}\n")
        if option == "--set-tunable":
            return self._set_storm(context, name, argv[3:])
        if option == "-A":
            return self._set_pause(context, pause, argv[3:])
        if option == "-S":
            counts = self._host.counters[name]
            return Result(
                "NIC statistics:\n" + "".join(f"     {k}: {v}\n" for k, v in counts.items())
            )
        if option:
            return Result("", f"ethtool: {option} is not supported\n", 1)
        link = "yes" if self._up(nic) else "no"
        speed = f"{nic.speed_gbps * 1000}Mb/s" if self._up(nic) else "Unknown!"
        return Result(f"Settings for {name}:\n\tSpeed: {speed}\n\tLink detected: {link}\n")

    def _set_storm(self, context: Context, name: str, words: list[str]) -> Result:
        match words:
            case ["pfc-prevention-tout", value] if value.isdigit() and context.root:
                milliseconds = int(value)
            case _:
                return Result("", "ethtool: bad command line argument(s)\n", 1)
        if milliseconds not in (0, 65535) and not 80 <= milliseconds <= 8000:  # noqa: PLR2004
            return Result("", "netlink error: Invalid argument\n", 1)
        self._host.storm_ms[name] = milliseconds
        return Result()

    @staticmethod
    def _set_pause(context: Context, pause: dict[str, str], words: list[str]) -> Result:
        if not context.root:
            return Result("", "netlink error: Operation not permitted\n", 1)
        wanted = dict(zip(words[::2], words[1::2], strict=False))
        bad = set(wanted) - {"rx", "tx", "autoneg"} or set(wanted.values()) - {"on", "off"}
        if bad or not wanted:
            return Result("", "ethtool: bad command line argument(s)\n", 1)
        if wanted.pop("autoneg", "off") == "on":
            return Result("", "netlink error: Operation not supported\n", 1)
        pause.update(wanted)
        return Result()
