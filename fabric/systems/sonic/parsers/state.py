"""SONiC: counters, tables, watchdog and ECN (layouts of sonic-net/sonic-utilities 202405).

Counters that a driver or an ASIC does not have are printed ``N/A``: they are None here.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import parse_table, plain
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    MacEntry,
    NeighbourEntry,
    PfcCounters,
    PoolUse,
    QueueCounters,
    Sensor,
    TableUse,
    WatchdogState,
    by_address,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = re.compile(r"[A-Za-z][A-Za-z0-9-]*\d+")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_SPEED = re.compile(r"(\d+)([GM])")
_QUEUE = re.compile(r"([A-Za-z]+\d+):(\d+)")
_BYTES = re.compile(r"(?P<port>[A-Za-z][A-Za-z0-9-]*\d+) (?P<received>\d+|N/A) (?P<sent>\d+|N/A)")
_PAIR = re.compile(r"(\d+|N/A)/(\d+|N/A)")
_ENTRIES = re.compile(r"^Total number of entries +(\d+) *$", re.MULTILINE)
_QUEUE_TABLE = re.compile(r"^ *Port +TxQ", re.MULTILINE)
_PROFILE = re.compile(r"^Profile: (\S+) *$", re.MULTILINE)
_NONE = "N/A"
_MBPS_PER_GBPS = 1000.0
_PRIORITIES = 8
#: Columns of `show interfaces counters` and their names in a snapshot.
_COUNTERS = {
    "RX_OK": "rx_packets",
    "RX_ERR": "rx_errors",
    "RX_DRP": "rx_drops",
    "RX_OVR": "rx_overruns",
    "TX_OK": "tx_packets",
    "TX_ERR": "tx_errors",
    "TX_DRP": "tx_drops",
    "TX_OVR": "tx_overruns",
}
#: What `show platform temperature` prints without sensors.
_NO_SENSORS = "Thermal Not detected"
#: Columns of `show interfaces counters fec-stats` and their names in a snapshot.
_FEC_COUNTERS = {
    "FEC_CORR": "fec_corrected",
    "FEC_UNCORR": "fec_uncorrected",
    "FEC_SYMBOL_ERR": "fec_symbol_errors",
}
#: Resources of `crm show resources all` by the names of hardware tables.
_TABLES = {
    "ipv4_neighbor": "host_entries",
    "fdb_entry": "mac_entries",
    "ipv4_route": "route_entries",
}


def interface_status(text: str) -> dict[str, InterfaceState]:
    """Parse ``show interfaces status``, or raise UnreadableError."""
    interfaces = {}
    for row in _rows(text, "Interface", ("Oper", "Admin", "Speed", "MTU", "FEC", "Alias")):
        interfaces[_port(row["Interface"], row)] = InterfaceState(
            up=_flag(row["Oper"], row),
            enabled=_flag(row["Admin"], row),
            speed_gbps=_speed(row["Speed"]),
            mtu_bytes=_number(row["MTU"]),
            fec=None if row["FEC"] == _NONE else row["FEC"],
        )
    return interfaces


def interface_counters(text: str) -> dict[str, InterfaceState]:
    """Parse ``show interfaces counters``, or raise UnreadableError."""
    return _counted_ports(text, _COUNTERS)


def interface_bytes(text: str) -> dict[str, InterfaceState]:
    """Parse a line for each port: its name, bytes received, bytes sent.

    Raises
    ------
    UnreadableError
        When there is no port, or a line is cut.
    """
    interfaces = {}
    for line in _whole(text).splitlines():
        row = _BYTES.fullmatch(line)
        if row is None:
            raise UnreadableError(f"this is not a port and its bytes: {line[:80]!r}")
        both = {"rx_bytes": _number(row["received"]), "tx_bytes": _number(row["sent"])}
        known = {name: value for name, value in both.items() if value is not None}
        interfaces[row["port"]] = InterfaceState(counters=known)
    if not interfaces:
        raise UnreadableError("no port in the answer")
    return interfaces


def fec_counters(text: str) -> dict[str, InterfaceState]:
    """Parse ``show interfaces counters fec-stats``, or raise UnreadableError."""
    return _counted_ports(text, _FEC_COUNTERS)


def temperatures(text: str) -> dict[str, Sensor]:
    """Parse ``show platform temperature``, or raise UnreadableError.

    Columns: sonic-net/sonic-utilities scripts/tempershow.
    """
    if _whole(text).strip() == _NO_SENSORS:
        return {}
    rows = _rows(text, "Sensor", ("Temperature", "Timestamp"))
    try:
        return {
            row["Sensor"]: Sensor(float(row["Temperature"]), _limit(row.get("High TH", _NONE)))
            for row in rows
            if row["Temperature"] != _NONE
        }
    except ValueError as error:
        raise UnreadableError("a temperature is not a number") from error


def _limit(word: str) -> float | None:
    """Return a limit; some drivers say 0 where they have none."""
    return (float(word) or None) if word != _NONE else None


def _counted_ports(text: str, names: dict[str, str]) -> dict[str, InterfaceState]:
    interfaces = {}
    for row in _rows(text, "IFACE", tuple(names)):
        values = {name: _number(row[column]) for column, name in names.items()}
        known = {name: value for name, value in values.items() if value is not None}
        interfaces[_port(row["IFACE"], row)] = InterfaceState(counters=known)
    return interfaces


def pfc_counters(text: str) -> dict[str, PfcCounters]:
    """Parse ``show pfc counters``: a table of received and one of sent pause frames.

    Raises
    ------
    UnreadableError
        When one of them is missing or cut, or they name other ports.
    """
    columns = tuple(f"PFC{number}" for number in range(_PRIORITIES))
    both = []
    for header in ("Port Rx", "Port Tx"):
        rows = _rows(text, header, columns)
        both.append({
            _port(row[header], row): tuple(_number(row[name]) for name in columns) for row in rows
        })
    received, sent = both
    if received.keys() != sent.keys():
        raise UnreadableError("the tables of received and sent pause frames name other ports")
    return {port: PfcCounters(received[port], sent[port]) for port in received}


def watchdog_stats(text: str) -> dict[tuple[str, int], WatchdogState]:
    """Parse ``show pfcwd stats``, or raise UnreadableError."""
    watchdogs = {}
    columns = ("STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP")
    for row in _rows(text, "QUEUE", columns):
        queue = _QUEUE.fullmatch(row["QUEUE"])
        if queue is None or row["STATUS"] not in {"operational", "stormed"}:
            raise _cut(row)
        detected, restored = _pair(row, columns[1])
        dropped = [drops for _, drops in (_pair(row, name) for name in columns[2:])]
        known = [drops for drops in dropped if drops is not None]
        watchdogs[queue[1], int(queue[2])] = WatchdogState(
            operational=row["STATUS"] == "operational",
            storms_detected=detected,
            storms_restored=restored,
            dropped_packets=sum(known) if known else None,
        )
    return watchdogs


def ecn_profiles(text: str) -> dict[str, EcnState]:
    """Parse ``ecnconfig -l``: the WRED profiles; a field that is not printed is None.

    Raises
    ------
    UnreadableError
        When there is no profile, one is cut, or a number is not one.
    """
    text = _whole(text)
    parts = _PROFILE.split(text)
    if len(parts) == 1:
        raise UnreadableError("no WRED profile in the answer")
    marking = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        fields = dict(_fields(name, body))
        low, high, percent = (
            _number(fields[key]) if (key := f"green_{what}") in fields else None
            for what in ("min_threshold", "max_threshold", "drop_probability")
        )
        marking[name] = EcnState(low, high, None if percent is None else float(percent))
    return marking


def _fields(profile: str, body: str) -> Iterator[tuple[str, str]]:
    lines = [line for line in body.splitlines() if line.strip()]
    rulers = [number for number, line in enumerate(lines) if set(line) <= {"-", " "}]
    if len(rulers) < 2 or rulers[0] != 0:  # noqa: PLR2004 - one above, one below
        raise UnreadableError(f"profile {profile} is cut")
    for line in lines[1 : rulers[1]]:
        key, _, value = line.strip().partition(" ")
        yield key, value.strip()


def queue_counters(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show queue counters``: unicast queues of all ports.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row of it is cut.
    """
    counters = {}
    text = _whole(text)
    starts = [match.start() for match in _QUEUE_TABLE.finditer(text)]
    for start, stop in pairwise([*starts, len(text)]):
        for row in _rows(text[start:stop], "Port", ("TxQ", "Counter/pkts", "Drop/pkts")):
            if row["TxQ"].startswith("UC"):
                number = row["TxQ"].removeprefix("UC")
                counters[_port(row["Port"], row), _index(number, row)] = QueueCounters(
                    packets=_number(row["Counter/pkts"]), dropped_packets=_number(row["Drop/pkts"])
                )
    if not counters:
        raise UnreadableError("no table of queue counters")
    return counters


