"""One pair of NICs through each leaf that a plan without a roll-out changes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from fabric.change.rollout import LeafPings, Ping
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.devices.connections import listed
from fabric.probe.reach.plan import ends_of
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.arrivals import Arrivals, paired
from fabric.workflow.rollout import pinging, planned_ping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fabric.change.model import Plan
    from fabric.observe.snapshot import Running
    from fabric.probe.reach.plan import Ends
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project
    from fabric.workflow.tenant_moves import TenantMoves

_QUARANTINED = "NICs behind {leaves} are in quarantine"
_NO_HOST = "no host behind {leaves} is in the connections"
_NO_PARTNER = "hosts behind {leaves} reach no other host in the connections"
_CHANGING = "NICs behind {leaves}, or all that they reach, are new, or enter or leave a tenant"
_OWN_ADDRESSES = (
    "NICs behind {leaves} make their addresses, which no MAC address in the inventory gives"
)


def leaf_pings(
    project: Project,
    plan: Plan,
    connections_file: Path | None,
    moves_of: Mapping[str, TenantMoves] = MappingProxyType({}),
    running: Mapping[str, Running] = MappingProxyType({}),
) -> LeafPings:
    """Return the pairs that are pinged before and after the waves of a plan.

    A host takes part that the plan has read, or that the connections file names. The pair of a leaf
    is in service before and after the plan.

    Parameters
    ----------
    moves_of : mapping of str to TenantMoves
        What the plan does with the ports of each leaf.
    running : mapping of str to Running
        What was read of the devices.
    """
    fabric = project.fabric
    rows = {name: fabric.switch_row[name] for name in plan.devices if name in fabric.switch_row}
    leaves = {name: row for name, row in rows.items() if row < fabric.switches.leaf_count}
    known = (listed(connections_file) - {*plan.missing}) | {*plan.devices, *plan.unchanged}
    hosts = np.array([name in known for name in fabric.hosts.names], dtype=np.bool_)
    ends = ends_of(fabric, hosts & pinging(project))
    arrivals = Arrivals(project, plan, ends, moves_of, running)
    pings, silent = dict[str, Ping](), dict[str, list[str]]()
    for turn, (name, row) in enumerate(leaves.items()):
        near = np.flatnonzero((ends.leaf == row) & arrivals.settled)
        pair = next(paired(ends, np.roll(near, -turn), turn, arrivals.settled), None)
        if pair is None:
            silent.setdefault(_why_none(fabric, row, ends, arrivals), []).append(name)
        else:
            ping = planned_ping(project, *(int(ends.row[place]) for place in pair))
            pings |= {name: ping} if ping else {}
            if ping is None:
                silent.setdefault(_OWN_ADDRESSES, []).append(name)
    reasons = (text.format(leaves=hostlist.fold_inside(names)) for text, names in silent.items())
    why = "; ".join(reasons) if leaves else "no leaf changes"
    denied = _denied(project, ends, leaves, arrivals.places)
    pings |= arrivals.of_hosts()
    return LeafPings(pings, why, denied, arrivals.of_tenants(), arrivals.silent)


def with_tenants(plan: Plan, pings: LeafPings) -> Plan:
    """Return a plan that is rolled out, with the pings of tenants in its waves.

    One pair through each leaf is pinged too where no gate of the roll-out sends packets.
    """
    assert plan.rollout is not None
    stages = tuple(pings.of_tenants(stage) for stage in plan.rollout.stages)
    gates = plan.rollout.policy.gates
    pairs = None if gates.ping or gates.rdma else LeafPings(pings.pings, pings.silent)
    return replace(plan, rollout=replace(plan.rollout, stages=stages), leaf_pings=pairs)


def _why_none(fabric: Fabric, leaf: int, ends: Ends, arrivals: Arrivals) -> str:
    """Return why no pair of NICs goes through a leaf."""
    near = np.flatnonzero(ends.leaf == leaf)
    if len(near):
        every = np.ones_like(arrivals.settled)
        return _CHANGING if any(paired(ends, near, 0, every)) else _NO_PARTNER
    tenants = fabric.tenants
    behind = np.flatnonzero((fabric.nics.leaf == leaf) & (fabric.nics.port != 0))
    if tenants is not None and len(behind) and tenants.quarantined[behind].all():
        return _QUARANTINED
    return _NO_HOST


def _denied(
    project: Project, ends: Ends, leaves: Mapping[str, int], coming: Sequence[int]
) -> dict[str, Ping]:
    """Return a ping to a NIC behind each leaf from one of another tenant, where there is one.

    A NIC that comes into a tenant is behind its leaf, before all others; the source is behind the
    same leaf if it can.
    """
    tenants = project.fabric.tenants
    if tenants is None:
        return {}
    owner, denied = tenants.of_nic[ends.row], dict[str, Ping]()
    partners = [{row, *tenants.partners(row)} for row in range(len(tenants))]
    for name, leaf in leaves.items():
        near = np.flatnonzero((ends.leaf == leaf) & (owner != UNASSIGNED))
        for place in [*(place for place in coming if ends.leaf[place] == leaf), *near]:
            others = ~np.isin(owner, [*partners[int(owner[place])], UNASSIGNED])
            others &= ends.host != ends.host[place]
            if len(far := np.flatnonzero(others)):
                source = far[np.argmax(ends.leaf[far] == leaf)]
                ping = planned_ping(project, int(ends.row[source]), int(ends.row[place]))
                denied |= {name: ping} if ping else {}
                break
    return denied


def describe_pings(plan: Plan) -> str:
    """Return what is pinged, and else why nothing is; a line for each gate."""
    planned = plan.leaf_pings
    if planned is None:
        return ""
    number = sum(map(len, planned.joined.values()))
    gates = (
        _pairs_line(plan, planned),
        f"gate isolation: {counted(len(planned.denied), 'ping')} between tenants must not be "
        "answered"
        if planned.denied
        else "",
        f"gate tenant: {counted(number, 'ping')} to NICs that enter a tenant must be answered"
        if number
        else "",
        f"gate tenant: {planned.unjoined}" if planned.unjoined else "",
    )
    return "\n".join(line for line in gates if line)


def _pairs_line(plan: Plan, planned: LeafPings) -> str:
    hosts = sum(name in ping.hosts for name, ping in planned.pings.items())
    leaves = len(planned.pings) - hosts
    new = f"pings after the waves of new hosts: {counted(hosts, 'pair')} of NICs" if hosts else ""
    if not leaves:
        is_silent = not planned.every and plan.rollout is None
        what = "no packet will be sent" if is_silent else "no NICs are pinged through leaves"
        through = f"{what}: {planned.silent}"
    else:
        pairs = f"{counted(leaves, 'pair')} of NICs, one for each leaf that changes"
        but = f"; none for the others: {planned.silent}" if planned.silent else ""
        through = f"pings before and after each wave: {pairs}{but}"
    return "\n".join(filter(None, (through, new)))
