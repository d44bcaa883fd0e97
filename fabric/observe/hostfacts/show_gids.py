"""``show_gids`` (Mellanox/mlnx-tools, sbin/show_gids)."""

from __future__ import annotations

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import interface_name, rdma_name
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.gids import Gid, show_gids


@reads("show_gids", "show_gids")
def parse_show_gids(text: str) -> tuple[Gid, ...]:
    """Parse the GID table of a host; the interface of a link that is down may be empty.

    Raises
    ------
    UnreadableError
        When the table is cut or contradicts itself, or a name is none.
    """
    found = show_gids(text)
    for gid in found:
        rdma_name(gid.device)
        if gid.interface:
            interface_name(gid.interface)
    if len({(gid.device, gid.port, gid.index) for gid in found}) != len(found):
        raise UnreadableError("show_gids printed an index of a port twice")
    return found
