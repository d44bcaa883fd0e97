"""``ibstat`` (linux-rdma/rdma-core, infiniband-diags/ibstat.c at 691953d8).

``ibv_devinfo`` (linux-rdma/rdma-core, libibverbs/examples/devinfo.c at 691953d8).

``ibdev2netdev`` (Mellanox/mlnx-tools): which network device belongs to an RDMA device.

``show_gids`` (Mellanox/mlnx-tools, sbin/show_gids).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bps
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.gids import Gid, show_gids
from fabric.observe.hostfacts.values import (
    choice,
    interface_name,
    number,
    pairs,
    rdma_name,
    shown,
    wanted,
    whole_lines,
    word,
)
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping


_DEVICE = re.compile(r"(CA|Switch|Router|iWARP RNIC) '(\S{1,64})'")
_PORT = re.compile(r"\s+Port ([0-9]{1,3}):")
_GUID = re.compile(r"0x[0-9a-f]{16}")
_STATES = ("Down", "Initializing", "Armed", "Active")
#: ``port_phy_state_str`` of ibstat.c.
_PHYSICAL = (
    "No state change",
    "Sleep",
    "Polling",
    "Disabled",
    "PortConfigurationTraining",
    "LinkUp",
    "LinkErrorRecovery",
    "PhyTest",
)


_DEVINFO_PORT = re.compile(r"port:\s+([0-9]{1,3})")
_MTU = re.compile(r"active_mtu:\s+(256|512|1024|2048|4096) \([1-5]\)")
_ROW = re.compile(r"(\S{1,64}) port ([0-9]{1,3}) ==> (\S{1,64}) \((Up|Down)\)\s*")


@dataclass(frozen=True, slots=True)
class IbPort:
    """A port of an RDMA device; ``link_layer`` is ``Ethernet`` (RoCE, iWARP) or ``InfiniBand``.

    ``rate_bps`` is what the port says, also while it is down.
    """

    number: int
    state: str
    physical_state: str
    rate_bps: int
    link_layer: str
    base_lid: int
    sm_lid: int
    guid: str

    @property
    def infiniband(self) -> bool:
        """Whether a subnet manager rules this link, and no Ethernet switch."""
        return self.link_layer == "InfiniBand"


@dataclass(frozen=True, slots=True)
class IbDevice:
    """An RDMA device; ``kind`` is ``CA`` for RoCE and InfiniBand, else as ibstat names it.

    Soft-RoCE has neither model nor firmware: the kernel has no files for them.
    """

    name: str
    kind: str
    model: str | None
    firmware: str | None
    node_guid: str
    ports: tuple[IbPort, ...]


@reads("ibstat", "ibstat")
def parse_ibstat(text: str) -> tuple[IbDevice, ...]:
    """Parse the devices with all of their ports.

    Raises
    ------
    UnreadableError
        When a device or port is cut, or says what ibstat never says.
    """
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in whole_lines(text):
        if match := _DEVICE.fullmatch(line.rstrip()):
            blocks.append((match, []))
        elif line.strip():
            if not blocks or not line[0].isspace():
                raise UnreadableError(f"ibstat printed {shown(line)}")
            blocks[-1][1].append(line)
    devices = tuple(_device(match, lines) for match, lines in blocks)
    if not devices or len({device.name for device in devices}) != len(devices):
        raise UnreadableError("ibstat printed no devices, or one twice")
    return devices


def _device(match: re.Match[str], lines: list[str]) -> IbDevice:
    starts = [number for number, line in enumerate(lines) if _PORT.fullmatch(line.rstrip())]
    head = pairs(lines[: starts[0]] if starts else lines)
    ends = [*starts, len(lines)][1:]
    ports = tuple(_port(lines[start:end]) for start, end in zip(starts, ends, strict=True))
    name = rdma_name(match[2])
    if number(wanted(head, "Number of ports"), "number of ports") != len(ports):
        raise UnreadableError(f"ibstat did not print every port of {name}")
    return IbDevice(
        name=name,
        kind=match[1],
        model=_word(wanted(head, f"{match[1]} type"), "type of an RDMA device"),
        firmware=_word(wanted(head, "Firmware version"), "version of firmware"),
        node_guid=_guid(wanted(head, "Node GUID")),
        ports=ports,
    )


def _word(text: str, kind: str) -> str | None:
    return word(text, kind) if text else None


def _port(lines: list[str]) -> IbPort:
    values = pairs(lines[1:])
    rate = wanted(values, "Rate").removesuffix(" (FDR10)")
    return IbPort(
        number=number(lines[0].strip()[5:-1], "port"),
        state=choice(wanted(values, "State"), _STATES, "state of a port"),
        physical_state=choice(wanted(values, "Physical state"), _PHYSICAL, "physical state"),
        rate_bps=round(gbps_to_bps(2.5 if rate == "2.5" else number(rate, "rate", high=10_000))),
        link_layer=choice(wanted(values, "Link layer"), ("Ethernet", "InfiniBand"), "link layer"),
        base_lid=number(wanted(values, "Base lid"), "LID"),
        sm_lid=number(wanted(values, "SM lid"), "LID"),
        guid=_guid(wanted(values, "Port GUID")),
    )


def _guid(text: str) -> str:
    if not _GUID.fullmatch(text):
        raise UnreadableError(f"{shown(text)} is not a GUID")
    return text


@reads("ibv_devinfo", "ibv_devinfo -d {rdma_device}")
def parse_ibv_devinfo(text: str) -> Mapping[int, int]:
    """Parse the MTU in bytes that each port of one RDMA device uses.

    Raises
    ------
    UnreadableError
        When a port has no MTU, or there is no port.
    """
    mtus: dict[int, int | None] = {}
    port = 0
    for line in whole_lines(text):
        if match := _DEVINFO_PORT.fullmatch(line.strip()):
            port = int(match[1])
            mtus[port] = None
        elif match := _MTU.fullmatch(line.strip()):
            if mtus.get(port, 0) is not None:
                raise UnreadableError(f"ibv_devinfo printed {shown(line.strip())} out of place")
            mtus[port] = int(match[1])
    known = {port: mtu for port, mtu in mtus.items() if mtu is not None}
    if not known or len(known) != len(mtus):
        raise UnreadableError("ibv_devinfo printed a port without its MTU, or no port")
    return known


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
    devices = tuple(_row(line) for line in whole_lines(text) if line.strip())
    if len({(row.device, row.port) for row in devices}) != len(devices):
        raise UnreadableError("ibdev2netdev printed a port twice")
    return devices


def _row(line: str) -> RdmaNetdev:
    match = _ROW.fullmatch(line)
    if not match:
        raise UnreadableError(f"ibdev2netdev printed {shown(line)}")
    device, port, interface, state = match.groups()
    return RdmaNetdev(
        rdma_name(device), number(port, "port"), interface_name(interface), state == "Up"
    )


@reads("show_gids", "show_gids")
def parse_show_gids(text: str) -> tuple[Gid, ...]:
    """Parse the GID table of a host; the interface of a link that is down may be empty.

    Raises
    ------
    UnreadableError
        When the table is cut or contradicts itself, or a name is none.
    """
    gids = show_gids(text)
    for gid in gids:
        rdma_name(gid.device)
        if gid.interface:
            interface_name(gid.interface)
    if len({(gid.device, gid.port, gid.index) for gid in gids}) != len(gids):
        raise UnreadableError("show_gids printed an index of a port twice")
    return gids
