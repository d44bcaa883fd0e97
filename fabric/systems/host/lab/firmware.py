"""What the tools of the adapter say: ibstat, ibv_devinfo, mlxconfig query, ofed_info.

Known: linux-rdma/rdma-core, infiniband-diags/ibstat.c at 691953d8; Mellanox/mstflint,
mlxconfig/mlxcfg_ui.cpp at b9d9e844 (columns of ``-e``, ``*`` before what differs); ``ofed_info -s``
ends with a colon; libibverbs/examples/devinfo.c; the MTU of RoCE is the largest that fits the
network device less 96 bytes (Linux include/rdma/ib_addr.h, iboe_get_mtu). mlxconfig needs root.
Assumed: RoCE ports alone, so LIDs are 0; a port that is down says 40 Gb/s; settings are kept in
``Card.nv_config`` and ``Card.nv_next``, ``set`` is not supported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result
from fabric.systems.host.lab.hardware import NV_DEFAULTS

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn
    from fabric.systems.host.lab.hardware import Card

OFED = "MLNX_OFED_LINUX-24.10-0.7.0.0:"
_DOWN_GBPS = 40
_HEADERS_BYTES = 96
_ROCE_MTUS_BYTES = (256, 512, 1024, 2048, 4096)


def commands(host: HostStandIn) -> dict[str, Tool]:
    """Return the commands by name."""

    def ibstat(_context: Context, argv: list[str], _stdin: str) -> Result:
        cards = [card for card in host.cards.values() if card.nic.rdma_device]
        cards = [card for card in cards if not argv[1:] or [card.nic.rdma_device] == argv[1:]]
        if not cards:
            return Result("", f"ibpanic: '{''.join(argv[1:])}' IB device can't be found\n", 255)
        return Result("".join(_ibstat(host, card) for card in cards))

    def ibv_devinfo(_context: Context, argv: list[str], _stdin: str) -> Result:
        found = [card for card in host.cards.values() if argv[1:] == ["-d", card.nic.rdma_device]]
        if not found:
            return Result("", "No IB devices found\n", 255)
        return Result(_devinfo(host, found[0]))

    def mlxconfig(context: Context, argv: list[str], _stdin: str) -> Result:
        words = [word for word in argv[1:] if word != "-e"]
        card = next((item for item in host.cards.values() if item.address in words), None)
        if not context.root:
            return Result("-E- Failed to open the device. Permission denied\n", "", 3)
        if card is None:
            return Result("-E- Failed to open the device. No such file or directory\n", "", 3)
        if words not in (["-d", card.address, "query"], ["-d", card.address, "q"]):
            return Result("-E- only -d DEVICE [-e] query is supported\n", "", 3)
        return Result(_query(card, every="-e" in argv))

    def ofed_info(_context: Context, argv: list[str], _stdin: str) -> Result:
        return Result(f"{OFED}\n") if argv[1:] == ["-s"] else Result("", "ofed_info: only -s\n", 1)

    tools: dict[str, Tool] = {"ibstat": ibstat, "ibv_devinfo": ibv_devinfo, "ofed_info": ofed_info}
    return {**tools, "mlxconfig": mlxconfig, "mstconfig": mlxconfig}


def _ibstat(host: HostStandIn, card: Card) -> str:
    up = host.link_up(card.nic.interface)
    rows = {
        "State": "Active" if up else "Down",
        "Physical state": "LinkUp" if up else "Disabled",
        "Rate": card.speed_gbps if up else _DOWN_GBPS,
        "Base lid": 0,
        "LMC": 0,
        "SM lid": 0,
        "Capability mask": "0x00010000",
        "Port GUID": f"0x{card.guid}",
        "Link layer": "Ethernet",
    }
    return (
        f"CA '{card.nic.rdma_device}'\n\tCA type: MT4129\n\tNumber of ports: 1\n"
        f"\tFirmware version: {card.firmware}\n\tHardware version: 0\n"
        f"\tNode GUID: 0x{card.guid}\n\tSystem image GUID: 0x{card.guid}\n\tPort 1:\n"
        + "".join(f"\t\t{name}: {value}\n" for name, value in rows.items())
    )


def _devinfo(host: HostStandIn, card: Card) -> str:
    room = host.network.state.links[card.nic.interface].mtu - _HEADERS_BYTES
    code, active = max(
        (n, mtu) for n, mtu in enumerate(_ROCE_MTUS_BYTES, 1) if mtu <= max(room, 256)
    )
    state = "PORT_ACTIVE (4)" if host.link_up(card.nic.interface) else "PORT_DOWN (1)"
    rows = {
        "state": state,
        "max_mtu": "4096 (5)",
        "active_mtu": f"{active} ({code})",
        "sm_lid": 0,
        "port_lid": 0,
        "port_lmc": "0x00",
        "link_layer": "Ethernet",
    }
    return (
        f"hca_id:\t{card.nic.rdma_device}\n\ttransport:\t\t\tInfiniBand (0)\n"
        f"\tfw_ver:\t\t\t\t{card.firmware}\n\tvendor_id:\t\t\t0x02c9\n\tphys_port_cnt:\t\t\t1\n"
        "\t\tport:\t1\n"
        + "".join(f"\t\t\t{name}:\t\t{value}\n" for name, value in rows.items())
        + "\n"
    )


def _query(card: Card, *, every: bool) -> str:
    columns = ("Default", "Current", "Next Boot") if every else ("Next Boot",)
    text = "\nDevice #1:\n----------\n\nDevice type:        ConnectX7           \n"
    text += "Name:               MCX75310AAS-NEA_Ax  \n"
    text += "Description:        ConnectX-7 adapter card; 400GbE / NDR IB\n"
    text += f"Device:             {card.address}        \n\n"
    titles = "".join(f"{title:<20}" for title in columns).rstrip()
    text += f"{'Configurations:':<57}{titles}\n"
    for name, current in card.nv_config.items():
        following = card.nv_next.get(name, current)
        values = (NV_DEFAULTS.get(name, current), current, following) if every else (following,)
        mark = "*" if len(set(values)) > 1 else " "
        text += f"{mark:<8}{name:<49}" + "".join(f"{value:<20}" for value in values) + "\n"
    return f"{text}The '*' shows parameters with next value different from default/current value.\n"
