"""Junos: text tables of `show` commands.

Layouts: networktocode/ntc-templates @ d0bc5a48 tests/juniper_junos. The TextFSM templates there let
the lines go by that count the rows, and so a table that was cut; these parsers do not.
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.durations import junos_seconds
from fabric.observe.parsers.tables import as_number, plain
from fabric.observe.state import (
    BgpPeer,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    SystemFacts,
    by_address,
)

_MAC = r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}"
_PROMPT = re.compile(r"\{[a-z]+(:\d+)?\}")
_PEERS = re.compile(r"Groups: \d+ Peers: (\d+) Down peers: (\d+)")
_PEER = re.compile(
    r"([0-9a-f.:]+(?:%\S+)?) +(\d+(?:\.\d+)?)"
    r" +\d+ +\d+ +\d+ +(\d+) +(\S.*?) +([A-Z][A-Za-z]+|[\d/ ]+/\d+)"
)
_ROUTES = re.compile(r"  [\w.-]+: \d+/\d+/\d+/\d+")
_LLDP_HEADER = re.compile(r"Local Interface +Parent Interface +Chassis Id +Port info +System Name")
_LLDP = re.compile(rf"(\S+) +(\S+) +({_MAC}|[0-9.]+) +(\S.*)")
_ARP = re.compile(rf"({_MAC}) +([0-9.]+) +(\S+(?: \[\S+\])?) +([a-z ]+)")
_ARP_TOTAL = re.compile(r"Total entries: (\d+)")
_VLAN_HEADER = re.compile(r"Routing instance +VLAN name +Tag +Interfaces")
_VLAN = re.compile(r"(\S+) +(\S+)(?: +(\d+|NA))?")
_VLAN_PORT = re.compile(r" +\S+")
_TABLE = re.compile(r"Ethernet switching table : (\d+) entries, \d+ learned")
_ENTRY = re.compile(rf" *(\S+) +({_MAC}) +([A-Z,]+) +(-|\d+) +(\S+)(?: +\S+)*")
_TABLE_WORDS = re.compile(
    r"(MAC flags|\s*SE - |\s*O - |Routing instance|\s*Vlan +MAC|\s*name +addr).*"
)


def _lines(text: str) -> list[str]:
    """Return the lines of an output, without the prompt of a member behind it.

    Raises
    ------
    UnreadableError
        When the last line does not end, or a pager or terminal left its marks.
    """
    text = plain(text)
    if not text.endswith("\n"):
        raise UnreadableError("the end of the output is missing")
    rows = [row.rstrip() for row in text.splitlines()]
    return [row for row in rows if row and not _PROMPT.fullmatch(row)]


def _strange(row: str, command: str) -> UnreadableError:
    return UnreadableError(f"no line of `{command}`: {row[:80]!r}")


def _counted(found: int, wanted: str, what: str) -> None:
    if found != int(wanted):
        raise UnreadableError(f"{found} {what}, but the output counts {wanted}")


def system_facts(text: str) -> SystemFacts:
    """Parse ``show version``.

    Raises
    ------
    UnreadableError
        When name, model or release is missing or stands twice.
    """
    pairs = [row.partition(": ") for row in _lines(text)]
    values = []
    for name in ("Hostname", "Model", "Junos"):
        rows = [value for key, colon, value in pairs if key == name and colon]
        if len(rows) != 1 or not rows[0] or " " in rows[0]:
            raise UnreadableError(f"no single {name!r} in the output")
        values.append(rows[0])
    return SystemFacts(hostname=values[0], model=values[1], version=values[2])


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show bgp summary``; a peer of several routing instances is up when all of it is.

    Raises
    ------
    UnreadableError
        When peers are missing, or fewer or more are down than the output says.
    """
    rows = _lines(text)
    if rows == ["BGP is not running"]:
        return {}
    counts = [match for match in map(_PEERS.fullmatch, rows) if match]
    heads = [number for number, row in enumerate(rows) if row.startswith("Peer  ")]
    if len(counts) != 1 or len(heads) != 1:
        raise UnreadableError("no table of BGP peers")
    peers: dict[str, BgpPeer] = {}
    up = []
    for row in rows[heads[0] + 1 :]:
        if _ROUTES.fullmatch(row):
            continue
        match = _PEER.fullmatch(row)
        if match is None:
            raise _strange(row, "show bgp summary")
        address, asn, lost, since, state = match.groups()
        address = _session(address)
        up.append(state == "Establ" or "/" in state)
        established_s = junos_seconds(since) if up[-1] else None
        peer = BgpPeer(up[-1], state, as_number(asn), established_s, int(lost))
        peers[address] = _together(peers[address], peer) if address in peers else peer
    _counted(len(up), counts[0][1], "peers")
    _counted(up.count(False), counts[0][2], "peers that are down")
    return peers


