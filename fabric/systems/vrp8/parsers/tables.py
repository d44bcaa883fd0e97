"""Facts, ports, BGP, BFD, ARP, MAC addresses and LLDP.

Known: samples and meanings of the CloudEngine V300R023C00 command reference (WheaterW/INTA-project
@ 9308062d) and captures of older VRP in networktocode/ntc-templates @ d0bc5a48 (tests/huawei_vrp).
"""

from __future__ import annotations

import re
from itertools import pairwise

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import as_number, first_match, mac_address, row_of
from fabric.observe.state import BgpPeer, LldpNeighbour, MacEntry, NeighbourEntry, SystemFacts
from fabric.systems.vrp8.parsers.text import MAC, is_off, table, whole_lines

SYSNAME = re.compile(r"^sysname (\S+)\s*$", re.MULTILINE)
_RELEASE = re.compile(r"^(?:VRP|YunShan OS).*\((?:.* )?(V\d\w+)\)\s*$", re.MULTILINE)
_UPTIME = re.compile(
    r"^HUAWEI (?P<model>\S+) uptime is (?:(?P<days>\d+) days?, )?(?:(?P<hours>\d+) hours?, )?"
    r"(?P<minutes>\d+) minutes?\s*$",
    re.MULTILINE,
)
ESN = re.compile(r"^\s*ESN of slot 1: (\S+)\s*$", re.MULTILINE)
_SYSTEM_MAC = re.compile(r"^Current System MAC address: (\S+)\s*$", re.MULTILINE)
_PEERS = re.compile(r"\s*Total number of peers\s*:\s*(\d+)(?:\s+Peers in .*)?\s*")
_ROUTER_ID = re.compile(r"\s*BGP local router ID\s*:")
_STATUS_CODES = re.compile(r"\s*Status codes:")
_PEER = re.compile(
    r"\s*\*?(?P<peer>[\d.]+|[\dA-Fa-f]*:[\dA-Fa-f:]+)\s+4\s+(?P<asn>\d+(?:\.\d+)?)\s+\d+\s+\d+\s+\d+\s+\S+\s+"
    r"(?P<state>[A-Z]\w+(?:\(\w+\))?)\s+\d+(?:\s+(?P<port>\d+GE\S+))?\s*"
)
_PEER_HEAD = re.compile(r"\s*Peer\s+V\s+AS\s+MsgRcvd\s.*")
_BFD_TOTAL = re.compile(r"Total UP/DOWN Session Number : (\d+)/(\d+)\s*")
_BFD_ROW = re.compile(
    r"\d+\s+\d+\s+(?P<peer>[\d.]+)\s+(?P<state>Up|Down|AdmDown)(?:\(.\))?\s+\S+\s+\S+\s*"
)
_ARP_ROW = re.compile(
    r"(?P<ip>\d+\.\d+\.\d+\.\d+)\s+(?P<mac>[0-9a-f-]+|Incomplete)\s+(?:(?P<expires>\d+)\s+)?"
    r"(?P<type>D|S|I|O|RD)(?:[-/](?P<vlan>\S+))?(?:\s+-)?\s+(?P<interface>[A-Z0-9][\w/.:-]*)"
    r"(?:\s+(?P<vpn>\S+))?\s*"
)
_ARP_VLAN = re.compile(r"\s+(?P<vlan>\d+)/\S+(?:\s+\S+)?\s*")
_ARP_TOTAL = re.compile(r"Total:(\d+)\s+Dynamic:\d+\s.*")
_MAC_ROW = re.compile(
    r"\s*(?P<mac>[0-9a-fA-F-]+)\s+(?P<vlan>\d+|-)/\S+\s+(?P<port>\S+)\s+(?P<type>[a-z]\S*)"
    r"(?:\s+(?P<age>\d+|-))?\s*"
)
_MAC_TOTAL = re.compile(r"Total items(?: displayed)?\s*[:=]\s*(\d+)\s*")
_LLDP_PORT = re.compile(r"(\S+) has (\d+) neighbor\(s\):?\s*")
_LLDP_FIELD = re.compile(r"(?P<key>[A-Z][\w() ]*?)\s+:(?P<value>.*)")
_LLDP_LAST = "Discovered time"
_NONE = "--"


def system_facts(text: str) -> SystemFacts:
    """Parse ``display version``, ``display device esn``, ``display system mac-address``, sysname.

    Raises
    ------
    UnreadableError
        When one of the four is not there.
    """
    whole = "\n".join(whole_lines(text))
    name, release, uptime = (pattern.search(whole) for pattern in (SYSNAME, _RELEASE, _UPTIME))
    serial, mac = ESN.search(whole), _SYSTEM_MAC.search(whole)
    if not name or not release or not uptime or not serial or not mac:
        raise UnreadableError("name, release, model, serial number or MAC address is missing")
    days, hours, minutes = (int(uptime[part] or 0) for part in ("days", "hours", "minutes"))
    return SystemFacts(
        hostname=name[1],
        model=uptime["model"],
        version=release[1],
        serial=serial[1],
        mac=mac_address(mac[1], MAC),
        uptime_s=((days * 24.0 + hours) * 60 + minutes) * 60,
    )


def bgp_peers(text: str) -> dict[str, BgpPeer]:
    """Parse ``display bgp peer``, ``display bgp ipv6 peer`` and ``display bgp unnumbered peer``.

    They are about unicast of the public network. Sessions over ports go by these.

    Raises
    ------
    UnreadableError
        When a row is not one of that table, or there are not as many as it says.
    """
    if is_off(text):
        return {}
    lines = whole_lines(text)
    starts = [at for at, line in enumerate(lines) if _ROUTER_ID.match(line)] or [0]
    peers: dict[str, BgpPeer] = {}
    for start, end in pairwise((*starts, len(lines))):
        peers |= _peers(lines[start:end])
    return peers


