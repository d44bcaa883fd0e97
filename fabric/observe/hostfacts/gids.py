"""``show_gids`` (Mellanox/mlnx-tools): the GID table of a host."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

_GID_VERSION = 4  # column of the version where the IPv4 column is empty
_GID_TOTAL = re.compile(r"n_gids_found=(\d+)")


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


def ipv4_roce_v2(gids: tuple[Gid, ...], device: str) -> Gid | None:
    """Return the GID that carries RoCEv2 over IPv4 on a device: chosen by content, not by index."""
    return next(
        (gid for gid in gids if gid.device == device and gid.version == "v2" and gid.address), None
    )
