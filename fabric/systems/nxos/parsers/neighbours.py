"""Neighbours as text: LLDP and BFD."""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
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
    """Return ``Eth1/1`` as ``Ethernet1/1``.

    Raises
    ------
    UnreadableError
        When it is not the short name of a port.
    """
    found = re.fullmatch(r"(Eth|Po|mgmt)(\d[\d/]*)", port)
    if not found:
        raise UnreadableError(f"{port!r} is not a name of a port")
    return _LONG_NAMES[found[1]] + found[2]


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
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    for port, neighbour in listed:
        found[port] = (*found.get(port, ()), neighbour)
    return found


def _lldp_rows(lines: list[str]) -> list[tuple[str, LldpNeighbour]]:
    found = []
    name = ""
    for line in lines:
        row = _ROW.fullmatch(line)
        if row and (row["name"] or name):
            found.append((long_name(row["port"]), LldpNeighbour(row["name"] or name, row["far"])))
            name = ""
        elif re.fullmatch(r"\S+", line.rstrip()) and not name:
            name = line.strip()
        else:
            raise UnreadableError(f"cannot read the row {line!r} of the LLDP table")
    if name:
        raise UnreadableError(f"the row of {name!r} is missing")
    return found


def lldp_details(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors detail``; it has the description of the far port too.

    Raises
    ------
    UnreadableError
        When an entry is incomplete.
    """
    text = plain(text)
    _, *entries = re.split(r"(?m)^Chassis id: ", text)
    if not entries and not _TOTAL.search(text):
        raise UnreadableError("no LLDP neighbours in the answer")
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    for entry in entries:
        keys = ("Local Port id", "System Name", "Port id", "Port Description", "Vlan ID")
        words = {key: _detail(entry, key) for key in keys}
        port = long_name(words["Local Port id"])
        name = words["System Name"]
        neighbour = LldpNeighbour(
            "" if name == "not advertised" else name, words["Port id"], words["Port Description"]
        )
        found[port] = (*found.get(port, ()), neighbour)
    return found


def _detail(entry: str, key: str) -> str:
    found = re.search(rf"(?m)^{key}: (.+)\n", entry)
    if not found:
        raise UnreadableError(f"an LLDP neighbour has no {key!r}")
    return found[1].strip()


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
    found = {}
    for line in lines[1:]:
        row = _BFD_ROW.fullmatch(line.strip())
        if not row:
            raise UnreadableError(f"cannot read the row {line!r} of the BFD table")
        if row["vrf"] == "default":
            found[row["far"]] = row["state"] == "Up"
    return found
