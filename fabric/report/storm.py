"""whatif --storm: what stops when a NIC pauses without end, and which watchdog ends it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted, noun
from fabric.core.errors import InputError
from fabric.core.formats import form_of
from fabric.core.units import s_to_ms, s_to_us, us_to_s
from fabric.design.configured import NOT_CONFIGURED
from fabric.qos.storm.spread import spread
from fabric.qos.storm.traffic import traffic
from fabric.report.simulation_paths import nic_row
from fabric.report.storm_buffers import Ports, assumed_of, buffers_of
from fabric.report.storm_watchdogs import watches
from fabric.report.table import Table
from fabric.topology.partition import reached

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.design.designs import Designs
    from fabric.qos.storm.spread import Spread
    from fabric.qos.storm.traffic import Traffic
    from fabric.report.storm_watchdogs import Watch
    from fabric.topology.model import Fabric, Ints

    Floats = NDArray[np.float64]

#: Who sends to whom.
PATTERNS = ("rail", "all")
#: Times that are looked at, microseconds: 1, 2, 5 in each decade up to a second; our choice.
_TIMES_US = tuple(step * 10**power for power in range(7) for step in (1, 2, 5))

#: Instead of a time that the design does not give.
_CHOSEN = "a time that the switch chooses"


@dataclass(frozen=True, slots=True)
class Tier:
    """Egress ports of one kind that are paused: the channels behind them.

    Parameters
    ----------
    title : str
        From where to where.
    ports : int
        Ports of all of them.
    """

    title: str
    channels: Ints
    ports: int


@dataclass(frozen=True)
class StormReport:
    """A storm of a NIC.

    Parameters
    ----------
    nic : str
        ``HOST:INTERFACE``.
    pattern : str
        One of ``PATTERNS``.
    traffic, spread : Traffic, Spread
        What flowed, and when it stopped.
    tiers : tuple of Tier
        Paused ports by kind, the earliest first.
    watches : tuple of Watch
        What the watchdogs do, in the order in which they can act.
    assumed : tuple of str
        What is assumed of switches, as no source has it.
    """

    fabric: Fabric
    nic: str
    pattern: str
    traffic: Traffic
    spread: Spread
    tiers: tuple[Tier, ...]
    watches: tuple[Watch, ...]
    assumed: tuple[str, ...] = ()

    @cached_property
    def _stopped_s(self) -> Floats:
        """When each host stops: the first of its NICs that may not send; the broken one at 0."""
        nics, first = self.fabric.nics, len(self.traffic.links)
        stopped = np.full(len(self.fabric.hosts), np.inf)
        for channel, rows in enumerate(self.traffic.members, first):
            np.minimum.at(stopped, nics.host[rows], self.spread.paused_s[channel])
        stopped[nics.host[self.traffic.nic]] = 0.0
        return stopped

    def hosts_at(self, time_s: float) -> int:
        """Return how many hosts have a NIC that may not send, the host of the storm included."""
        return int((self._stopped_s <= time_s).sum())

    @property
    def hosts_end(self) -> int:
        """Hosts that stop if nobody ends the storm."""
        return int(np.isfinite(self._stopped_s).sum())

    @property
    def last_s(self) -> float:
        """When the last port stops."""
        times = self.spread.paused_s
        return float(times[np.isfinite(times)].max(initial=0.0))

    @property
    def end(self) -> Watch | None:
        """The first watchdog that ends the storm for everyone else, at the latest."""
        ends = [one for one in self.watches if one.restores]
        return min(ends, key=lambda one: one.latest_s, default=None)

    def _paused(self, tier: Tier, time_s: float) -> int:
        on = self.spread.paused_s[tier.channels] <= time_s
        return int(self.traffic.ports[tier.channels[on]].sum())

    def _times_us(self) -> list[float]:
        """Return the times of the table: of the grid, and when a kind of ports begins and ends."""
        edges = [
            s_to_us(float(time))
            for tier in self.tiers
            for paused_s in [self.spread.paused_s[tier.channels]]
            for time in (paused_s.min(), paused_s.max())
        ]
        rounded = [math.ceil(10 * edge) / 10 for edge in edges]  # not before it happens
        grid = [float(time) for time in _TIMES_US if time < s_to_us(self.last_s)]
        return sorted({0.0, *grid, *rounded})

    def times(self) -> Table:
        """Return how many ports of each kind, and how many hosts, are stopped, over time."""
        rows: list[tuple[object, ...]] = []
        for time_us in self._times_us():
            at_s = us_to_s(time_us)
            counts = (*(self._paused(tier, at_s) for tier in self.tiers), self.hosts_at(at_s))
            if not rows or counts != rows[-1][2:]:
                rows.append((time_us, 1, *counts))
        headers = ("after_us", "leaf to the NIC", *(tier.title for tier in self.tiers), "hosts")
        return Table(headers, tuple(rows))

    def watchdogs(self) -> Table:
        """Return what each watchdog does and when."""
        rows = tuple(
            (
                one.where,
                one.ports,
                round(s_to_us(one.paused_s), 1),
                one.action,
                _between(one, ".1f"),
                ("" if one.has_times or not one.dropped_bytes else "at most ")
                + f"{one.dropped_bytes:,.0f}",
                "yes" if one.restores else "no",
            )
            for one in self.watches
        )
        headers = "watchdog ports paused_us action acts_ms drops_bytes ends_the_storm".split()
        return Table(tuple(headers), rows)

    def summary(self) -> list[str]:
        """Return what comes of it, in sentences."""
        stopped = (
            f"{self.hosts_end:,} of {counted(len(self.fabric.hosts), 'host')} "
            f"{noun(self.hosts_end, 'stops', 'stop')}, the last after {s_to_us(self.last_s):,.0f} "
            "us"
        )
        if self.end is None:
            lacking = [one for one in self.watches if one.action == NOT_CONFIGURED]
            more = [f"rocefab configures no watchdog of {one.where}{one.cited}" for one in lacking]
            return [stopped, "no watchdog ends the storm", *more]
        return [
            stopped,
            f"{self.end.where} ends it for all others after {_after_what(self.end)}",
            *self._after(self.end),
            *self._races(self.end),
        ]

    def _after(self, end: Watch) -> list[str]:
        """Say what the NIC gets once a watchdog drops its traffic."""
        if end.action != "drop":
            return []
        quiet = f"{s_to_ms(end.restore_s):,.0f} ms" if end.has_times else _CHOSEN
        return [f"traffic to {self.nic} is dropped until it has not paused for {quiet}"]

    def _races(self, end: Watch) -> list[str]:
        """Name the watchdogs that may act before the one that ends the storm."""
        early = [one for one in self.watches if one is not end and one.earliest_s < end.latest_s]
        return [
            f"{one.where} may act before it{one.cited}"
            + ("" if one.restores else ", on ports of hosts that are not broken")
            for one in early
        ]

    @property
    def assumption(self) -> str:
        """Traffic, and what no source has of switches, in words."""
        who = "of its rail" if self.pattern == "rail" else "that it reaches"
        count = sum(len(rows) for rows in self.traffic.members)
        return (
            f"traffic: each of {counted(count, 'NIC')} sends {100 * self.traffic.scale:.0f} % of "
            f"its line rate, evenly to all NICs {who}"
            + "".join(f"\n{words}" for words in self.assumed)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        times, dogs = self.times(), self.watchdogs()
        return {
            "format": form_of("storm"),
            "nic": self.nic,
            "traffic": self.pattern,
            "nics": sum(len(rows) for rows in self.traffic.members),
            "send_percent": round(100 * self.traffic.scale, 1),
            "hosts": len(self.fabric.hosts),
            "hosts_stopped": self.hosts_end,
            "last_us": round(s_to_us(self.last_s), 1),
            "times": [dict(zip(times.headers, row, strict=True)) for row in times.rows],
            "watchdogs": [
                dict(zip(dogs.headers, row, strict=True))
                | ({} if one.has_times else {"acts_ms": None, "drops_bytes": None})
                for one, row in zip(self.watches, dogs.rows, strict=True)
            ],
            "summary": self.summary(),
            "assumed": [*self.assumed],
        }


def storm(
    designs: Designs, word: str, *, pattern: str = "rail", pool_bytes: int = 0
) -> StormReport:
    """Return what comes of a NIC that pauses without end.

    Parameters
    ----------
    word : str
        ``HOST:INTERFACE``.
    pattern : str
        ``rail``: the NICs of one rail send to each other; ``all``: all NICs do.
    pool_bytes : int
        Shared pool of switches whose pool is not known; 0 rejects them.

    Raises
    ------
    InputError
        When there is no such NIC, it is off or alone, or a buffer is not known.
    """
    nic = nic_row(designs, word)
    flow = traffic(designs.fabric, nic, _senders(designs.fabric, nic, word, pattern))
    ports = Ports(designs, flow)
    result = spread(flow, buffers_of(designs, flow, ports, pool_bytes))
    tiers = _tiers(designs.fabric, flow, result)
    return StormReport(
        fabric=designs.fabric,
        nic=word,
        pattern=pattern,
        traffic=flow,
        spread=result,
        tiers=tiers,
        watches=watches(
            designs, flow, result, ports, [(tier.title, tier.channels) for tier in tiers]
        ),
        assumed=assumed_of(designs, flow, ports),
    )


def _between(one: Watch, form: str) -> str:
    """Return when a watchdog acts, in milliseconds."""
    if not one.has_times:
        return f"unknown{one.cited}"
    if not one.may_act:
        return "-"
    times = (s_to_ms(one.earliest_s), s_to_ms(one.latest_s))
    return " to ".join(dict.fromkeys(format(time, form) for time in times))


def _after_what(end: Watch) -> str:
    return f"{_between(end, ',.0f')} ms" if end.has_times else f"{_CHOSEN}{end.cited}"


def _senders(fabric: Fabric, nic: int, word: str, pattern: str) -> Ints:
    """Return the NICs that send to each other, the one of the storm among them."""
    nics = fabric.nics
    if not nics.enabled[nic]:
        raise InputError(f"{word} is disabled; choose a NIC that is in use")
    leaf = int(nics.leaf[nic])
    near = reached(fabric)[leaf]
    near[leaf] = True
    chosen = nics.enabled & near[nics.leaf]
    if pattern == "rail":
        chosen &= (nics.rail == nics.rail[nic]) & (nics.nic_port == nics.nic_port[nic])
    rows = np.flatnonzero(chosen)
    if len(rows) < 2:  # noqa: PLR2004 - a NIC and another one
        raise InputError(f"{word} has no route to another NIC, so it stops no traffic")
    return rows


def _tiers(fabric: Fabric, flow: Traffic, result: Spread) -> tuple[Tier, ...]:
    """Return the kinds of ports that are paused, the first of them first."""
    switches = fabric.switches
    kinds: dict[str, list[int]] = {}
    for channel in np.flatnonzero(np.isfinite(result.paused_s)).tolist():
        source = int(flow.source[channel])
        near = "NIC" if source < 0 else switches.role(source)
        kinds.setdefault(f"{near} to {switches.role(int(flow.target[channel]))}", []).append(
            channel
        )
    tiers = [
        Tier(title, np.array(rows), int(flow.ports[rows].sum())) for title, rows in kinds.items()
    ]
    return tuple(sorted(tiers, key=lambda tier: float(result.paused_s[tier.channels].min())))
