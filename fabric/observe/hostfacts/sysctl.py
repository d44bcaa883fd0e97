"""Kernel parameters of neighbours (Linux Documentation/networking/ip-sysctl.rst)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import shown
from fabric.observe.parsers import UnreadableError

#: Names of interfaces stand in these keys with ``/`` for their dots.
_LINE = re.compile(
    r"net\.ipv4\.(conf|neigh)\.([A-Za-z0-9_./-]{1,40})\.([a-z_0-9]{1,40}) = ([0-9]{1,9})"
)
_OF_ALL = "all"


@dataclass(frozen=True, slots=True)
class ArpParameters:
    """What counts on one NIC: the larger of its own value and that of ``all``."""

    arp_ignore: int
    arp_announce: int
    rp_filter: int


def _values(text: str) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for line in whole_lines(text):
        match = _LINE.fullmatch(line.strip())
        if not match or (match[2], match[3]) in found:
            raise UnreadableError(f"sysctl printed {shown(line)}")
        found[match[2], match[3]] = int(match[4])
    return found


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
    found = _values(text)
    names = {name for name, _ in found} - {_OF_ALL}
    keys = ("arp_ignore", "arp_announce", "rp_filter")
    if len(names) != 1 or len(found) != 2 * len(keys):
        raise UnreadableError("sysctl did not print every value of one NIC")
    (name,) = names
    wanted = [(place, key) for key in keys for place in (_OF_ALL, name)]
    if set(wanted) != set(found):
        raise UnreadableError("sysctl printed other values than those that were asked for")
    return ArpParameters(*(max(found[_OF_ALL, key], found[name, key]) for key in keys))


@reads(
    "sysctl_neighbours",
    "sysctl " + " ".join(f"net.ipv4.neigh.default.gc_thresh{number}" for number in (1, 2, 3)),
)
def parse_sysctl_neighbours(text: str) -> tuple[int, ...]:
    """Parse the three sizes of the neighbour table, or raise UnreadableError."""
    found = _values(text)
    keys = [("default", f"gc_thresh{number}") for number in (1, 2, 3)]
    if list(found) != keys:
        raise UnreadableError("sysctl did not print the sizes of the neighbour table")
    return tuple(found[key] for key in keys)
