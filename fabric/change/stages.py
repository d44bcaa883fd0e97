"""Waves of a roll-out: by failure domain, and small enough for the capacity that must stay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from fabric.change.rollout import POD, Stage
from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.units import PERCENT
from fabric.topology.clos import clos, failed
from fabric.topology.impact import impact
from fabric.topology.outages import outage_of_ports

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fabric.intent.rollout_model import Rollout
    from fabric.topology.clos import Outage
    from fabric.topology.impact import Impact
    from fabric.topology.model import Fabric


class Stages:
    """Puts the devices of a change into waves.

    Parameters
    ----------
    fabric : Fabric
        The network as it is when the change is done.
    policy : Rollout
        Order, sizes and limits.
    idle : collection of (str, str)
        Switches and ports whose cables carry no traffic when the change begins.
    changing : mapping of str to collection of str
        The ports that a switch loses meanwhile; one that is absent, or has none, loses all.
    """

    def __init__(
        self,
        fabric: Fabric,
        policy: Rollout,
        *,
        idle: Collection[tuple[str, str]] = (),
        changing: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._fabric = fabric
        self._policy = policy
        self._network = failed(clos(fabric), outage_of_ports(fabric, idle))
        self._changing = changing

    def of(self, names: Collection[str], *, hosts_first: bool = False) -> list[Stage]:
        """Return the waves of some devices: canaries, spines, leaves, hosts.

        Parameters
        ----------
        names : collection of str
            Switches and hosts that change.
        hosts_first : bool
            Whether hosts change before switches.

        Raises
        ------
        InputError
            When a canary is no device of the fabric.
        """
        canaries = [name for name in self._canaries() if name in names]
        rest = {*names} - {*canaries}
        stages = [self._stage("canary", [name]) for name in canaries]
        switches = list(self._switches(rest))
        hosts = [stage for wave in self._hosts(rest) for stage in self._within_limits("host", wave)]
        ordered = [*hosts, *switches] if hosts_first else [*switches, *hosts]
        return [*stages, *ordered]

    def meanwhile(
        self,
        stage: Stage,
        down: tuple[str, ...],
        before: Collection[tuple[str, str]],
        after: Collection[tuple[str, str]],
    ) -> Stage:
        """Return a wave with what is left while some of its devices are down, and cut cables.

        Parameters
        ----------
        down : tuple of str
            Devices of it whose change takes ports down; where there are none, all of them fail.
        before, after : collection of (str, str)
            Switches and ports whose sessions are down before and after the wave.
        """
        if down and down != stage.names:
            of_down = self._stage(stage.kind, down)
            stage = replace(of_down, names=stage.names, hosts=stage.hosts)
        if not before and not after:
            return stage
        during = self._outage(down or stage.names) | outage_of_ports(self._fabric, before)
        outages = (during, outage_of_ports(self._fabric, after))
        hits = (impact(self._network, outage, self._fabric.tenants) for outage in outages)
        left, of = min(map(_left, hits), key=itemgetter(0))
        return replace(stage, left_percent=left, left_of=of)

    def pairs_cut(self, ports: Collection[tuple[str, str]]) -> tuple[int, int]:
        """Return how many pairs of leaves have a path, and how many lose it without some cables."""
        outage = outage_of_ports(self._fabric, ports)
        return impact(self._network, outage).leaf_pairs

    def _canaries(self) -> list[str]:
        known = {*self._fabric.switch_row, *self._fabric.host_row}
        canary = self._policy.canary
        named = [name for text in canary.devices for name in hostlist.expand(text)]
        if unknown := [name for name in named if name not in known]:
            message = f"rollout.canary: device {unknown[0]!r} does not exist"
            fix = "`rocefab show topology` lists them"
            finding = Finding("PLN002", Severity.ERROR, message, fix, "fabric.rollout.canary")
            raise InputError("nothing was planned", [finding])
        others = [name for name in self._fabric.hosts.names if name not in named]
        return [*named, *others[: canary.hosts]]

    def _switches(self, names: Collection[str]) -> Iterator[Stage]:
        """Yield the waves of switches, from the highest tier down."""
        switches = self._fabric.switches
        for tier in range(int(switches.tier.max()), -1, -1):
            rows = [row for row in switches.of_tier(tier).tolist() if switches.names[row] in names]
            kind = switches.role(rows[0]) if rows else ""
            pack = self._packed_leaves(rows) if tier == 0 else self._packed(rows)
            for wave in pack:
                yield from self._within_limits(kind, [switches.names[row] for row in wave])

    def _packed(self, rows: Sequence[int]) -> Iterator[list[int]]:
        """Yield switches above the leaves: never two of one plane of a pod."""
        switches = self._fabric.switches
        domains = [(int(switches.pod[row]), int(switches.plane[row])) for row in rows]
        yield from _apart(rows, domains, self._policy.wave_size)

    def _packed_leaves(self, rows: Sequence[int]) -> Iterator[list[int]]:
        """Yield leaves: never two that serve the same NICs, and few rails at a time."""
        switches, policy = self._fabric.switches, self._policy
        rails = sorted({int(switches.rail[row]) for row in rows})
        for first in range(0, len(rails), policy.rails_at_once):
            chosen = rails[first : first + policy.rails_at_once]
            wave = [row for row in rows if int(switches.rail[row]) in chosen]
            domains = [(int(switches.unit[row]), int(switches.rail[row])) for row in wave]
            yield from _apart(wave, domains, policy.wave_size)

    def _hosts(self, names: Collection[str]) -> Iterator[list[str]]:
        """Yield hosts unit by unit."""
        hosts, size = self._fabric.hosts, self._policy.wave_size
        units: dict[int, list[str]] = {}
        for name, unit in zip(hosts.names, hosts.unit.tolist(), strict=True):
            if name in names:
                units.setdefault(unit, []).append(name)
        for members in units.values():
            for first in range(0, len(members), size):
                yield members[first : first + size]

    def _within_limits(self, kind: str, names: list[str]) -> Iterator[Stage]:
        """Yield a wave, or its halves where it would take too much at once."""
        stage = self._stage(kind, names)
        if len(names) > 1 and self._is_too_much(stage):
            half = len(names) // 2
            yield from self._within_limits(kind, names[:half])
            yield from self._within_limits(kind, names[half:])
        else:
            yield stage

    def _is_too_much(self, stage: Stage) -> bool:
        """Tell whether it takes too much capacity, or cuts pairs that no single device does."""
        if stage.left_percent < self._policy.min_capacity_percent:
            return True
        if not stage.cut_pairs:
            return False
        return stage.cut_pairs > sum(self._stage("", [name]).cut_pairs for name in stage.names)

    def _stage(self, kind: str, names: Iterable[str]) -> Stage:
        chosen = tuple(names)
        hit = impact(self._network, self._outage(chosen), self._fabric.tenants)
        left, of = _left(hit)
        if not any(name in self._fabric.switch_row for name in chosen):
            return Stage(kind, chosen, left, hosts=hostlist.fold(chosen), left_of=of)
        rows = sorted({*hit.rails_lost[:, 0].tolist()})
        hosts = hostlist.fold(self._fabric.hosts.names[row] for row in rows)
        lost, cut = len(hit.rails_lost), hit.host_pairs[1]
        return Stage(kind, chosen, left, lost, cut, hosts=hosts, left_of=of)

    def _outage(self, names: Sequence[str]) -> Outage:
        ports = [(name, port) for name in names for port in self._changing.get(name, ())]
        outage = outage_of_ports(self._fabric, ports)
        for name in names:
            row = self._fabric.switch_row.get(name)
            if row is None:
                outage.hosts[self._fabric.host_row[name]] = True
            elif not self._changing.get(name):
                outage.switches[row] = True
        return outage


def _left(hit: Impact) -> tuple[float, str]:
    """Return the bandwidth that every unit and pod keeps at least, in percent, and whose it is."""
    least = [(PERCENT * 1.0, "")]
    sides = (("uplink", hit.uplink_gbps), ("NIC", hit.nic_gbps), (POD, hit.pod_gbps))
    for kind, (before, after) in sides:
        has = before > 0
        least += [(share, kind) for share in (after[has] / before[has] * PERCENT).tolist()]
    share, kind = min(least, key=itemgetter(0))
    return round(share, 1), kind


def _apart(
    rows: Sequence[int], domains: Sequence[tuple[int, int]], size: int
) -> Iterator[list[int]]:
    """Yield rows in groups of at most ``size`` in which no two have the same domain."""
    turns: Counter[tuple[int, int]] = Counter()
    waves: dict[int, list[int]] = {}
    for row, domain in zip(rows, domains, strict=True):
        waves.setdefault(turns[domain], []).append(row)
        turns[domain] += 1
    for wave in waves.values():
        for first in range(0, len(wave), size):
            yield wave[first : first + size]
