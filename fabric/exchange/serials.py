"""Who has which serial and MAC: packing lists, leases of DHCP servers, LLDP of a management switch.

No file has all. Rows of all files are joined where they share a name, a serial, a MAC or a port.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.separators import FIX, no_commas
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

RULE = "ZTP004"
_UNREADABLE = "the serials cannot be read"
#: Words for a column, in lower case and without signs; our choice, from packing lists and exports
#: of NetBox and Nautobot.
_COLUMNS = {
    "name": ("name", "device", "hostname", "switch", "host"),
    "serial": ("serial", "serialnumber", "serialno", "sn", "esn"),
    "mac": ("mac", "macaddress", "basemac", "managementmac", "mgmtmac", "hwaddr"),
    "port": ("port", "managementport", "mgmtport", "interface"),
    "model": ("model", "partnumber", "pn", "sku", "productname", "devicetype"),
}
_MAC = re.compile(
    r"(?:[0-9A-Fa-f]{2}[:-]?){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}[.-]){2}[0-9A-Fa-f]{4}"
)
_SERIAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,63}")
#: End, MAC, address, name and client id of a lease (dnsmasq(8), --dhcp-leasefile).
_DNSMASQ = re.compile(r"\d+ ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) (\d+(?:\.\d+){3}) \S+ (\S+)")
_KEA = "address,hwaddr,client_id,"
_LLDP = "LLDP neighbors:"
_SONIC = "SONiC##"


class Row(NamedTuple):
    """What a line of a file says of one device; empty where it says nothing."""

    place: Position
    name: str = ""
    serial: str = ""
    mac: str = ""
    port: str = ""
    model: str = ""
    address: str = ""


def read_rows(path: Path) -> list[Row]:
    """Return what a file says; its form is seen by its content.

    Raises
    ------
    InputError
        When it is none of the forms, or a line of it is wrong.
    """
    text = read_text(path, FileKind.SERIALS)
    lines = text.splitlines()
    first = next((line for line in lines if line.strip("- ")), "")
    if first.startswith(_KEA):
        return list(_kea(path, lines))
    if _LLDP in text:
        return list(_lldp(path, lines))
    if _DNSMASQ.match(first):
        return list(_dnsmasq(path, lines))
    return list(_table(path, lines))


def _table(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    reader = csv.reader(lines, strict=True)
    try:
        head = [_plain(cell) for cell in next(reader, [])]
        columns = {
            field: head.index(word)
            for field, words in _COLUMNS.items()
            for word in words
            if word in head
        }
        if len(columns.keys() - {"model"}) < 2:  # noqa: PLR2004 - nothing could be joined
            words = {word for names in _COLUMNS.values() for word in names}
            if message := no_commas("".join(lines[:1]), lambda cell: _plain(cell) in words):
                raise _wrong(path, 1, message, FIX)
            known = ", ".join(_COLUMNS)
            raise _wrong(path, 1, f"no table with two of the columns {known}", "name its columns")
        wrong: list[Finding] = []
        for cells in reader:
            at = {f: cells[i].strip() for f, i in columns.items() if i < len(cells)}
            if any(at.values()):
                wrong += _mistakes(path, reader.line_num, at)
                mac = at.get("mac", "")
                yield Row(Position(str(path), reader.line_num), **{**at, "mac": _mac(mac)})
        if wrong:
            raise InputError(_UNREADABLE, wrong)
    except csv.Error as error:
        raise _wrong(path, reader.line_num, f"not CSV: {error}", "correct the line") from error


def _plain(cell: str) -> str:
    return "".join(filter(str.isalnum, cell.lower()))


def _mistakes(path: Path, line: int, at: dict[str, str]) -> Iterator[Finding]:
    """Yield what is wrong with the cells of a line."""
    for field, form, what in (("mac", _MAC, "MAC address"), ("serial", _SERIAL, "serial number")):
        cell = at.get(field, "")
        if cell and not form.fullmatch(cell):
            yield _finding(path, line, f"{cell[:40]!a} is not a {what}", "correct the line")


def _mac(text: str) -> str:
    digits = re.sub(r"[^0-9a-f]", "", text.lower())
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))


def _kea(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    """Yield the leases of Kea's memory file; a later line about an address counts."""
    head = lines[0].split(",")
    of_address: dict[str, Row] = {}
    for number, line in enumerate(lines[1:], 2):
        cells = dict(zip(head, line.split(","), strict=False))
        if _MAC.fullmatch(cells.get("hwaddr", "")):
            place = Position(str(path), number)
            client, address = cells.get("client_id", ""), cells["address"]
            of_address[address] = _lease(place, client, _mac(cells["hwaddr"]), address)
    yield from of_address.values()


