"""``lspci -vv`` (pciutils/pciutils, ls-caps.c, ls-ecaps.c, lspci.c at 0f5b941a)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import number, pci_address, shown, whole_lines
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable

_HEAD = re.compile(r"([0-9A-Fa-f:.]{7,16}) ([ -~]{1,200})")
_IDS = re.compile(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]")
_SIZES = re.compile(r"MaxPayload ([0-9]{1,5}) bytes, MaxReadReq ([0-9]{1,5}) bytes")
_LINK = re.compile(
    r"Speed ([0-9]{1,4}(?:\.[0-9])?)GT/s(?: \(\w{1,12}\))?, Width x([0-9]{1,3})(?: \(\w{1,12}\))?"
)
_ORDERING = re.compile(r"RlxdOrd([+-])")
_ACS = re.compile(r"([A-Za-z]{1,20})([+-])")
_NUMA = re.compile(r"NUMA node: (-?[0-9]{1,4})")
_DRIVER = re.compile(r"Kernel driver in use: ([a-z0-9][a-z0-9_-]{0,40})")


@dataclass(frozen=True, slots=True)
class PciDevice:
    """A PCI device; None is what was not printed, for instance to a user who is not root.

    ``link`` and ``link_capability`` are GT/s per lane and lanes. ``acs`` holds the switches of
    Access Control Services that are on; ACS of a bridge redirects traffic between GPU and NIC.
    """

    address: str
    vendor_device: tuple[str, str] | None = None
    max_payload_bytes: int | None = None
    max_read_request_bytes: int | None = None
    relaxed_ordering: bool | None = None
    link: tuple[float, int] | None = None
    link_capability: tuple[float, int] | None = None
    acs: tuple[str, ...] | None = None
    numa_node: int | None = None
    driver: str | None = None

    @property
    def full_link(self) -> bool | None:
        """Whether the link runs at all that the device can do; None when unknown."""
        if self.link is None or self.link_capability is None:
            return None
        return self.link == self.link_capability


@reads("lspci", "lspci -Dnnvv -s {pci_address}")
def parse_lspci(text: str) -> tuple[PciDevice, ...]:
    """Parse one or more devices, with blank lines between them.

    Raises
    ------
    UnreadableError
        When a device has no address, stands twice, or a line is cut.
    """
    blocks: list[list[str]] = [[]]
    for line in whole_lines(text):
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    devices = tuple(_device(block) for block in blocks if block)
    if len({device.address for device in devices}) != len(devices):
        raise UnreadableError("lspci printed a device twice")
    return devices


def _device(lines: list[str]) -> PciDevice:
    head = _HEAD.fullmatch(lines[0].rstrip())
    if not head or not all(line[0].isspace() for line in lines[1:]):
        raise UnreadableError(f"lspci printed {shown(lines[0])}")
    ids = _IDS.findall(head[2])
    body = [line.strip() for line in lines[1:]]
    sizes = _only(body, _SIZES.match)
    ordering = _only(body, _ORDERING.match)
    numa = _only(body, _NUMA.fullmatch)
    driver = _only(body, _DRIVER.fullmatch)
    acs = [line for line in body if line.startswith("ACSCtl:")]
    return PciDevice(
        address=pci_address(head[1]),
        vendor_device=ids[-1] if ids else None,
        max_payload_bytes=number(sizes[1], "size") if sizes else None,
        max_read_request_bytes=number(sizes[2], "size") if sizes else None,
        relaxed_ordering=ordering[1] == "+" if ordering else None,
        link=_link(body, "LnkSta:"),
        link_capability=_link(body, "LnkCap:"),
        acs=tuple(n for n, on in _ACS.findall(acs[0]) if on == "+") if len(acs) == 1 else None,
        numa_node=int(numa[1]) if numa and int(numa[1]) >= 0 else None,
        driver=driver[1] if driver else None,
    )


def _only(lines: list[str], match: Callable[[str], re.Match[str] | None]) -> re.Match[str] | None:
    """Return what matches; a value that stands twice with two meanings is unknown."""
    matches = [hit for line in lines if (hit := match(line))]
    return matches[0] if len({hit.groups() for hit in matches}) == 1 else None


def _link(lines: list[str], name: str) -> tuple[float, int] | None:
    texts = [line.removeprefix(name) for line in lines if line.startswith(name)]
    links = {match.groups() for line in texts if (match := _LINK.search(line))}
    if len(links) != 1 or len(texts) != 1:
        return None
    speed, width = links.pop()
    return float(speed), int(width)
