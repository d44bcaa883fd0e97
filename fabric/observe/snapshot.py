"""Types of observed state."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration import configured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured
    from fabric.observe.state import (
        BgpPeer,
        EcnState,
        InterfaceState,
        LldpNeighbour,
        MacEntry,
        NeighbourEntry,
        NicCounters,
        Optic,
        PfcCounters,
        PoolUse,
        QueueCounters,
        Sensor,
        SystemFacts,
        TableUse,
        WatchdogState,
    )


@dataclass(frozen=True)
class Snapshot:
    """Operational state of one device.

    A field is None when its reading failed or was not asked for; ``unknown`` names the readings
    that could not be understood, ``raw`` keeps what the device said.

    Parameters
    ----------
    bgp, bfd : mapping
        Sessions by the address of the peer; of BFD whether it is up.
    lldp, interfaces, pfc_priorities, pfc_counters : mapping
        By port.
    route_count : int
        IPv4 routes of the default VRF.
    neighbours : mapping
        ARP and ND entries of all VRFs, with the keys of `state.by_address`.
    macs : tuple of MacEntry
        The MAC table.
    tables : mapping
        Use of hardware tables by the names of ``FACTS``: host_entries, mac_entries, route_entries.
    kernel : mapping
        Kernel parameters of the neighbour table by name, as they run (SONiC).
    daemons : mapping
        States of the daemons that keep silent neighbours known, in capitals (SONiC).
    watchdog, ecn, queues, priority_groups : mapping
        By port and number.
    buffer_pools : mapping
        By the name of the pool.
    ecn_profiles : mapping
        Marking by the name of a profile, where the system shows profiles.
    nics : mapping
        Counters of the lossless NICs of a host by interface.
    """

    device: str
    facts: SystemFacts | None = None
    interfaces: Mapping[str, InterfaceState] | None = None
    lldp: Mapping[str, tuple[LldpNeighbour, ...]] | None = None
    bgp: Mapping[str, BgpPeer] | None = None
    bfd: Mapping[str, bool] | None = None
    route_count: int | None = None
    neighbours: Mapping[str, NeighbourEntry] | None = None
    macs: tuple[MacEntry, ...] | None = None
    tables: Mapping[str, TableUse] | None = None
    pfc_priorities: Mapping[str, tuple[int, ...]] | None = None
    pfc_counters: Mapping[str, PfcCounters] | None = None
    watchdog: Mapping[tuple[str, int], WatchdogState] | None = None
    ecn: Mapping[tuple[str, int], EcnState] | None = None
    ecn_profiles: Mapping[str, EcnState] | None = None
    queues: Mapping[tuple[str, int], QueueCounters] | None = None
    priority_groups: Mapping[tuple[str, int], QueueCounters] | None = None
    buffer_pools: Mapping[str, PoolUse] | None = None
    optics: Mapping[str, Optic] | None = None
    temperatures: Mapping[str, Sensor] | None = None
    kernel: Mapping[str, str] | None = None
    daemons: Mapping[str, str] | None = None
    nics: Mapping[str, NicCounters] | None = None
    unknown: tuple[str, ...] = ()
    raw: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Running:
    """Running configuration of one device in a comparable form.

    Parameters
    ----------
    config : Any
        What the adapter of the platform compares: CONFIG_DB of SONiC, text without comments,
        live settings of a host by NIC.
    canonical : str
        The same as text, byte for byte equal when nothing relevant differs.
    saved : bool or None
        Whether the startup configuration equals it; None where there is no such thing.
    files : mapping
        Content of the files of ours by path.
    kernel : mapping
        Kernel parameters by name as they run, where files of ours set them (SONiC).
    system : mapping
        What the system says of itself that decides how it is changed: ``release``, ``version``
        (of the build) and ``asic_type`` (SONiC). Others say ``version`` alone, where the state
        has none.
    """

    device: str
    platform: str
    config: Any
    canonical: str
    saved: bool | None
    files: Mapping[str, str]
    kernel: Mapping[str, str] = field(default_factory=dict)
    system: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_text(
        cls, device: str, platform: str, text: str, *, saved: bool | None, version: str = ""
    ) -> Running:
        """Return a configuration that is one text, without files of ours."""
        system = {"version": version} if version else {}
        return cls(device, platform, text, text, saved, {}, system=system)

    @property
    def text(self) -> str:
        """Configuration of a switch as its reader takes it."""
        return self.config if isinstance(self.config, str) else json.dumps(self.config, indent=1)

    @cached_property
    def configured(self) -> Configured | None:
        """What the configuration of a switch says; None where no reader takes it."""
        return configured(self.platform, self.text)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of configuration and files."""
        digest = hashlib.sha256(self.canonical.encode())
        for path in sorted(self.files):
            digest.update(f"\0{path}\0{self.files[path]}".encode())
        return digest.hexdigest()
