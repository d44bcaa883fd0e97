"""Neighbours as text: LLDP and BFD."""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain, row_of
from fabric.observe.state import LldpNeighbour
from fabric.systems.nxos.parsers.text import is_off

_ROW = re.compile(
    r"(?P<name>\S+)?\s+(?P<port>(?:Eth|mgmt|Po)\d[\d/]*)\s+\d+\s+(?:[A-Z]+\s+)?(?P<far>\S(?:.*\S)?)\s*"
)
_TOTAL = re.compile(r"Total entries displayed: (\d+)")
_HEADER = re.compile(r"Device ID\s+Local Intf\s+Hold-time\s+Capability\s+Port ID\s*")
_LONG_NAMES = {"Eth": "Ethernet", "Po": "port-channel", "mgmt": "mgmt"}
_BFD_HEADER = re.compile(
    r"OurAddr\s+NeighAddr\s+LD/RD\s+RH/RS\s+Holdown\(mult\)\s+State\s+Int\s+Vrf\s+Type.*"
)
_BFD_ROW = re.compile(
    r"(?P<own>[\d.]+)\s+(?P<far>[\d.]+)\s+\d+/\d+\s+(?P<heard>\S+)\s+\S+\s+(?P<state>\S+)\s+"
    r"(?P<interface>\S+)\s+(?P<vrf>\S+)\s+\S+.*"
)


def long_name(port: str) -> str:
    """Return ``Eth1/1`` as ``Ethernet1/1``, or raise UnreadableError."""
    match = re.fullmatch(r"(Eth|Po|mgmt)(\d[\d/]*)", port)
    if not match:
        raise UnreadableError(f"{port!r} is not a name of a port")
    return _LONG_NAMES[match[1]] + match[2]


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors``; a long name stands on a line of its own.

    Raises
    ------
    UnreadableError
        When the rows are not as many as the last line says.
    """
    if is_off(text):
        return {}
    lines = plain(text).splitlines()
    start = next((at for at, line in enumerate(lines) if _HEADER.fullmatch(line)), None)
    stop = next((at for at, line in enumerate(lines) if _TOTAL.fullmatch(line.strip())), None)
    if start is None or stop is None or not text.endswith("\n"):
        raise UnreadableError("no table of LLDP neighbours with its total")
    listed = _lldp_rows(lines[start + 1 : stop])
    if len(listed) != int(lines[stop].split()[-1]):
        raise UnreadableError("the LLDP table has not as many rows as it says")
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    for port, neighbour in listed:
        neighbours[port] = (*neighbours.get(port, ()), neighbour)
    return neighbours


def _lldp_rows(lines: list[str]) -> list[tuple[str, LldpNeighbour]]:
    neighbours = []
    name = ""
    for line in lines:
        row = _ROW.fullmatch(line)
        if row and (row["name"] or name):
            neighbours.append((
                long_name(row["port"]),
                LldpNeighbour(row["name"] or name, row["far"]),
            ))
            name = ""
        elif re.fullmatch(r"\S+", line.rstrip()) and not name:
            name = line.strip()
        else:
            raise UnreadableError(f"cannot read the row {line!r} of the LLDP table")
    if name:
        raise UnreadableError(f"the row of {name!r} is missing")
    return neighbours


def bfd_neighbours(text: str) -> dict[str, bool]:
    """Parse ``show bfd neighbors``: the default VRF, whether each session is up.

    Raises
    ------
    UnreadableError
        When a row is not one of that table, or the last one is cut.
    """
    if is_off(text):
        return {}
    lines = [line for line in plain(text).splitlines() if line.strip()]
    if not lines or not _BFD_HEADER.fullmatch(lines[0].strip()) or not text.endswith("\n"):
        raise UnreadableError("no table of BFD neighbours")
    by_name = {}
    for line in lines[1:]:
        row = row_of(_BFD_ROW, line.strip(), "BFD table")
        if row["vrf"] == "default":
            by_name[row["far"]] = row["state"] == "Up"
    return by_name
