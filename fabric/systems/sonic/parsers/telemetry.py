"""SONiC by gNMI: tables of its databases, as the container ``telemetry`` serves them.

Paths and forms: sonic-net/sonic-gnmi doc/grpc_telemetry.md and sonic_data_client/virtual_db.go,
where a port of ``COUNTERS/Ethernet*`` has its alias. Ports and LLDP: sonic-net/sonic-swss
doc/swss-schema.md. Statistics: sonic-net/sonic-utilities scripts/portstat, queuestat, pfcstat and
pfcwd/main.py; marks: sonic-net/SONiC doc/qos/ECN_and_WRED_statistics_HLD.md. The uptime is not
there: sonic_data_client/non_db_client.go never answers a subscription of mode ONCE.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.observe.leaves import grouped, number_of, text_of
from fabric.observe.parsers import UnreadableError, gnmi_readings
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    LldpNeighbour,
    PfcCounters,
    QueueCounters,
    WatchdogState,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Leaves = Mapping[str, Any]

_PORTS = "APPL_DB:/PORT_TABLE"
_LLDP = "APPL_DB:/LLDP_ENTRY_TABLE"
_COUNTERS = "COUNTERS_DB:/COUNTERS/Ethernet*"
_QUEUES = f"{_COUNTERS}/Queues"
_QUEUE_NAMES = "COUNTERS_DB:/COUNTERS_QUEUE_NAME_MAP"
_QUEUE_TYPES = "COUNTERS_DB:/COUNTERS_QUEUE_TYPE_MAP"

_PORT_LEAF = re.compile(rf"{_PORTS}/(Ethernet\d+)/(.+)")
_LLDP_LEAF = re.compile(rf"{_LLDP}/(Ethernet\d+)/(.+)")
_COUNTER_LEAF = re.compile(rf"{re.escape(_COUNTERS)}/(.+)/(\w+)")
#: ``ALIAS:QUEUE:periodic`` is another watermark.
_QUEUE_LEAF = re.compile(rf"{re.escape(_QUEUES)}/(.+):(\d+)/(\w+)")
_QUEUE_NAME = re.compile(rf"{_QUEUE_NAMES}()/(Ethernet\d+:\d+)")
_QUEUE_TYPE = re.compile(rf"{_QUEUE_TYPES}()/(oid:0x[0-9a-f]+)")

_FLAGS = {"up": True, "down": False}
_MBPS_PER_GBPS = 1000.0
_PRIORITIES = range(8)
#: Sums of statistics by the names of a snapshot.
_SUMS = {
    "rx_bytes": ("SAI_PORT_STAT_IF_IN_OCTETS",),
    "rx_packets": ("SAI_PORT_STAT_IF_IN_UCAST_PKTS", "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS"),
    "rx_errors": ("SAI_PORT_STAT_IF_IN_ERRORS",),
    "rx_drops": ("SAI_PORT_STAT_IF_IN_DISCARDS",),
    "tx_bytes": ("SAI_PORT_STAT_IF_OUT_OCTETS",),
    "tx_packets": ("SAI_PORT_STAT_IF_OUT_UCAST_PKTS", "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS"),
    "tx_errors": ("SAI_PORT_STAT_IF_OUT_ERRORS",),
    "tx_drops": ("SAI_PORT_STAT_IF_OUT_DISCARDS",),
    "fec_corrected": ("SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES",),
    "fec_uncorrected": ("SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES",),
    "fec_symbol_errors": ("SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS",),
}
_UNICAST = "SAI_QUEUE_TYPE_UNICAST"
_WATCHDOG = "PFC_WD_QUEUE_STATS_"
_STATES = {"operational": True, "stormed": False}


def ports(text: str) -> dict[str, InterfaceState]:
    """Return ports from PORT_TABLE of APPL_DB, or raise UnreadableError."""
    return {
        port: InterfaceState(
            up=_FLAGS.get(text_of(leaves, "oper_status")),
            enabled=_FLAGS.get(text_of(leaves, "admin_status")),
            speed_gbps=_gbps(number_of(leaves, "speed")),
            mtu_bytes=number_of(leaves, "mtu"),
            fec=text_of(leaves, "fec") or None,
            description=text_of(leaves, "description"),
        )
        for (port,), leaves in grouped(text, _PORT_LEAF).items()
    }


def counters(text: str) -> dict[str, InterfaceState]:
    """Return the counters of each port, or raise UnreadableError."""
    return {port: InterfaceState(counters=dict(_sums(stats))) for port, stats in _ports(text)}


def pauses(text: str) -> dict[str, PfcCounters]:
    """Return the pause frames of each port, or raise UnreadableError."""
    return {
        port: PfcCounters(
            *(
                tuple(
                    number_of(stats, f"SAI_PORT_STAT_PFC_{one}_{way}_PKTS") for one in _PRIORITIES
                )
                for way in ("RX", "TX")
            )
        )
        for port, stats in _ports(text)
    }


def queues(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Return what unicast queues sent and dropped, or raise UnreadableError."""
    return {
        queue: QueueCounters(
            packets=number_of(stats, "SAI_QUEUE_STAT_PACKETS"),
            dropped_packets=number_of(stats, "SAI_QUEUE_STAT_DROPPED_PACKETS"),
        )
        for queue, stats in _unicast(text)
    }