def queue_watermarks(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show queue watermark unicast``; as `_wide`."""
    return {key: QueueCounters(watermark_bytes=value) for key, value in _wide(text, "UC").items()}


def group_watermarks(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show priority-group watermark headroom``; as `_wide`."""
    return {key: QueueCounters(watermark_bytes=value) for key, value in _wide(text, "PG").items()}


def group_shared_watermarks(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show priority-group watermark shared``; as `_wide`."""
    seen = _wide(text, "PG")
    return {key: QueueCounters(shared_watermark_bytes=value) for key, value in seen.items()}


def pool_watermarks(text: str) -> dict[str, PoolUse]:
    """Parse ``show buffer_pool watermark``; as `_pools`."""
    return {name: PoolUse(watermark_bytes=value) for name, value in _pools(text).items()}


def headroom_pool_watermarks(text: str) -> dict[str, PoolUse]:
    """Parse ``show headroom-pool watermark``; as `_pools`."""
    return {name: PoolUse(headroom_watermark_bytes=value) for name, value in _pools(text).items()}


def _pools(text: str) -> dict[str, int | None]:
    """Return the bytes of each pool.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row of it is cut.
    """
    return {row["Pool"]: _number(row["Bytes"]) for row in _rows(text, "Pool", ("Bytes",))}


def group_drops(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse ``show priority-group drop counters``; as `_wide`."""
    return {key: QueueCounters(dropped_packets=value) for key, value in _wide(text, "PG").items()}


def _wide(text: str, prefix: str) -> dict[tuple[str, int], int | None]:
    """Return a table with a row for each port and a column for each queue or group.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row of it is cut.
    """
    by_name = {}
    for row in _rows(text, "Port", (f"{prefix}0",)):
        for column, value in row.items():
            if column.startswith(prefix):
                number = _index(column.removeprefix(prefix), row)
                by_name[_port(row["Port"], row), number] = _number(value)
    return by_name


def neighbours(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``show arp`` or ``show ndp``; SONiC shows no ages.

    Raises
    ------
    UnreadableError
        When the table, or its end, is missing.
    """
    entries = []
    for row in _counted(text, "Address", ("MacAddress", "Iface")):
        if not _MAC.fullmatch(row["MacAddress"]):
            raise _cut(row)
        entries.append((row["Address"], NeighbourEntry(row["MacAddress"].lower(), row["Iface"])))
    return by_address(entries)


def mac_table(text: str) -> tuple[MacEntry, ...]:
    """Parse ``show mac``; SONiC shows no ages.

    Raises
    ------
    UnreadableError
        When the table, or its end, is missing.
    """
    rows = []
    for row in _counted(text, "No.", ("Vlan", "MacAddress", "Port")):
        if not _MAC.fullmatch(row["MacAddress"]):
            raise _cut(row)
        rows.append(MacEntry(_index(row["Vlan"], row), row["MacAddress"].lower(), row["Port"]))
    return tuple(rows)


def table_use(text: str) -> dict[str, TableUse]:
    """Parse ``crm show resources all``: neighbours, MAC addresses and routes.

    Raises
    ------
    UnreadableError
        When one of the three is missing.
    """
    rows = _rows(text, "Resource Name", ("Used Count", "Available Count"))
    by_name = {row["Resource Name"]: row for row in rows}
    values = {}
    for resource, name in _TABLES.items():
        row = by_name.get(resource, {})
        used, free = (_number(row.get(column, "")) for column in ("Used Count", "Available Count"))
        if used is None or free is None:
            raise UnreadableError(f"{resource} is not in the answer")
        values[name] = TableUse(used, used + free)
    return values


def _counted(text: str, header: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the rows of a table that says at its end how many there are."""
    text = plain(text)
    said = _ENTRIES.search(text)
    rows = _rows(text[: said.start()] if said else text, header, columns)
    if said is None or len(rows) != int(said[1]):
        raise UnreadableError(
            f"the table has {counted(len(rows), 'row')} and does not end with that number"
        )
    return rows


def _rows(text: str, header: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the rows of a whole table, each with a word in every column that is asked for."""
    rows = parse_table(_whole(text), header)
    for row in rows:
        if not row[header] or not all(row.get(column) for column in columns):
            raise _cut(row)
    return rows


def _whole(text: str) -> str:
    text = plain(text)
    if not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    return text


def _cut(row: dict[str, str]) -> UnreadableError:
    return UnreadableError(f"a row is cut, or of another table: {row}")


def _port(name: str, row: dict[str, str]) -> str:
    if not PORT.fullmatch(name):
        raise _cut(row)
    return name


def _flag(word: str, row: dict[str, str]) -> bool | None:
    known = {"up": True, "down": False, _NONE: None}
    if word not in known:
        raise _cut(row)
    return known[word]


def _index(text: str, row: dict[str, str]) -> int:
    if not text.isdecimal():
        raise _cut(row)
    return int(text)


def _number(text: str) -> int | None:
    if text == _NONE:
        return None
    plain_text = text.replace(",", "")
    if not plain_text.isdecimal():
        raise UnreadableError(f"{text!r} is not a number")
    return int(plain_text)


def _pair(row: dict[str, str], column: str) -> tuple[int | None, int | None]:
    match = _PAIR.fullmatch(row[column])
    if match is None:
        raise _cut(row)
    left, right = (_number(text) for text in match.groups())
    return left, right


def _speed(text: str) -> float | None:
    if text == _NONE:
        return None
    match = _SPEED.fullmatch(text)
    if match is None:
        raise UnreadableError(f"{text!r} is not a speed")
    return int(match[1]) / (1.0 if match[2] == "G" else _MBPS_PER_GBPS)
