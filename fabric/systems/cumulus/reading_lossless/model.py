"""What stands in a Cumulus configuration before ports are complete."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.configuration.book import BookReader

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import Lossless, PortPolicy, Value, Watchdog

#: The profile of all ports that have no other one.
GLOBAL = "default-global"

#: What a line is about that counts here.
_TOPICS = {
    "config": r"(?!qos traffic-pool (?!default-lossless memory-percent ))"
    r"(system (hostname|global arp|forwarding ecmp-hash) |interface |bridge domain \S+ ageing "
    r"|qos |vrf \S+ router bgp neighbor )"
}
LINES = BookReader("cumulus", "lossless", "no", _TOPICS)
_PORT = re.compile(r"swp\d+(s\d+)?")


@dataclass(slots=True)
class Mapping:
    """How packets are classified: what is trusted, and switch priorities of DSCPs and of tags."""

    trust: str | None = None
    dscps: dict[int, int] = field(default_factory=dict)
    dscp_lines: dict[int, int] = field(default_factory=dict)
    tags: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Pause:
    """Switch priorities with PFC, each with its line; ``off`` by direction where it is disabled."""

    priorities: dict[int, int] = field(default_factory=dict)
    off: dict[str, int] = field(default_factory=dict)
    longest_m: int | None = None


@dataclass(slots=True)
class Congestion:
    """ECN of a traffic class; what no line says is None."""

    line: int
    ecn: bool = True
    kmin_bytes: int | None = None
    kmax_bytes: int | None = None
    pmax_percent: float | None = None


@dataclass(slots=True)
class Service:
    """How queues are served: shares, and strict ones with their lines."""

    percent: dict[int, Value] = field(default_factory=dict)
    strict: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class LosslessLines:
    """A switch with its profiles, until ports are complete.

    Parameters
    ----------
    roce, mode : int or None, str
        Line of ``qos roce`` where it is on, and its mode.
    profiles : dict of str to dict of str to int
        By kind: the profiles that lines define, with their first lines.
    bound : dict of str to dict of str to str
        By port: its profile of each kind.
    queues : dict of int to int
        Traffic classes of switch priorities that a line names.
    lossless_pool : int
        Percent of the memory that lossless traffic has without ``qos roce``.
    tagged : dict of str to bool
        Bridge ports, and whether their frames have a VLAN tag.
    parents, speakers : set of str
        Ports that are split into others, and those that BGP runs on.
    reachable_s : Value or None
        Base time for which neighbours are reachable.
    """

    switch: Lossless
    roce: int | None = None
    mode: str = "lossless"
    profiles: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    bound: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    mappings: dict[str, Mapping] = field(default_factory=lambda: defaultdict(Mapping))
    pauses: dict[str, Pause] = field(default_factory=lambda: defaultdict(Pause))
    congestion: dict[str, dict[int, Congestion]] = field(default_factory=lambda: defaultdict(dict))
    services: dict[str, Service] = field(default_factory=lambda: defaultdict(Service))
    queues: dict[int, int] = field(default_factory=dict)
    lossless_pool: int = 0
    watchdogs: dict[str, Watchdog] = field(default_factory=dict)
    poll_ms: float = 100
    polls: float = 3
    tagged: dict[str, bool] = field(default_factory=dict)
    parents: set[str] = field(default_factory=set)
    speakers: set[str] = field(default_factory=set)
    reachable_s: Value | None = None

    def port(self, name: str, line: int) -> PortPolicy:
        """Return a port of the front panel.

        Raises
        ------
        ValueError
            When it is something else, such as a part of a port.
        """
        if not _PORT.fullmatch(name):
            raise ValueError(name)
        return self.switch.port(name, line)
