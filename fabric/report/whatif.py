"""whatif: what a failure or a drain takes away, and which new findings it brings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.core.formats import form_of
from fabric.core.likeness import like_groups
from fabric.core.units import percent_left
from fabric.report.moved_traffic import moved_traffic
from fabric.report.rails_hit import lost_rails, rail_losers
from fabric.report.tenants_hit import tenants_hit
from fabric.topology.clos import clos, failed, switched_off
from fabric.topology.impact import impact
from fabric.topology.layout import pod_names
from fabric.topology.outages import outage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.designs import Designs
    from fabric.report.moved_traffic import Moved
    from fabric.report.tenants_hit import HitTenant
    from fabric.topology.impact import Impact
    from fabric.topology.model import Fabric
    from fabric.topology.routes_failures import Mapped
    from fabric.validate.runner import Outcome


#: Rules that would only repeat that a cable or NIC is down, or that a leaf has fewer uplinks.
_REPEATING = {"TOP012", "TOP015", "TOP017"}
#: Hosts that are named in a report.
WORST_HOSTS = 10


@dataclass(frozen=True)
class WhatIf:
    """What an outage does to a fabric.

    Parameters
    ----------
    words : tuple of str
        What fails, as it was written.
    impact : Impact
        Before and after.
    moved : tuple of Moved
        Where traffic moves to the uplinks that are left.
    new_findings : tuple of Finding
        What the rules say of the fabric afterwards that they did not say before, and all errors
        with other values than before.
    changed_findings : tuple of Finding
        Other findings of before that have other values afterwards.
    broken : tuple of (str, str)
        Rules that failed themselves on what is left, with the reason.
    drain : str
        Switch that is drained, when that is what was asked.
    tenants : tuple of HitTenant
        Tenants that lose something.
    """

    fabric: Fabric
    words: tuple[str, ...]
    impact: Impact
    moved: tuple[Moved, ...]
    new_findings: tuple[Finding, ...]
    changed_findings: tuple[Finding, ...]
    broken: tuple[tuple[str, str], ...] = ()
    drain: str = ""
    tenants: tuple[HitTenant, ...] = ()

    @property
    def reasons(self) -> list[str]:
        """Why this is not safe: what is cut off, and new errors; empty when it is."""
        causes, hit = [], self.impact
        if hit.host_pairs[1]:
            causes.append(
                f"{counted(hit.host_pairs[1], 'pair of hosts is', 'pairs of hosts are')} cut"
            )
        causes += [
            f"{counted(one.host_pairs_cut, 'pair')} of hosts of tenant {one.name} "
            f"{'is' if one.host_pairs_cut == 1 else 'are'} cut"
            for one in self.tenants
            if one.host_pairs_cut
        ]
        causes += [f"rail {rail} is split into {parts} parts" for rail, parts in hit.rails.items()]
        errors = sum(finding.severity is Severity.ERROR for finding in self.new_findings)
        if errors:
            causes.append(counted(errors, "new error"))
        if losers := self.rail_losers:
            lose = "lose" if len(losers) > 1 else "loses"
            causes.append(
                f"{counted(len(losers), 'host')} {lose} a rail: {hostlist.in_short(losers)}"
            )
        return causes

    @property
    def rail_losers(self) -> list[str]:
        """Hosts that lose a rail, and have others."""
        return rail_losers(self.fabric, self.impact)

    @property
    def is_harmless(self) -> bool:
        """Whether nothing is cut off, no rule finds a new error, and all bandwidth is left."""
        return not self.reasons and not self._left()

    @property
    def verdict(self) -> str:
        """Whether it is harmless, or safe to drain, and how much bandwidth is left, in words."""
        what = "safe" if self.drain else "harmless"
        if self.reasons:
            return f"{what}: no: {'; '.join(self.reasons)}"
        if not (left := self._left()):
            return f"{what}: yes"
        return f"{'safe: yes' if self.drain else 'nothing is cut off'}; {left}"

    def _left(self) -> str:
        """Return what the unit, pod, host or tier that loses most keeps; empty without a loss."""
        units = [(name, before, after) for name, _, _, before, after in self.units if before]
        pods = [(name, before, after) for name, before, after in self.pods if before]
        shares = [
            (*_least(units), "the uplinks of {} are left"),
            (*_least(pods), "the bandwidth of {} to other pods is left"),
        ]
        if shares[0][0] == 1:
            shares.append((
                *_least([one[:3] for one in self._hosts]),
                "the bandwidth of {} is left",
            ))
        shares.append((*_least(self._slowest), "the bandwidth of a NIC of {} is left"))
        share, names, words = min(shares, key=itemgetter(0))
        if share < 1:
            return f"{percent_left(share, 1)} of {words.format(names)}"
        if self.moved:
            most = max(self.moved, key=lambda one: one.times or float("inf"))
            what = counted(most.switches, most.role)
            return (
                f"{percent_left(1, most.times or float('inf'))} of the uplinks of {what} are left"
            )
        return ""

    @cached_property
    def units(self) -> list[tuple[str, int, int, int, int]]:
        """Name of each unit, then Gb/s of its NICs and of its uplinks, before and after."""
        names = (unit.name for unit in self.fabric.intent.fabric.units)
        columns = (*self.impact.nic_gbps.tolist(), *self.impact.uplink_gbps.tolist())
        return list(zip(names, *columns, strict=True))

    @cached_property
    def pods(self) -> list[tuple[str, int, int]]:
        """Name of each pod, then Gb/s to other pods, before and after; none below three tiers."""
        if not (self.fabric.switches.tier > 1).any():
            return []
        names = pod_names(self.fabric.intent.fabric)
        return list(zip(names, *self.impact.pod_gbps.tolist(), strict=True))

    @cached_property
    def worst_hosts(self) -> list[tuple[str, float, float, float]]:
        """Hosts that keep least: name, Gb/s before and after, share that the slowest NIC keeps.

        A job on a host runs at the speed of its slowest NIC.
        """
        return self._hosts[:WORST_HOSTS]

    @cached_property
    def _hosts(self) -> list[tuple[str, float, float, float]]:
        """All hosts that lose bandwidth, as `worst_hosts`."""
        (before, after), slowest = self.impact.host_gbps, self.impact.nic_shares
        share = np.divide(after, before, out=np.ones(len(before)), where=before > 0)
        order = np.lexsort((share, slowest)).tolist()
        names = self.fabric.hosts.names
        return [
            (names[row], before[row], after[row], slowest[row]) for row in order if share[row] < 1
        ]

    @property
    def _slowest(self) -> list[tuple[str, float, float]]:
        """All hosts with a NIC that is slower: name, and the share before and after."""
        return [(name, 1.0, share) for name, _, _, share in self._hosts]

    @property
    def hosts_hit(self) -> list[str]:
        """All hosts that lose bandwidth."""
        before, after = self.impact.host_gbps
        names = self.fabric.hosts.names
        return [names[row] for row in np.flatnonzero(after < before).tolist()]

    def tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[object, ...]]]]:
        """Return title, headers and rows of each part for people; what keeps all stays out."""
        hit = self.impact
        pairs: list[tuple[object, ...]] = [
            ("pairs of leaves", f"{hit.leaf_pairs[0]:,}", f"{hit.leaf_pairs[1]:,}"),
            ("pairs of hosts", f"{hit.host_pairs[0]:,}", f"{hit.host_pairs[1]:,}"),
        ]
        moved: list[tuple[object, ...]] = [
            (
                counted(one.switches, one.role),
                f"at most {one.times:.2f} times" if one.times else "none left",
            )
            for one in self.moved
        ]
        units: list[tuple[object, ...]] = [
            (
                name,
                f"{nic_left:,}",
                percent_left(nic_left, nic),
                f"{up_left:,}",
                percent_left(up_left, up),
            )
            for name, nic, nic_left, up, up_left in self.units
            if (nic_left, up_left) != (nic, up)
        ]
        hosts: list[tuple[object, ...]] = [
            (
                hostlist.in_short([name for name, *_ in alike]),
                f"{after:,.0f}",
                percent_left(after, before),
                percent_left(slowest, 1),
            )
            for alike in like_groups(self._hosts, lambda one: one[1:])[:WORST_HOSTS]
            for _, before, after, slowest in alike[:1]
        ]
        return [
            ("Lost connectivity", ("what", "before", "cut"), pairs),
            (
                "Lost rails",
                ("hosts", "lose", "keep"),
                [*lost_rails(self.fabric, hit)[:WORST_HOSTS]],
            ),
            ("Where traffic moves", ("switches", "load on remaining uplinks"), moved),
            (
                "Remaining bandwidth by unit",
                ("unit", "nics gb/s", "left", "uplinks gb/s", "left"),
                units,
            ),
            (
                "Remaining bandwidth to other pods",
                ("pod", "gb/s", "left"),
                [
                    (name, f"{after:,}", percent_left(after, before))
                    for name, before, after in self.pods
                    if after < before
                ],
            ),
            ("Worst hosts", ("hosts", "gb/s", "left", "slowest nic"), hosts),
            (
                "Tenants",
                ("tenant", "nics down", "nic pairs cut", "host pairs cut", "gb/s", "left"),
                [
                    (
                        one.name,
                        f"{one.nics_lost:,}",
                        f"{one.pairs_cut:,}",
                        f"{one.host_pairs_cut:,}",
                        f"{one.gbps_left:,.0f}",
                        percent_left(one.gbps_left, one.gbps),
                    )
                    for one in self.tenants
                ],
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        hit = self.impact
        headers = ("unit", "nic_gbps", "nic_gbps_left", "uplink_gbps", "uplink_gbps_left")
        return {
            "format": form_of("whatif"),
            "failed": list(self.words),
            "drained": self.drain,
            "harmless": self.is_harmless,
            "safe": not self.reasons,
            "reasons": self.reasons,
            "verdict": self.verdict,
            "leaf_pairs": {"before": hit.leaf_pairs[0], "cut": hit.leaf_pairs[1]},
            "host_pairs": {"before": hit.host_pairs[0], "cut": hit.host_pairs[1]},
            "rails_split": [{"rail": rail, "parts": parts} for rail, parts in hit.rails.items()],
            "rails_lost": [
                {"host": self.fabric.hosts.names[host], "rail": rail}
                for host, rail in hit.rails_lost.tolist()
            ],
            "rail_losers": self.rail_losers,
            "moved": [
                {"role": one.role, "switches": one.switches, "times": one.times}
                for one in self.moved
            ],
            "units": [dict(zip(headers, row, strict=True)) for row in self.units],
            **(
                {
                    "pods": [
                        {"pod": name, "gbps": before, "gbps_left": after}
                        for name, before, after in self.pods
                    ]
                }
                if self.pods
                else {}
            ),
            "worst_hosts": [
                {"host": name, "gbps": before, "gbps_left": after, "nic_share_left": share}
                for name, before, after, share in self.worst_hosts
            ],
            "new_findings": [*map(_row, self.new_findings)],
            "changed_findings": [*map(_row, self.changed_findings)],
            "broken_rules": [{"rule": rule, "reason": reason} for rule, reason in self.broken],
            "hosts_hit": self.hosts_hit,
            **({"tenants": [one.as_dict() for one in self.tenants]} if self.fabric.tenants else {}),
        }


def whatif(
    designs: Designs,
    words: Sequence[str],
    *,
    already: Sequence[str] = (),
    drain: str = "",
    rules: bool = True,
    mapped: Mapped = map,
) -> WhatIf:
    """Return what happens when everything that the words name fails together.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    words : sequence of str
        What fails: see `fabric.topology.outages.outage`.
    already : sequence of str
        What has failed before, in the same words; the report is about the step from there.
    drain : str
        A switch that is taken out of service after that; the report is about this step alone.
    rules : bool
        Whether to run the rules of ``check`` before and after.
    mapped : callable, optional
        Runs the rules on each of two networks; default: this process.

    Raises
    ------
    InputError
        When a word names nothing.
    """
    fabric = designs.fabric
    before = [*already, *(words if drain else ())]
    after = [*already, *words, *([f"switch:{drain}"] if drain else ())]
    lost = outage(fabric, after)
    start = failed(clos(fabric), outage(fabric, before))
    hit = impact(start, lost, fabric.tenants)
    new, changed, broken = _findings(designs, before, after, mapped) if rules else ((), (), ())
    return WhatIf(
        fabric=fabric,
        words=tuple(words),
        impact=hit,
        moved=tuple(moved_traffic(fabric, start, lost)),
        new_findings=new,
        changed_findings=changed,
        broken=broken,
        drain=drain,
        tenants=tenants_hit(fabric, start, failed(start, lost), hit),
    )


def _row(finding: Finding) -> dict[str, str | None]:
    """Return a finding as plain data."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "device": finding.device or None,
        "port": finding.port or None,
        "message": finding.message,
        "fix": finding.fix,
    }