def _peers(lines: list[str]) -> dict[str, BgpPeer]:
    """Return the rows of one table of peers."""
    total = first_match(_PEERS, lines)
    start = next((at for at, line in enumerate(lines) if _PEER_HEAD.fullmatch(line)), None)
    peers = {}
    rows = [] if start is None else lines[start + 1 :]
    for line in filter(str.strip, rows):
        if _STATUS_CODES.match(line):
            continue
        row = row_of(_PEER, line, "BGP peers")
        session, state = row["port"] or row["peer"].lower(), row["state"]
        peers[session] = BgpPeer(state == "Established", state, as_number(row["asn"]))
    if total is None or int(total[1]) != len(peers):
        raise UnreadableError("the table of BGP peers has not as many rows as it says")
    return peers


def bfd_sessions(text: str) -> dict[str, bool]:
    """Parse ``display bfd session all``: whether each session is up.

    Raises
    ------
    UnreadableError
        When a row is not one of that table, or there are not as many as it says.
    """
    if is_off(text):
        return {}
    lines = whole_lines(text)
    total = first_match(_BFD_TOTAL, lines)
    by_name = {}
    for line in table(lines, r"Local\s+Remote\s+PeerIpAddr\s+State\s+Type\s.*"):
        row = row_of(_BFD_ROW, line, "BFD sessions")
        by_name[row["peer"]] = row["state"] == "Up"
    if total is None or (sum(by_name.values()), len(by_name)) != _up_and_all(total):
        raise UnreadableError("the table of BFD sessions has not as many rows as it says")
    return by_name


def _up_and_all(total: re.Match[str]) -> tuple[int, int]:
    return int(total[1]), int(total[1]) + int(total[2])


def arp_entries(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``display arp``: neighbours of the public network, not the switch's own addresses.

    What is shown is when an entry expires, so its age is not known.

    Raises
    ------
    UnreadableError
        When a row is not one of that table, or there are not as many as it says.
    """
    lines = whole_lines(text)
    rows: list[re.Match[str]] = []
    vlans: dict[int, str] = {}
    for line in table(lines, r"IP ADDRESS\s+MAC ADDRESS\s.*"):
        row, vlan = _ARP_ROW.fullmatch(line), _ARP_VLAN.fullmatch(line)
        if row:
            rows.append(row)
        elif vlan and rows:
            vlans[len(rows) - 1] = vlan["vlan"]
        else:
            raise UnreadableError(f"cannot read the row {line!r} of the ARP table")
    total = first_match(_ARP_TOTAL, lines)
    if total is None or int(total[1]) != len(rows):
        raise UnreadableError("the ARP table has not as many rows as it says")
    return {
        row["ip"]: NeighbourEntry(
            mac_address(row["mac"], MAC), _interface(row, vlans.get(at, row["vlan"] or ""))
        )
        for at, row in enumerate(rows)
        if row["type"] in "DS" and not row["vpn"] and row["mac"] != "Incomplete"
    }


def _interface(row: re.Match[str], vlan: str) -> str:
    """Return where an entry was learnt: with a VLAN, that is its gateway."""
    return f"Vlanif{vlan}" if vlan.isdecimal() and int(vlan) else row["interface"]


def mac_entries(text: str) -> tuple[MacEntry, ...]:
    """Parse ``display mac-address``: what was learnt.

    Raises
    ------
    UnreadableError
        When a row is not one of that table, or there are not as many as it says.
    """
    lines = whole_lines(text)
    rows = table(lines, r"MAC Address\s+VLAN/VSI\S*\s.*")
    items = []
    for line in rows:
        row = row_of(_MAC_ROW, line, "MAC table")
        mac = mac_address(row["mac"], MAC)
        if row["type"] == "dynamic" and row["vlan"].isdecimal():
            age = row["age"] or ""
            aged = float(age) if age.isdecimal() else None
            items.append(MacEntry(int(row["vlan"]), mac, row["port"], aged))
    total = first_match(_MAC_TOTAL, lines)
    if total is None or int(total[1]) != len(rows):
        raise UnreadableError("the MAC table has not as many rows as it says")
    return tuple(items)


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``display lldp neighbor``.

    Raises
    ------
    UnreadableError
        When a port has not as many neighbours as it says, or one of them is not whole.
    """
    if is_off(text):
        return {}
    by_name: dict[str, list[dict[str, str]]] = {}
    counts: dict[str, int] = {}
    port = ""
    for line in whole_lines(text):
        head, field = _LLDP_PORT.fullmatch(line), _LLDP_FIELD.fullmatch(line)
        if head:
            port = head[1]
            counts[port], by_name[port] = int(head[2]), []
        elif field and port and field["key"] == "Neighbor index":
            by_name[port].append({})
        elif field and port and by_name[port]:
            by_name[port][-1].setdefault(field["key"], field["value"].strip())
    whole = [_LLDP_LAST in entry for entries in by_name.values() for entry in entries]
    if not counts or not all(whole) or counts != {name: len(x) for name, x in by_name.items()}:
        raise UnreadableError(
            "a port has not as many LLDP neighbours as it says, or one is not whole"
        )
    return {
        name: tuple(_neighbour(entry) for entry in entries)
        for name, entries in by_name.items()
        if entries
    }


def _neighbour(entry: dict[str, str]) -> LldpNeighbour:
    keys = ("System name", "Port ID", "Port description")
    if not set(keys) <= entry.keys():
        raise UnreadableError("an LLDP neighbour has no name, port or description")
    return LldpNeighbour(*("" if entry[key] == _NONE else entry[key] for key in keys))
