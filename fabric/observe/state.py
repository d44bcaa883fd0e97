"""Typed operational state, the same for every system; what was not read is None, never zero."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the schema of readings is made from the types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import FiniteFloat  # noqa: TC002 - the schema of readings is made from the types

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Counters have 64 bits at most (RFC 2578, Counter64); who says more is not believed.
MOST_COUNT = 1 << 64


@dataclass(frozen=True, slots=True)
class LldpNeighbour:
    """What LLDP saw on a port."""

    system_name: str
    port_id: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class BgpPeer:
    """State of a BGP session; times and counts are None where the system does not report them.

    Parameters
    ----------
    established_s : float or None
        How long it has been established; systems round it to their last unit.
    lost : int or None
        How often it was lost, since the system counts.
    """

    established: bool
    state: str
    asn: int
    established_s: FiniteFloat | None = None
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """Who the device says it is."""

    hostname: str
    model: str = ""
    version: str = ""
    serial: str = ""
    mac: str = ""
    uptime_s: FiniteFloat | None = None


@dataclass(frozen=True, slots=True)
class InterfaceState:
    """State of a port; counters count since the device cleared them."""

    up: bool | None = None
    enabled: bool | None = None
    speed_gbps: FiniteFloat | None = None
    mtu_bytes: int | None = None
    fec: str | None = None
    description: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NeighbourEntry:
    """An ARP or ND entry, by address; ``age_s`` counts up from when it was learnt."""

    mac: str
    interface: str
    age_s: FiniteFloat | None = None


def by_address(entries: Iterable[tuple[str, NeighbourEntry]]) -> dict[str, NeighbourEntry]:
    """Return entries by address, and by ``address%interface`` where several interfaces have it.

    Tenants may have the same addresses, each in its own VRF.
    """
    rows, interfaces = list(entries), dict[str, set[str]]()
    for address, entry in rows:
        interfaces.setdefault(address, set()).add(entry.interface)
    return {
        address if len(interfaces[address]) == 1 else f"{address}%{entry.interface}": entry
        for address, entry in rows
    }


@dataclass(frozen=True, slots=True)
class MacEntry:
    """A learnt MAC address, by VLAN and address."""

    vlan: int
    mac: str
    port: str
    age_s: FiniteFloat | None = None


@dataclass(frozen=True, slots=True)
class PfcCounters:
    """Pause frames of a port by PFC priority."""

    received: tuple[int | None, ...]
    sent: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class WatchdogState:
    """PFC watchdog of one queue of a port.

    Parameters
    ----------
    operational : bool or None
        False while a storm lasts; None where the system does not say it, or nobody watches.
    """

    operational: bool | None
    storms_detected: int | None = None
    storms_restored: int | None = None
    dropped_packets: int | None = None


@dataclass(frozen=True, slots=True)
class Optic:
    """What a port says of its optic and its signal; what it does not say is None.

    Parameters
    ----------
    received_dbm, sent_dbm : tuple of float or None
        Power of each lane.
    pre_fec_bit_error_ratio : float or None
        Wrong bits before FEC corrects, of those that came by the line.
    """

    temperature_celsius: FiniteFloat | None = None
    received_dbm: tuple[FiniteFloat | None, ...] | None = None
    sent_dbm: tuple[FiniteFloat | None, ...] | None = None
    pre_fec_bit_error_ratio: FiniteFloat | None = None


@dataclass(frozen=True, slots=True)
class Sensor:
    """Temperature of a place in a device, and what the device takes for too hot; None if unsaid."""

    celsius: FiniteFloat
    limit_celsius: FiniteFloat | None = None


@dataclass(frozen=True, slots=True)
class EcnState:
    """Marking of one queue of a port, as the device shows it; sizes may be rounded by the ASIC."""

    kmin_bytes: int | None = None
    kmax_bytes: int | None = None
    pmax_percent: FiniteFloat | None = None
    marked_packets: int | None = None


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """What an egress queue or an ingress priority group passed, dropped and held at most.

    Parameters
    ----------
    watermark_bytes : int or None
        Of a queue; of a priority group what it held in its headroom.
    shared_watermark_bytes : int or None
        Of a priority group: what it held in the shared pool.
    """

    packets: int | None = None
    dropped_packets: int | None = None
    watermark_bytes: int | None = None
    shared_watermark_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class PoolUse:
    """What a buffer pool, and the headroom that its groups share, held at most."""

    watermark_bytes: int | None = None
    headroom_watermark_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TableUse:
    """How full a hardware table is."""

    used: int
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class NicCounters:
    """Counters of a NIC by the names of its driver; None where they could not be read.

    Parameters
    ----------
    counters, hw_counters : mapping or None
        Of the network device, of the RDMA port.
    """

    rdma_device: str
    up: bool | None = None
    counters: Mapping[str, int] | None = None
    hw_counters: Mapping[str, int] | None = None
