"""COUNTERS_DB of SONiC and the command sonic-db-cli.

Known: names of maps and fields as in sonic-net/sonic-utilities 202405 (tests/mock_tables/
counters_db.json) and sonic-net/sonic-swss (orchagent/pfcwdorch.cpp); sonic-db-cli prints a hash
as a Python dictionary. Assumed: object ids are made from the place of the port; what was never
bumped is 0; a counter that a test lets run rises evenly with the clock of the lab; of the scripts
of ``EVAL`` there is the one that the driver sends.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.lab.lines.tree import natural
from fabric.lab.shell.state import Result
from fabric.systems.sonic.drivers import BYTES_SCRIPT

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn

_PORT_OID, _QUEUE_OID, _GROUP_OID = 0x1000000000001, 0x15000000000001, 0x1A000000000001
_WAYS = ("IN", "OUT")
_PORT_STATS = (
    "SAI_PORT_STAT_IF_IN_UCAST_PKTS",
    "SAI_PORT_STAT_IF_IN_OCTETS",
    "SAI_PORT_STAT_IF_IN_ERRORS",
    "SAI_PORT_STAT_IF_IN_DISCARDS",
    "SAI_PORT_STAT_IF_OUT_UCAST_PKTS",
    "SAI_PORT_STAT_IF_OUT_OCTETS",
    "SAI_PORT_STAT_IF_OUT_ERRORS",
    "SAI_PORT_STAT_IF_OUT_DISCARDS",
    *(f"SAI_PORT_STAT_PFC_{priority}_{way}_PKTS" for priority in range(8) for way in ("RX", "TX")),
)
_QUEUE_STATS = tuple(
    f"SAI_QUEUE_STAT_{name}" for name in ("PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES")
)
_GROUP_STATS = ("SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",)


@dataclass(slots=True)
class Counters:
    """Counts by object: a port, ``port:queue 3`` or ``port:pg 3``."""

    clock: LabClock
    rates: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    values: dict[str, dict[str, int]] = field(default_factory=dict)
    words: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, what: str, name: str, count: int) -> None:
        """Count ``count`` more.

        Parameters
        ----------
        what : str
            ``Ethernet0``, ``Ethernet0:queue 3`` or ``Ethernet0:pg 3``.
        name : str
            SAI name of the counter.
        count : int
            How many.
        """
        row = self.values.setdefault(what, {})
        row[name] = row.get(name, 0) + count

    def run(self, what: str, name: str, per_s: float) -> None:
        """Let a counter rise with time from now on."""
        self.add(what, name, 0)
        self.rates[what, name] = (per_s, self.clock.now_s())

    def get(self, what: str, name: str) -> int:
        """Return a count."""
        return self.of(what).get(name, 0)

    def of(self, what: str) -> dict[str, int]:
        """Return the counts of an object now."""
        counts = dict(self.values.get(what, {}))
        for name in counts:
            if (what, name) in self.rates:
                per_s, since_s = self.rates[what, name]
                counts[name] += int(per_s * (self.clock.now_s() - since_s))
        return counts

    def storm(self, port: str, queue: int, *, stormed: bool = True) -> None:
        """Let the PFC watchdog see a storm on a queue, or its end."""
        row = self.words.setdefault(f"{port}:queue {queue}", {})
        row["PFC_WD_STATUS"] = "stormed" if stormed else "operational"
        event = "DETECTED" if stormed else "RESTORED"
        self.add(f"{port}:queue {queue}", f"PFC_WD_QUEUE_STATS_DEADLOCK_{event}", 1)


def ports_of(device: SonicStandIn) -> list[str]:
    """Return the ports of a switch in their order."""
    return sorted(device.table("PORT"), key=natural)


def database(device: SonicStandIn) -> dict[str, dict[str, str]]:
    """Return COUNTERS_DB: key to hash."""
    content: dict[str, dict[str, str]] = {
        "COUNTERS_PORT_NAME_MAP": {},
        "COUNTERS_QUEUE_NAME_MAP": {},
        "COUNTERS_PG_NAME_MAP": {},
    }
    for place, port in enumerate(ports_of(device)):
        oid = f"oid:{_PORT_OID + place:#x}"
        content["COUNTERS_PORT_NAME_MAP"][port] = oid
        content[f"COUNTERS:{oid}"] = _hash(device, port, _PORT_STATS)
        for number in range(8):
            oid = f"oid:{_QUEUE_OID + 8 * place + number:#x}"
            content["COUNTERS_QUEUE_NAME_MAP"][f"{port}:{number}"] = oid
            row = _hash(device, f"{port}:queue {number}", _QUEUE_STATS)
            content[f"COUNTERS:{oid}"] = row | _watchdog(device, port, number)
            oid = f"oid:{_GROUP_OID + 8 * place + number:#x}"
            content["COUNTERS_PG_NAME_MAP"][f"{port}:{number}"] = oid
            content[f"COUNTERS:{oid}"] = _hash(device, f"{port}:pg {number}", _GROUP_STATS)
    return content


def _hash(device: SonicStandIn, what: str, names: tuple[str, ...]) -> dict[str, str]:
    counts = dict.fromkeys(names, 0) | device.counters.of(what)
    return {name: str(count) for name, count in counts.items()}


def _watchdog(device: SonicStandIn, port: str, number: int) -> dict[str, str]:
    """Return the watchdog's fields: it runs on ``pfcwd_sw_enable`` of a port with a PFC_WD row."""
    row = device.table("PFC_WD").get(port)
    watched = str(device.table("PORT_QOS_MAP").get(port, {}).get("pfcwd_sw_enable", ""))
    if row is None or str(number) not in watched.split(","):
        return {}
    fields = {
        "PFC_WD_STATUS": "operational",
        "PFC_WD_ACTION": str(row.get("action", "drop")),
        "PFC_WD_DETECTION_TIME": str(int(row.get("detection_time", "0")) * 1000),
        "PFC_WD_RESTORATION_TIME": str(int(row.get("restoration_time", "0")) * 1000),
        "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": "0",
        "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED": "0",
        "PFC_WD_QUEUE_STATS_TX_PACKETS": "0",
        "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS": "0",
    }
    what = f"{port}:queue {number}"
    counts = device.counters.of(what)
    fields |= {name: str(count) for name, count in counts.items() if name in fields}
    return fields | device.counters.words.get(what, {})


