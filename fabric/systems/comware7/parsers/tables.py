"""Tables and lists: who it is, BGP sessions, ARP and MAC entries."""

from __future__ import annotations

import ipaddress
import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import as_number, mac_address, row_of
from fabric.observe.state import BgpPeer, MacEntry, NeighbourEntry, SystemFacts
from fabric.systems.comware7.parsers.text import MAC, lines_of, long_name

_SYSNAME = re.compile(r" *sysname (\S+)")
_FIELD = re.compile(r" *([A-Z_ ]+?) *: (.*)")
_CHASSIS = ("DEVICE_NAME", "DEVICE_SERIAL_NUMBER", "MAC_ADDRESS")
_COUNTS = re.compile(r" *Total number of peers: (\d+) +Peers in established state: (\d+) *")
_PEER = re.compile(
    r" *(?P<address>\d+(?:\.\d+){3}|[\dA-Fa-f]*:[\dA-Fa-f:]+) +(?P<asn>\d+(?:\.\d+)?)"
    r" +\d+ +\d+ +\d+ +\d+ +\S+ +"
    r"(?P<state>\w+) *"
)
_ARP_HEAD = re.compile(r" *IP address +MAC address +VLAN\S* .*Aging +Type *")
_ARP = re.compile(
    r" *(?P<address>\d+(?:\.\d+){3}) +(?P<mac>[0-9a-f-]{14}) +(?P<vlan>\S+) +(?P<port>\S+) +"
    r"(?:\d+|N/A|--) +[A-Z]+ *"
)
_MAC_HEAD = re.compile(
    r" *MAC A[Dd][Dd][Rr]\S* +VLAN ID +S[Tt][Aa][Tt][Ee] +P.*A[Gg][Ii][Nn][Gg].*"
)
_MAC = re.compile(
    r" *(?P<mac>[0-9a-f-]{14}) +(?P<vlan>\d+) +(?P<state>[A-Z][A-Za-z ()]*?) +(?P<port>\S+) +"
    r"(?:AGING|NOAGED|Y|N|\d+) *"
)


def system_facts(text: str) -> SystemFacts:
    """Parse the line ``sysname`` and after it ``display device manuinfo``.

    Raises
    ------
    UnreadableError
        When one of them is missing, or the part of the switch itself is cut.
    """
    lines = lines_of(text)
    names = [match[1] for line in lines if (match := _SYSNAME.fullmatch(line))]
    fields: dict[str, str] = {}
    for line in lines:
        match = _FIELD.fullmatch(line)
        if match and match[1] in _CHASSIS:
            fields.setdefault(match[1], match[2].strip())
        elif fields and not match:
            break  # the next part: fans and power supplies have such fields too
    if len(names) != 1 or any(not fields.get(name) for name in _CHASSIS):
        raise UnreadableError("the answer does not tell name, model, serial number and MAC address")
    model, serial, mac = (fields[name] for name in _CHASSIS)
    return SystemFacts(hostname=names[0], model=model, serial=serial, mac=mac_address(mac, MAC))


def bgp_peers(text: str) -> dict[str, BgpPeer]:
    """Parse ``display bgp peer ipv4 unicast`` and ``display bgp peer ipv6 unicast``.

    Each table says how many peers it has; that of IPv6 is not there on every switch.

    Raises
    ------
    UnreadableError
        When it has not as many peers, or not as many established ones, as it says.
    """
    lines = lines_of(text)
    counts = [match for line in lines if (match := _COUNTS.fullmatch(line))]
    peers = {}
    for line in lines:
        row = _PEER.fullmatch(line)
        if row:
            state = row["state"]
            peers[_address(row["address"])] = BgpPeer(
                state == "Established", state, as_number(row["asn"])
            )
    up = sum(peer.established for peer in peers.values())
    told = tuple(sum(int(match[group]) for match in counts) for group in (1, 2))
    if not counts or (len(peers), up) != told:
        raise UnreadableError("the table of BGP peers has not as many rows as it says")
    return peers


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error


def arp_entries(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``display arp``; its ageing is the time that is left, so the age is not known.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    neighbours = {}
    for row in _rows(text, _ARP_HEAD, _ARP, "ARP"):
        vlan = row["vlan"]
        port = f"Vlan-interface{vlan}" if vlan.isdecimal() else long_name(row["port"])
        neighbours[_address(row["address"])] = NeighbourEntry(mac_address(row["mac"], MAC), port)
    return neighbours


def mac_entries(text: str) -> tuple[MacEntry, ...]:
    """Parse ``display mac-address``: what was learnt.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row is not one of it.
    """
    return tuple(
        MacEntry(int(row["vlan"]), mac_address(row["mac"], MAC), long_name(row["port"]))
        for row in _rows(text, _MAC_HEAD, _MAC, "MAC")
        if row["state"] == "Learned"
    )


def _rows(text: str, head: re.Pattern[str], row: re.Pattern[str], name: str) -> list[re.Match[str]]:
    lines = [line for line in lines_of(text) if line.strip()]
    at = next((number for number, line in enumerate(lines) if head.fullmatch(line)), None)
    if at is None:
        raise UnreadableError(f"no {name} table")
    return [row_of(row, line, f"{name} table") for line in lines[at + 1 :]]
