"""``ibv_devinfo`` (linux-rdma/rdma-core, libibverbs/examples/devinfo.c at 691953d8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import shown
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

_PORT = re.compile(r"port:\s+([0-9]{1,3})")
_MTU = re.compile(r"active_mtu:\s+(256|512|1024|2048|4096) \([1-5]\)")


@reads("ibv_devinfo", "ibv_devinfo -d {rdma_device}")
def parse_ibv_devinfo(text: str) -> Mapping[int, int]:
    """Parse the MTU in bytes that each port of one RDMA device uses.

    Raises
    ------
    UnreadableError
        When a port has no MTU, or there is no port.
    """
    found: dict[int, int | None] = {}
    port = 0
    for line in whole_lines(text):
        if match := _PORT.fullmatch(line.strip()):
            port = int(match[1])
            found[port] = None
        elif match := _MTU.fullmatch(line.strip()):
            if found.get(port, 0) is not None:
                raise UnreadableError(f"ibv_devinfo printed {shown(line.strip())} out of place")
            found[port] = int(match[1])
    known = {port: mtu for port, mtu in found.items() if mtu is not None}
    if not known or len(known) != len(found):
        raise UnreadableError("ibv_devinfo printed a port without its MTU, or no port")
    return known
