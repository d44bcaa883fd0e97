"""Ports, neighbours and BFD of Cumulus Linux.

Layouts: ``nv show interface`` and ``decode-syseeprom`` of CumulusNetworks/docs, ``ip neighbor`` of
iproute2, ``ptmctl -b`` of CumulusNetworks/docs content/cumulus-linux-514 (Bidirectional Forwarding
Detection).
"""

from __future__ import annotations

import ipaddress
import re

from fabric.core.units import MBPS_PER_GBPS
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.observe.state import InterfaceState, NeighbourEntry, SystemFacts, by_address
from fabric.systems.cumulus.parsers.tables import number, rows, sections

_SPEED = re.compile(r"(\d+)(M|G)")
_PORT = re.compile(r"swp\d+(s\d+)?")
_NEIGHBOUR = re.compile(
    r"(?P<address>\S+) dev (?P<interface>\S+)(?: lladdr (?P<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5}))?"
    r"(?: router| extern_learn| offload| proxy)* (?P<state>[A-Z]+) ?"
)
_GONE = ("FAILED", "INCOMPLETE")
_TLV = re.compile(r"(\S.*?) +0x[0-9A-F]{2} +\d+ (.*)")
_STATES = {"up": True, "down": False}
_BFD_STATES = {"Up": True, "Down": False, "Init": False, "AdminDown": False}
_BFD_FIRST = ("port", "peer", "state")


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Parse ``nv show interface``: the front panel ports.

    Raises
    ------
    UnreadableError
        When it is not that table.
    """
    by_name = {}
    for row in rows(sections(text)[""]):
        missing = {"Interface", "State", "Speed", "MTU", "Type"} - row.keys()
        if missing:
            raise UnreadableError(f"this is not a table of interfaces: {row}")
        if row["Type"] != "swp":
            continue
        if not _PORT.fullmatch(row["Interface"]) or row["State"] not in _STATES:
            raise UnreadableError(f"a row of the table of interfaces is cut: {row}")
        by_name[row["Interface"]] = InterfaceState(
            up=_STATES[row["State"]],
            speed_gbps=_speed_gbps(row["Speed"]) if row["Speed"] else None,
            mtu_bytes=number(row["MTU"]),
        )
    return by_name


def _speed_gbps(text: str) -> float:
    speed = _SPEED.fullmatch(text)
    if not speed:
        raise UnreadableError(f"{text!r} is not a speed")
    return int(speed[1]) / (1 if speed[2] == "G" else MBPS_PER_GBPS)


def neighbours(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``ip neighbor show``; what is not resolved is left out.

    Raises
    ------
    UnreadableError
        When a line is none of a neighbour.
    """
    if text and not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    entries = []
    for line in plain(text).splitlines():
        entry = _NEIGHBOUR.fullmatch(line)
        if not entry or not _is_address(entry["address"]):
            raise UnreadableError(f"this is not a line of ip neighbor: {line!r}")
        if entry["mac"] and entry["state"] not in _GONE:
            row = NeighbourEntry(entry["mac"], entry["interface"])
            entries.append((entry["address"], row))
    return by_address(entries)


def bfd(text: str) -> dict[str, bool]:
    """Parse ``ptmctl -b``: whether each session is up, by the address of its peer.

    Raises
    ------
    UnreadableError
        When it is not that table.
    """
    if not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    lines = [line for line in plain(text).splitlines() if line.strip()]
    rulers = [place for place, line in enumerate(lines) if not line.strip("-")]
    head = lines[rulers[0] + 1].split() if rulers and rulers[0] + 1 < len(lines) else []
    if len(rulers) != 2 or tuple(head[:3]) != _BFD_FIRST:  # noqa: PLR2004  (above and below)
        raise UnreadableError("this is not a table of BFD sessions")
    by_name = {}
    for line in lines[rulers[1] + 1 :]:
        words = line.split()
        if len(words) != 9 or words[2] not in _BFD_STATES or not _is_address(words[1]):  # noqa: PLR2004
            raise UnreadableError(f"a row of the BFD sessions is cut: {line!r}")
        number(words[-1])
        by_name[words[1]] = _BFD_STATES[words[2]]
    return by_name


def facts(text: str) -> SystemFacts:
    """Parse the host name, then ``decode-syseeprom``.

    Raises
    ------
    UnreadableError
        When one of them is missing, or the checksum was not reached.
    """
    hostname, _, eeprom = plain(text).partition("\n")
    values = {}
    for line in eeprom.splitlines():
        item = _TLV.fullmatch(line.strip())
        if item:
            values[item[1]] = item[2].strip()
    if not hostname or " " in hostname or "CRC-32" not in values or "(checksum valid)" not in text:
        raise UnreadableError("this is not host name and EEPROM")
    return SystemFacts(
        hostname=hostname,
        model=values.get("Product Name", ""),
        serial=values.get("Serial Number", ""),
        mac=values.get("Base MAC Address", "").lower(),
    )


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
