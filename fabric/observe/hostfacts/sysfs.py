"""Listings of sysfs: the PCI devices of a host, and which of them its devices are.

Kernel parameters of neighbours (Linux Documentation/networking/ip-sysctl.rst).

What the script of rocefab on a host says of its settings, such as `/etc/rocefab/check.sh`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import (
    interface_name,
    pci_address,
    rdma_name,
    shown,
    whole_lines,
)
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


#: Names of interfaces stand in these keys with ``/`` for their dots.
_LINE = re.compile(
    r"net\.ipv4\.(conf|neigh)\.([A-Za-z0-9_./-]{1,40})\.([a-z_0-9]{1,40}) = ([0-9]{1,9})"
)
_OF_ALL = "all"
_APART = re.compile(r"(.{1,15}?): ([^:]{1,200}(?:: .{1,200})?)")
_PERHAPS = "    perhaps: "
_END = re.compile(r"ended with ([01])")


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
    places = []
    for line in whole_lines(text):
        match = _DEVICE.fullmatch(line)
        path = _PLACE.findall(match[5]) if match else []
        if not match or not path or path[-1] != match[1]:
            raise UnreadableError(f"no PCI device of sysfs: {shown(line)}")
        numa = int(match[4]) if int(match[4]) >= 0 else None
        bridges = tuple(pci_address(bridge) for bridge in path[:-1])
        places.append(PciPlace(pci_address(match[1]), match[2], match[3], numa, bridges))
    if len({place.address for place in places}) != len(places):
        raise UnreadableError("a PCI device appears twice")
    return tuple(places)


@reads("sysfs_class", "LC_ALL=C ls -l /sys/class/infiniband /sys/class/net")
def parse_sysfs_class(text: str) -> DevicePlaces:
    """Parse the links from the names of devices to their places.

    Raises
    ------
    UnreadableError
        When a line is no link, or one of the two folders is missing.
    """
    links: dict[str, dict[str, str | None]] = {}
    current = ""
    for line in whole_lines(text):
        if match := _CLASS.fullmatch(line):
            current = match[1]
            links[current] = {}
        elif line.strip() and not re.fullmatch(r"total [0-9]{1,9}", line):
            if not current:
                raise UnreadableError(f"no folder of sysfs: {shown(line)}")
            name, place = _link(line)
            (rdma_name if current == "infiniband" else interface_name)(name)
            links[current][name] = place
    if set(links) != {"infiniband", "net"}:
        raise UnreadableError("a folder of sysfs is missing")
    return DevicePlaces(links["infiniband"], links["net"])


def _link(line: str) -> tuple[str, str | None]:
    match = _LINK.fullmatch(line)
    if not match or match[1] != match[3]:
        raise UnreadableError(f"no link of sysfs: {shown(line)}")
    places = _PLACE.findall(match[2])
    return match[1], pci_address(places[-1]) if places else None


@dataclass(frozen=True, slots=True)
class ArpParameters:
    """What counts on one NIC: the larger of its own value and that of ``all``."""

    arp_ignore: int
    arp_announce: int
    rp_filter: int


def _values(text: str) -> dict[tuple[str, str], int]:
    values: dict[tuple[str, str], int] = {}
    for line in whole_lines(text):
        match = _LINE.fullmatch(line.strip())
        if not match or (match[2], match[3]) in values:
            raise UnreadableError(f"sysctl printed {shown(line)}")
        values[match[2], match[3]] = int(match[4])
    return values


@reads(
    "sysctl_arp",
    "sysctl "
    + " ".join(
        f"net.ipv4.conf.{name}.{key}"
        for name in ("all", "{interface}")
        for key in ("arp_ignore", "arp_announce", "rp_filter")
    ),
)
def parse_sysctl_arp(text: str) -> ArpParameters:
    """Parse how one NIC answers and asks for addresses.

    Raises
    ------
    UnreadableError
        When a value is missing, or there is a line that is none.
    """
    values = _values(text)
    names = {name for name, _ in values} - {_OF_ALL}
    keys = ("arp_ignore", "arp_announce", "rp_filter")
    if len(names) != 1 or len(values) != 2 * len(keys):
        raise UnreadableError("sysctl did not print every value of one NIC")
    (name,) = names
    keys_of_all = [(place, key) for key in keys for place in (_OF_ALL, name)]
    if set(keys_of_all) != set(values):
        raise UnreadableError("sysctl printed other values than those that were asked for")
    return ArpParameters(*(max(values[_OF_ALL, key], values[name, key]) for key in keys))


@reads(
    "sysctl_neighbours",
    "sysctl " + " ".join(f"net.ipv4.neigh.default.gc_thresh{number}" for number in (1, 2, 3)),
)
def parse_sysctl_neighbours(text: str) -> tuple[int, ...]:
    """Parse the three sizes of the neighbour table, or raise UnreadableError."""
    values = _values(text)
    keys = [("default", f"gc_thresh{number}") for number in (1, 2, 3)]
    if list(values) != keys:
        raise UnreadableError("sysctl did not print the sizes of the neighbour table")
    return tuple(values[key] for key in keys)


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """What is apart, as (interface or ``host``, text), and who may have changed it."""

    apart: tuple[tuple[str, str], ...]
    suspects: tuple[str, ...]


@reads("own_check", 'sh {script_folder}/check.sh; echo "ended with $?"')
def parse_own_check(text: str) -> OwnCheck:
    """Parse the output of the script and the line behind it.

    Raises
    ------
    UnreadableError
        When the script did not end by itself, or said something else.
    """
    *lines, last = whole_lines(text) or [""]
    end = _END.fullmatch(last)
    apart, suspects = [], []
    for line in lines:
        if line.startswith(_PERHAPS):
            suspects.append(line.removeprefix(_PERHAPS))
        elif match := _APART.fullmatch(line):
            apart.append((interface_name(match[1]), match[2]))
        else:
            raise UnreadableError(f"no line of the script: {shown(line)}")
    if end is None or bool(apart) != (end[1] == "1"):
        raise UnreadableError("the script did not come to its end")
    return OwnCheck(tuple(apart), tuple(suspects))
