"""Listings of sysfs: the PCI devices of a host, and which of them its devices are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import interface_name, pci_address, rdma_name, shown
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEVICE = re.compile(
    r"/sys/bus/pci/devices/(\S{7,16}) 0x([0-9a-f]{6}) 0x([0-9a-f]{4}) (-?[0-9]{1,4})"
    r" (/sys/devices/[0-9a-zA-Z:._/-]{1,300})"
)
_CLASS = re.compile(r"/sys/class/(infiniband|net):")
_LINK = re.compile(
    r"l\S{9}.{1,120} (\S{1,64}) -> \.\./\.\./devices"
    r"/([0-9a-zA-Z:._/-]{1,300})/(?:infiniband|net)/(\S{1,64})"
)
_PLACE = re.compile(r"(?<=/)[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")


@dataclass(frozen=True, slots=True)
class PciPlace:
    """Where a PCI device is; ``bridges`` are the PCI devices above it, from the root on.

    ``numa_node`` is None where the system does not know it (-1).
    """

    address: str
    pci_class: str
    vendor: str
    numa_node: int | None
    bridges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DevicePlaces:
    """PCI addresses of RDMA devices and of network devices; virtual ones have none."""

    rdma: Mapping[str, str | None]
    interfaces: Mapping[str, str | None]


@reads(
    "sysfs_pci",
    "for d in /sys/bus/pci/devices/*; do echo $d $(cat $d/class $d/vendor $d/numa_node)"
    " $(readlink -f $d); done",
)
def parse_sysfs_pci(text: str) -> tuple[PciPlace, ...]:
    """Parse path, class, vendor, NUMA node and place of each PCI device.

    Raises
    ------
    UnreadableError
        When a line reads otherwise or names two devices.
    """
    found = []
    for line in whole_lines(text):
        match = _DEVICE.fullmatch(line)
        path = _PLACE.findall(match[5]) if match else []
        if not match or not path or path[-1] != match[1]:
            raise UnreadableError(f"no PCI device of sysfs: {shown(line)}")
        numa = int(match[4]) if int(match[4]) >= 0 else None
        bridges = tuple(pci_address(bridge) for bridge in path[:-1])
        found.append(PciPlace(pci_address(match[1]), match[2], match[3], numa, bridges))
    if len({place.address for place in found}) != len(found):
        raise UnreadableError("a PCI device stands twice")
    return tuple(found)


@reads("sysfs_class", "LC_ALL=C ls -l /sys/class/infiniband /sys/class/net")
def parse_sysfs_class(text: str) -> DevicePlaces:
    """Parse the links from the names of devices to their places.

    Raises
    ------
    UnreadableError
        When a line is no link, or one of the two folders is missing.
    """
    found: dict[str, dict[str, str | None]] = {}
    current = ""
    for line in whole_lines(text):
        if match := _CLASS.fullmatch(line):
            current = match[1]
            found[current] = {}
        elif line.strip() and not re.fullmatch(r"total [0-9]{1,9}", line):
            if not current:
                raise UnreadableError(f"no folder of sysfs: {shown(line)}")
            name, place = _link(line)
            (rdma_name if current == "infiniband" else interface_name)(name)
            found[current][name] = place
    if set(found) != {"infiniband", "net"}:
        raise UnreadableError("a folder of sysfs is missing")
    return DevicePlaces(found["infiniband"], found["net"])


def _link(line: str) -> tuple[str, str | None]:
    match = _LINK.fullmatch(line)
    if not match or match[1] != match[3]:
        raise UnreadableError(f"no link of sysfs: {shown(line)}")
    places = _PLACE.findall(match[2])
    return match[1], pci_address(places[-1]) if places else None