def _findings(
    designs: Designs, before: list[str], after: list[str], mapped: Mapped
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[tuple[str, str], ...]]:
    """Run the rules on the inventory before and after; return what came, changed and broke."""
    from fabric.validate.same_findings import JudgedSide, apart, devices_of

    work = partial(_outcome, designs.over(designs.fabric))
    devices, folder = devices_of(designs.fabric), str(designs.intent.folder)
    earlier, later = mapped(work, [before, after])
    sides = (
        JudgedSide(
            tuple(item for item in outcome.findings if item.rule not in _REPEATING), devices, folder
        )
        for outcome in (earlier, later)
    )
    result = apart(*sides)
    errors = [item for item in result.changed if item.severity is Severity.ERROR]
    others = tuple(item for item in result.changed if item.severity < Severity.ERROR)
    return (*result.new, *errors), others, later.broken


def _outcome(designs: Designs, words: list[str]) -> Outcome:
    """Return what the rules say once everything that the words name has failed."""
    from fabric.validate.runner import run
    from fabric.validate.world import World, model_of

    network = failed(clos(designs.fabric), outage(designs.fabric, words))
    return run(World(model_of(designs.over(switched_off(designs.fabric, network)))))


def _least(parts: Sequence[tuple[str, float, float]]) -> tuple[float, str]:
    """Return the smallest share that is left, and all that have it; each with before and after."""
    shares = {name: after / before for name, before, after in parts}
    share = min(shares.values(), default=1.0)
    return share, hostlist.in_short(name for name, left in shares.items() if left == share)
