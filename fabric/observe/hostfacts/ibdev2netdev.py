"""``ibdev2netdev`` (Mellanox/mlnx-tools): which network device belongs to an RDMA device."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import interface_name, number, rdma_name, shown
from fabric.observe.parsers import UnreadableError

_ROW = re.compile(r"(\S{1,64}) port ([0-9]{1,3}) ==> (\S{1,64}) \((Up|Down)\)\s*")


@dataclass(frozen=True, slots=True)
class RdmaNetdev:
    """One port of an RDMA device and its network device."""

    device: str
    port: int
    interface: str
    up: bool


@reads("ibdev2netdev", "ibdev2netdev")
def parse_ibdev2netdev(text: str) -> tuple[RdmaNetdev, ...]:
    """Parse ``mlx5_0 port 1 ==> eth0 (Up)`` (without ``-v``).

    Raises
    ------
    UnreadableError
        When a line reads otherwise, or a port stands twice.
    """
    found = tuple(_row(line) for line in whole_lines(text) if line.strip())
    if len({(row.device, row.port) for row in found}) != len(found):
        raise UnreadableError("ibdev2netdev printed a port twice")
    return found


def _row(line: str) -> RdmaNetdev:
    match = _ROW.fullmatch(line)
    if not match:
        raise UnreadableError(f"ibdev2netdev printed {shown(line)}")
    device, port, interface, state = match.groups()
    return RdmaNetdev(
        rdma_name(device), number(port, "port"), interface_name(interface), state == "Up"
    )