def _dnsmasq(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if match := _DNSMASQ.match(line):
            mac, address, client = match.groups()
            yield _lease(Position(str(path), number), client, mac, address)


def _lease(place: Position, client: str, mac: str, address: str) -> Row:
    serial, model = serial_of(client), _product(client)
    return Row(place, serial=serial, mac=mac, model=model, address=address)


def _lldp(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    port = ""
    for number, line in enumerate(lines, 1):
        if match := re.match(r"Interface: +([^\s,]+),", line):
            port = match[1]
        elif (match := re.match(r" +ChassisID: +mac (\S+)", line)) and _MAC.fullmatch(match[1]):
            yield Row(Position(str(path), number), mac=_mac(match[1]), port=port)


def serial_of(client_id: str) -> str:
    """Return the serial in a client id; empty where it has none.

    The id is hexadecimal with colons. SONiC sends ``SONiC##PRODUCT##SERIAL``; NX-OS, ONIE and
    Cumulus Linux send a zero and the serial.
    """
    text = _client(client_id)
    if text.startswith(_SONIC):
        serial = text.rpartition("##")[2]
    else:
        serial = text[1:] if text.startswith("\0") else ""
    return serial if _SERIAL.fullmatch(serial) else ""


def _product(client_id: str) -> str:
    """Return the product in a client id of SONiC; empty where it has none."""
    text = _client(client_id)
    product = text.removeprefix(_SONIC).rpartition("##")[0] if text.startswith(_SONIC) else ""
    return product if product.isprintable() else ""


def _client(client_id: str) -> str:
    """Return the text of a client id; empty where it is none."""
    try:
        return bytes.fromhex(client_id.replace(":", "")).decode("ascii")
    except ValueError:
        return ""


def joined(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each device: those that share a name, serial, MAC, port or address."""
    of_key: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for key in _keys(row):
            of_key[key].append(number)
    ends = [(numbers[0], other) for numbers in of_key.values() for other in numbers]
    first, second = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(len(rows),) * 2)
    count, labels = connected_components(graph, directed=False)
    groups: list[list[Row]] = [[] for _ in range(count)]
    for row, label in zip(rows, labels.tolist(), strict=True):
        groups[label].append(row)
    return groups


_KEYS = ("name", "serial", "mac", "port", "address")


def _keys(row: Row) -> Iterator[tuple[str, str]]:
    return ((field, text) for field in _KEYS if (text := getattr(row, field)))


def contradictions(group: Sequence[Row]) -> Iterator[Finding]:
    """Yield values of which the rows of a device name more than one."""
    for field in ("name", "serial", "mac"):
        said: dict[str, Row] = {}
        for row in group:
            if text := getattr(row, field):
                said.setdefault(text, row)
        if len(said) > 1:
            first, second = list(said.values())[:2]
            yield Finding(
                RULE,
                Severity.ERROR,
                f"{field} {getattr(second, field)} and, in {first.place}, {getattr(first, field)} "
                "are of one device",
                "correct one of the lines",
                position=second.place,
            )


def _wrong(path: Path, line: int, message: str, fix: str) -> InputError:
    return InputError(_UNREADABLE, [_finding(path, line, message, fix)])


def _finding(path: Path, line: int, message: str, fix: str) -> Finding:
    return Finding(RULE, Severity.ERROR, message, fix, position=Position(str(path), line))