def _session(address: str) -> str:
    """Return an address, or the port of a link-local one: ``fe80::1%et-0/0/1.0`` is et-0/0/1."""
    _, percent, port = address.partition("%")
    return port.removesuffix(".0") if percent else address


def _together(one: BgpPeer, other: BgpPeer) -> BgpPeer:
    """Return two sessions with a peer as one, which is up since both are."""
    times = [peer.established_s for peer in (one, other) if peer.established_s is not None]
    return BgpPeer(
        one.established and other.established,
        other.state,
        other.asn,
        min(times) if len(times) == 2 else None,  # noqa: PLR2004
        (one.lost or 0) + (other.lost or 0),
    )


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors``; nothing counts its rows.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row does not fit into it.
    """
    rows = _lines(text)
    if not rows or not _LLDP_HEADER.fullmatch(rows[0]):
        raise UnreadableError("no table of LLDP neighbours")
    column = rows[0].index("System Name")
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in rows[1:]:
        match = _LLDP.fullmatch(row)
        if match is None:
            raise _strange(row, "show lldp neighbors")
        port_id, name = _last_columns(row, column, match[4])
        neighbours[match[1]] = (*neighbours.get(match[1], ()), LldpNeighbour(name, port_id))
    return neighbours


def _last_columns(row: str, column: int, rest: str) -> tuple[str, str]:
    """Return port and name; a long port moves the name to the right."""
    start = len(row) - len(rest)
    in_columns = start < column and row[column - 1 : column] in {" ", ""}
    if in_columns and " " not in row[column:]:
        return row[start:column].strip(), row[column:].strip()
    port_id, _, name = rest.rpartition(" ")
    if not port_id:
        raise _strange(row, "show lldp neighbors")
    return port_id.strip(), name


def arp_entries(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``show arp no-resolve``: without ``vpn`` it has the entries of all interfaces.

    Raises
    ------
    UnreadableError
        When entries are missing.
    """
    rows = _lines(text)
    if len(rows) < 2 or not rows[0].startswith("MAC Address "):  # noqa: PLR2004 - head and total
        raise UnreadableError("no table of ARP entries")
    total = _ARP_TOTAL.fullmatch(rows[-1])
    if total is None:
        raise UnreadableError("the total of the ARP entries is missing")
    entries = []
    for row in rows[1:-1]:
        match = _ARP.fullmatch(row)
        if match is None:
            raise _strange(row, "show arp no-resolve")
        entries.append((match[2], NeighbourEntry(match[1], match[3])))
    _counted(len(rows) - 2, total[1], "entries")
    return by_address(entries)


def vlan_tags(text: str) -> dict[str, int]:
    """Parse ``show vlans``: tag by name; a VLAN without a tag is left out.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row does not fit into it.
    """
    rows = _lines(text)
    if not rows or not _VLAN_HEADER.fullmatch(rows[0]):
        raise UnreadableError("no table of VLANs")
    by_name = {}
    for row in rows[1:]:
        match = _VLAN.fullmatch(row)
        if match is None:
            if not _VLAN_PORT.fullmatch(row):
                raise _strange(row, "show vlans")
        elif match[3] and match[3] != "NA":
            by_name[match[2]] = int(match[3])
    return by_name


def mac_entries(text: str) -> tuple[MacEntry, ...]:
    """Parse ``show vlans`` and ``show ethernet-switching table``, one behind the other.

    Raises
    ------
    UnreadableError
        When entries are missing, or the tag of a VLAN is.
    """
    vlans, mark, table = text.partition("MAC flags")
    tags = vlan_tags(vlans)
    values, total = [], ""
    for row in _lines(mark + table):
        match, count = _ENTRY.fullmatch(row), _TABLE.fullmatch(row)
        if count:
            total = count[1]
        elif match and total:
            if match[1] not in tags:
                raise UnreadableError(f"VLAN {match[1]} has no tag")
            age_s = None if match[4] == "-" else float(match[4])
            values.append(MacEntry(tags[match[1]], match[2], _physical(match[5]), age_s))
        elif not _TABLE_WORDS.fullmatch(row):
            raise _strange(row, "show ethernet-switching table")
    if not total:
        raise UnreadableError("no table of MAC addresses")
    _counted(len(values), total, "entries")
    return tuple(values)


def _physical(port: str) -> str:
    """Return the port of a logical interface: its unit 0 is the port itself."""
    return port.removesuffix(".0")
