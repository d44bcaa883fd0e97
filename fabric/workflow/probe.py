"""probe: reach every NIC from others, by every kind of path, in few probes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.probe.nics import is_lossless
from fabric.probe.reach.causes import SCOPES, causes
from fabric.probe.reach.commands import Marking, ProbeEnd, needed_gbps
from fabric.probe.reach.plan import CLASSES, SAME_LEAF, probes
from fabric.qos.path import roce_mtu_bytes
from fabric.workflow.devices import Selection, chosen
from fabric.workflow.nics import losing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.design.host_model import NicDesign
    from fabric.probe.reach.plan import Probes
    from fabric.topology.model import Bools
    from fabric.workflow.nics import NicHealth
    from fabric.workflow.project import Project

__all__ = ["CLASSES", "STAGES", "Outcome", "Plan", "Report", "Selection", "make_plan", "report"]

#: Each stage needs the one before it.
STAGES = ("ping", "rping", "bandwidth")


@dataclass(frozen=True, slots=True)
class Leg:
    """One end of a probe."""

    host: str
    unit: str
    nic: NicDesign

    @property
    def end(self) -> ProbeEnd:
        """Return what its commands need, as far as it is planned."""
        return ProbeEnd(self.nic.address, self.nic.rdma_device)

    def __str__(self) -> str:
        return f"{self.host} {self.nic.interface}"


def leg_of(project: Project, row: int) -> Leg:
    """Return the NIC of a row of the fabric."""
    fabric = project.fabric
    host = fabric.hosts.names[int(fabric.nics.host[row])]
    design = project.hosts[host]
    return Leg(host, design.unit, design.nics[row % fabric.nics_per_host])


def marking(source: Leg, target: Leg) -> Marking:
    """Return what the packets between two NICs carry."""
    mtu_bytes = roce_mtu_bytes(min(source.nic.mtu_bytes, target.nic.mtu_bytes))
    return Marking(source.nic.qos.traffic_class_byte, mtu_bytes, source.nic.addresses[0].is_ipv6)


def quarantined(project: Project) -> list[str]:
    """Return the NICs in quarantine, which nothing is asked of, and why."""
    fabric, tenants = project.fabric, project.fabric.tenants
    if tenants is None:
        return []
    rows = np.flatnonzero(tenants.quarantined & (fabric.nics.port != 0)).tolist()
    return [f"{leg_of(project, row)}: not checked: quarantine" for row in rows]


def taking_part(project: Project, selection: Selection) -> Bools:
    """Return which hosts are selected and have NICs that are to be lossless, shape (hosts,)."""
    names = chosen(project, selection)
    hosts = (
        name in names and is_lossless(project.hosts[name]) for name in project.fabric.hosts.names
    )
    return np.fromiter(hosts, dtype=np.bool_, count=len(project.fabric.hosts))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is probed.

    Parameters
    ----------
    table : Probes
        The pairs, in the order of their rounds.
    """

    project: Project
    table: Probes

    def leg(self, row: int) -> Leg:
        """Return the NIC of a row of the fabric."""
        return leg_of(self.project, row)

    def needed_gbps(self, source: Leg, target: Leg) -> float:
        """Return the rate that is accepted between two NICs, in Gb/s."""
        speed = min(source.nic.speed_gbps, target.nic.speed_gbps)
        return needed_gbps(speed, marking(source, target))

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return int(self.table.round.max(initial=-1)) + 1

    def hosts(self) -> list[str]:
        """Return the hosts that take part."""
        fabric = self.project.fabric
        rows = np.unique(np.r_[self.table.source, self.table.target])
        return [fabric.hosts.names[int(row)] for row in np.unique(fabric.nics.host[rows])]

    def rows(self) -> list[dict[str, Any]]:
        """Return every probe as plain data."""
        rows = []
        for number in range(len(self.table)):
            source = self.leg(int(self.table.source[number]))
            target = self.leg(int(self.table.target[number]))
            rows.append({
                "round": int(self.table.round[number]),
                "class": CLASSES[int(self.table.kind[number])],
                "source": str(source),
                "source_address": source.nic.address,
                "target": str(target),
                "target_address": target.nic.address,
                "needed_gbps": round(self.needed_gbps(source, target), 1),
            })
        return rows

    def counts(self) -> dict[str, int]:
        """Return the number of probes by class."""
        numbers = np.bincount(self.table.kind, minlength=len(CLASSES))
        return dict(zip(CLASSES, numbers.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a probe; ``failure`` is empty when every stage was good."""

    stage: str
    failure: str = ""
    gbps: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all probes.

    Parameters
    ----------
    failures : tuple of dict
        One for each probe that failed.
    causes : tuple of str
        What they have in common, the most likely first.
    matrices : mapping
        Good and all probes by rail and rail, and by unit and unit: ``{"rail": {"0": {"1": [8, 8]``.
    lost : tuple of str
        NICs whose counters tell of lost packets while the probes ran, or could not be read.
    """

    probes: int
    failures: tuple[dict[str, Any], ...]
    causes: tuple[str, ...]
    matrices: Mapping[str, Mapping[str, Mapping[str, tuple[int, int]]]]
    slowest_gbps: float | None
    lost: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is as it must be."""
        return not (self.failures or self.lost)


def make_plan(project: Project, selection: Selection) -> Plan:
    """Return the probes between the selected hosts.

    Raises
    ------
    InputError
        When no two NICs are left to be probed.
    """
    table = probes(project.fabric, taking_part(project, selection))
    if not len(table):
        message = "the selection has no two RoCE NICs on different hosts"
        finding = Finding("OBS002", Severity.ERROR, message, "select at least two hosts")
        raise InputError("nothing to probe", [finding])
    return Plan(project, table)


def report(
    plan: Plan, outcomes: Sequence[Outcome], nics: Mapping[str, tuple[NicHealth, ...]]
) -> Report:
    """Return what the outcomes of all probes come to; ``nics`` are verdicts by host."""
    table, fabric = plan.table, plan.project.fabric
    failed = np.array([bool(item.failure) for item in outcomes])
    failures = []
    for number in np.flatnonzero(failed).tolist():
        source, target = (plan.leg(int(row[number])) for row in (table.source, table.target))
        item = outcomes[number]
        kind = CLASSES[int(table.kind[number])]
        row = {"class": kind, "source": str(source), "target": str(target), "stage": item.stage}
        failures.append({**row, "failure": item.failure, "gbps": item.gbps})
    rates = [item.gbps for item in outcomes if item.gbps is not None]
    units = [unit.name for unit in fabric.intent.fabric.units]
    rails = [str(rail) for rail in range(fabric.rails)]
    unit_of = fabric.hosts.unit[fabric.nics.host]
    return Report(
        probes=len(table),
        failures=tuple(failures),
        causes=_causes(plan, failed),
        matrices={
            "rail": _matrix(table, fabric.nics.rail, rails, failed),
            "unit": _matrix(table, unit_of, units, failed),
        },
        slowest_gbps=min(rates, default=None),
        lost=losing(nics),
    )


def _matrix(
    table: Probes, group: Any, names: Sequence[str], failed: Any
) -> dict[str, dict[str, tuple[int, int]]]:
    size = len(names)
    place = group[table.source] * size + group[table.target]
    every = np.bincount(place, minlength=size * size).reshape(size, size)
    good = np.bincount(place[~failed], minlength=size * size).reshape(size, size)
    return {
        row: {column: (int(good[i, j]), int(every[i, j])) for j, column in enumerate(names)}
        for i, row in enumerate(names)
    }


def _causes(plan: Plan, failed: Any) -> tuple[str, ...]:
    table, fabric = plan.table, plan.project.fabric
    nics = fabric.nics
    values = {"nic": np.arange(len(nics)), "host": nics.host, "leaf": nics.leaf, "rail": nics.rail}
    ends = {scope: (values[scope][table.source], values[scope][table.target]) for scope in SCOPES}
    common, left = causes(failed, ends)
    # a NIC whose routing is wrong still reaches its own leaf
    far = np.flatnonzero(table.kind != SAME_LEAF)
    beyond, far_left = causes(left[far], {key: (a[far], b[far]) for key, (a, b) in ends.items()})
    rest = int(left.sum()) - int(left[far].sum()) + int(far_left.sum())

    def name(scope: str, number: int) -> str:
        if scope == "nic":
            return f"NIC {plan.leg(number)}"
        if scope == "host":
            return f"host {fabric.hosts.names[number]}"
        return f"leaf {fabric.switches.names[number]}" if scope == "leaf" else f"rail {number}"

    lines = [
        f"{name(item.scope, item.number)}: all {counted(item.probes, 'probe')} failed"
        for item in common
    ]
    lines += [
        f"{name(item.scope, item.number)}: all {counted(item.probes, 'probe')} beyond a single "
        "leaf failed"
        for item in beyond
    ]
    return (
        *lines,
        *(
            [f"{counted(rest, 'other failure has', 'other failures have')} no common cause"]
            if rest
            else []
        ),
    )
