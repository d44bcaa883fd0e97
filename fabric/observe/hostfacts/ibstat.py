"""``ibstat`` (linux-rdma/rdma-core, infiniband-diags/ibstat.c at 691953d8)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.core.units import gbps_to_bps
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import pairs, wanted, whole_lines
from fabric.observe.hostfacts.values import choice, number, rdma_name, shown, word
from fabric.observe.parsers import UnreadableError

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
    """An RDMA device; ``kind`` is ``CA`` for RoCE and InfiniBand, else as ibstat names it."""

    name: str
    kind: str
    model: str
    firmware: str
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
    found = tuple(_device(match, lines) for match, lines in blocks)
    if not found or len({device.name for device in found}) != len(found):
        raise UnreadableError("ibstat printed no devices, or one twice")
    return found


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
        model=word(wanted(head, f"{match[1]} type"), "type of an RDMA device"),
        firmware=word(wanted(head, "Firmware version"), "version of firmware"),
        node_guid=_guid(wanted(head, "Node GUID")),
        ports=ports,
    )


def _port(lines: list[str]) -> IbPort:
    told = pairs(lines[1:])
    rate = wanted(told, "Rate").removesuffix(" (FDR10)")
    return IbPort(
        number=number(lines[0].strip()[5:-1], "port"),
        state=choice(wanted(told, "State"), _STATES, "state of a port"),
        physical_state=choice(wanted(told, "Physical state"), _PHYSICAL, "physical state"),
        rate_bps=round(gbps_to_bps(2.5 if rate == "2.5" else number(rate, "rate", high=10_000))),
        link_layer=choice(wanted(told, "Link layer"), ("Ethernet", "InfiniBand"), "link layer"),
        base_lid=number(wanted(told, "Base lid"), "LID"),
        sm_lid=number(wanted(told, "SM lid"), "LID"),
        guid=_guid(wanted(told, "Port GUID")),
    )


def _guid(text: str) -> str:
    if not _GUID.fullmatch(text):
        raise UnreadableError(f"{shown(text)} is no GUID")
    return text