def config_database(device: SonicStandIn) -> dict[str, dict[str, str]]:
    """Return CONFIG_DB: key to hash; a list is stored under its name with an ``@``."""
    content: dict[str, dict[str, str]] = {}
    for table, rows in device.running.items():
        for key, fields in rows.items():
            row = {
                f"{name}@" if isinstance(value, list) else name: (
                    ",".join(value) if isinstance(value, list) else str(value)
                )
                for name, value in fields.items()
            }
            content[f"{table}|{key}"] = row or {"NULL": "NULL"}
    return content


def _bytes(keys: dict[str, dict[str, str]]) -> str:
    """Return what the script of the driver returns: ports with the bytes of both directions."""
    rows = (
        (port, *(keys[f"COUNTERS:{oid}"][f"SAI_PORT_STAT_IF_{way}_OCTETS"] for way in _WAYS))
        for port, oid in keys["COUNTERS_PORT_NAME_MAP"].items()
    )
    return "\n".join(map(" ".join, rows)) + "\n"


def command(device: SonicStandIn) -> Tool:
    """Return the command sonic-db-cli of a switch."""

    def run(_context: Context, argv: list[str], _stdin: str) -> Result:
        words = argv[1:]
        databases = {"COUNTERS_DB": database, "CONFIG_DB": config_database}
        if not words or words[0] not in databases:
            return Result("", f"Invalid database name input : '{' '.join(words[:1])}'\n", 1)
        keys = databases[words[0]](device)
        match [words[1].upper() if len(words) > 1 else "", *words[2:]]:
            case ["HGETALL", key]:
                return Result(f"{keys.get(key, {})!r}\n")
            case ["HGET", key, name]:
                return Result(keys.get(key, {}).get(name, "") + "\n")
            case ["KEYS", pattern]:
                matching = [key for key in keys if fnmatch.fnmatchcase(key, pattern)]
                return Result("".join(f"{key}\n" for key in matching))
            case ["DEL", *names] if words[0] == "CONFIG_DB" and names:
                return Result(f"{sum(map(device.delete_row, names))}\n")
            case ["EVAL", script, "0"] if words[0] == "COUNTERS_DB" and script == BYTES_SCRIPT:
                return Result(_bytes(keys))
            case ["EXISTS", key]:
                return Result(f"{int(key in keys)}\n")
        return Result("", f"Executing: {' '.join(words[1:])} is not supported\n", 1)

    return run
