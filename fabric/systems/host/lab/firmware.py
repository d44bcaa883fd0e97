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

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.systems.host.lab.hardware import NV_DEFAULTS

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn
    from fabric.systems.host.lab.hardware import Card

page = pages(__file__)
OFED = "MLNX_OFED_LINUX-24.10-0.7.0.0:"
_HEADERS_BYTES = 96
_ROCE_MTUS_BYTES = (256, 512, 1024, 2048, 4096)


def commands(host: HostStandIn) -> dict[str, Tool]:
    """Return the commands by name."""

    def ibstat(_context: Context, argv: list[str], _stdin: str) -> Result:
        cards = [card for card in host.cards.values() if card.nic.rdma_device]
        cards = [card for card in cards if not argv[1:] or [card.nic.rdma_device] == argv[1:]]
        if not cards:
            return Result("", f"ibpanic: '{''.join(argv[1:])}' IB device can't be found\n", 255)
        states = [(card, host.link_up(card.nic.interface)) for card in cards]
        return Result(page("ibstat", cards=states))

    def ibv_devinfo(_context: Context, argv: list[str], _stdin: str) -> Result:
        cards = [card for card in host.cards.values() if argv[1:] == ["-d", card.nic.rdma_device]]
        if not cards:
            return Result("", "No IB devices found\n", 255)
        return Result(_devinfo(host, cards[0]))

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


def _devinfo(host: HostStandIn, card: Card) -> str:
    room = host.network.state.links[card.nic.interface].mtu - _HEADERS_BYTES
    code, mtu = max((n, mtu) for n, mtu in enumerate(_ROCE_MTUS_BYTES, 1) if mtu <= max(room, 256))
    up = host.link_up(card.nic.interface)
    return page("ibv_devinfo", card=card, up=up, code=code, mtu=mtu)


def _query(card: Card, *, every: bool) -> str:
    rows = []
    for name, current in card.nv_config.items():
        following = card.nv_next.get(name, current)
        default = NV_DEFAULTS.get(name, current)
        rows.append((name, (default, current, following) if every else (following,)))
    return page("mlxconfig", card=card, every=every, rows=rows)
