"""The GID table of a host: files of the kernel, or ``show_gids`` (Mellanox/mlnx-tools).

Linux Documentation/ABI/stable/sysfs-class-infiniband: ``gids/N``, ``gid_attrs/types/N`` and
``gid_attrs/ndevs/N`` of a port; an entry that is not in use has a GID of zeros, and no type.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import interface_name, number, rdma_name, shown, whole_lines
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

_GID_VERSION = 4  # column of the version where the IPv4 column is empty
_GID_TOTAL = re.compile(r"n_gids_found=([0-9]{1,9})")  # above: no count, an unreadable row
_FILE = re.compile(
    r"/sys/class/infiniband/([^/:]{1,64})/ports/([0-9]{1,3})/"
    r"(gids|gid_attrs/types|gid_attrs/ndevs)/([0-9]{1,5}):(.*)"
)
_TYPE, _INTERFACE = "gid_attrs/types", "gid_attrs/ndevs"
_VERSIONS = {"IB/RoCE v1": "v1", "RoCE v2": "v2"}


@dataclass(frozen=True, slots=True)
class Gid:
    """One row of ``show_gids``."""

    device: str
    port: int
    index: int
    gid: str
    address: str
    version: str
    interface: str

    @property
    def ip(self) -> str:
        """The address that it stands for: of IPv4, or itself."""
        return self.address or str(ipaddress.IPv6Address(self.gid))

    @property
    def is_routable(self) -> bool:
        """Whether RoCEv2 reaches other subnets by it: no link-local address, of IPv4 or of IPv6."""
        whole = ipaddress.IPv6Address(self.gid)
        return self.version == "v2" and not (whole.ipv4_mapped or whole).is_link_local


def show_gids(text: str) -> tuple[Gid, ...]:
    """Parse ``show_gids``; columns are split by tabs or spaces, IPv4 and netdev may be empty.

    Raises
    ------
    UnreadableError
        When the output is no table, a row is cut or contradicts itself, or rows are missing.
    """
    lines = plain(text).splitlines()
    rulers = [number for number, line in enumerate(lines) if line.strip().startswith("---")]
    if not rulers or "DEV" not in lines[rulers[0] - 1]:
        raise UnreadableError("show_gids printed no table")
    rows = [line for line in lines[rulers[0] + 1 :] if line.strip()]
    total = _GID_TOTAL.fullmatch(rows[-1].strip()) if rows else None
    gids = tuple(_gid(line) for line in (rows[:-1] if total else rows))
    # The tool separates by tabs and ends with a count; copies of its output have lost both.
    cut = "\t" in text or not text.endswith("\n")
    if (int(total[1]) != len(gids)) if total else cut:
        raise UnreadableError("the end of show_gids is missing")
    return gids


def _gid(line: str) -> Gid:
    parts = line.split()
    if len(parts) > _GID_VERSION and parts[_GID_VERSION] in {"v1", "v2"}:
        parts.insert(_GID_VERSION, "")
    device, port, index, gid, address, version, interface, *rest = (*parts, *[""] * 7)
    try:
        whole = ipaddress.IPv6Address(gid)
        mapped = str(whole.ipv4_mapped or "")
        numbers = int(port), int(index)
    except ValueError:
        mapped, numbers = "unreadable", (0, 0)
    if mapped != address or version not in {"v1", "v2"} or any(rest):
        raise UnreadableError(f"a row of show_gids is cut or wrong: {line[:80]!a}")
    return Gid(device, *numbers, gid, address, version, interface)


@reads(
    "gid_files",
    "for p in /sys/class/infiniband/*/ports/*; do "
    "grep -Hv '^0000:0000:0000:0000:0000:0000:0000:0000$' $p/gids/* && "
    "grep -Hs '' $p/gid_attrs/types/* $p/gid_attrs/ndevs/*; done; true",
)
def parse_gid_files(text: str) -> tuple[Gid, ...]:
    """Parse ``PATH:value`` of the files of the GID tables; only InfiniBand has no interfaces.

    Raises
    ------
    UnreadableError
        When a line is no such pair, or something of a GID is missing.
    """
    tables: dict[tuple[str, int, int], dict[str, str]] = {}
    for line in whole_lines(text):
        match = _FILE.fullmatch(line)
        if not match:
            raise UnreadableError(f"no file of a GID table: {shown(line)}")
        device, port, kind, index, value = match.groups()
        place = rdma_name(device), number(port, "port"), number(index, "index of a GID")
        row = tables.setdefault(place, {})
        if kind in row:
            raise UnreadableError(f"a GID appears twice: {shown(line)}")
        row[kind] = value
    used = {place: row for place, row in tables.items() if "gids" in row}
    roce = {place[:2] for place, row in used.items() if row.get(_TYPE) == "RoCE v2"}
    if any(place[:2] in roce and _INTERFACE not in row for place, row in used.items()):
        raise UnreadableError("a GID of RoCE has no interface")
    return tuple(_of_files(*place, row) for place, row in used.items())


def _of_files(device: str, port: int, index: int, row: dict[str, str]) -> Gid:
    version = _VERSIONS.get(row.get(_TYPE, ""))
    try:
        address = str(ipaddress.IPv6Address(row["gids"]).ipv4_mapped or "")
    except ValueError:
        version, address = None, ""
    if version is None:
        raise UnreadableError(f"index {index} of {device} has no GID with a version")
    interface = row.get(_INTERFACE, "")
    name = interface_name(interface) if interface else ""
    return Gid(device, port, index, row["gids"], address, version, name)


def ipv4_roce_v2(gids: tuple[Gid, ...], device: str) -> Gid | None:
    """Return the GID that carries RoCEv2 over IPv4 on a device: chosen by content, not by index."""
    return next(
        (gid for gid in gids if gid.device == device and gid.version == "v2" and gid.address), None
    )