def marks(text: str) -> dict[tuple[str, int], EcnState]:
    """Return the marks of unicast queues where they are counted, or raise UnreadableError."""
    return {
        queue: EcnState(marked_packets=marked)
        for queue, stats in _unicast(text)
        if (marked := number_of(stats, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS")) is not None
    }


def watchdogs(text: str) -> dict[tuple[str, int], WatchdogState]:
    """Return the watchdog of each queue that has one, or raise UnreadableError."""
    states = {}
    for queue, stats in _unicast(text):
        if state := text_of(stats, "PFC_WD_STATUS"):
            if state not in _STATES:
                raise UnreadableError(f"{state!r} is not a state of the watchdog")
            drops = [number_of(stats, f"{_WATCHDOG}{way}_DROPPED_PACKETS") for way in ("TX", "RX")]
            known = [count for count in drops if count is not None]
            states[queue] = WatchdogState(
                operational=_STATES[state],
                storms_detected=number_of(stats, f"{_WATCHDOG}DEADLOCK_DETECTED"),
                storms_restored=number_of(stats, f"{_WATCHDOG}DEADLOCK_RESTORED"),
                dropped_packets=sum(known) if known else None,
            )
    return states


def lldp(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Return the neighbour of each port, or raise UnreadableError."""
    return {
        port: (
            LldpNeighbour(
                text_of(leaves, "lldp_rem_sys_name"),
                text_of(leaves, "lldp_rem_port_id"),
                text_of(leaves, "lldp_rem_port_desc"),
            ),
        )
        for (port,), leaves in grouped(text, _LLDP_LEAF).items()
    }


def _gbps(mbps: int | None) -> float | None:
    return None if mbps is None else mbps / _MBPS_PER_GBPS


def _sums(stats: Leaves) -> Iterator[tuple[str, int]]:
    """Yield the sums whose statistics are all there."""
    for name, parts in _SUMS.items():
        counts = [count for part in parts if (count := number_of(stats, part)) is not None]
        if len(counts) == len(parts):
            yield name, sum(counts)


def _names(text: str) -> dict[str, str]:
    """Return ports by their alias; a port without one is its own."""
    rows = grouped(text, _PORT_LEAF).items()
    return {text_of(leaves, "alias") or port: port for (port,), leaves in rows}


def _named(names: Mapping[str, str], alias: str) -> str:
    if alias not in names:
        raise UnreadableError(f"no port has the alias {alias[:80]!r}")
    return names[alias]


def _ports(text: str) -> Iterator[tuple[str, Leaves]]:
    names = _names(text)
    for (alias,), stats in grouped(text, _COUNTER_LEAF).items():
        yield _named(names, alias), stats


def _unicast(text: str) -> Iterator[tuple[tuple[str, int], Leaves]]:
    names = _names(text)
    [oids] = grouped(text, _QUEUE_NAME).values()
    [types] = grouped(text, _QUEUE_TYPE).values()
    for (alias, number), stats in grouped(text, _QUEUE_LEAF).items():
        port = _named(names, alias)
        if text_of(types, text_of(oids, f"{port}:{number}")) == _UNICAST:
            yield (port, int(number)), stats


_PORT_COUNTERS = f"{_PORTS} {_COUNTERS}"
_QUEUE_COUNTERS = f"{_PORTS} {_QUEUES} {_QUEUE_NAMES} {_QUEUE_TYPES}"

#: What the reading is called, and its paths.
READINGS = gnmi_readings.add("sonic")({
    _PORTS: ("interfaces", ports),
    f"counters {_PORT_COUNTERS}": ("interfaces", counters),
    f"pauses {_PORT_COUNTERS}": ("pfc_counters", pauses),
    f"queues {_QUEUE_COUNTERS}": ("queues", queues),
    f"marks {_QUEUE_COUNTERS}": ("ecn", marks),
    f"watchdogs {_QUEUE_COUNTERS}": ("watchdog", watchdogs),
    _LLDP: ("lldp", lldp),
})
