"""One pair of NICs through each leaf that a plan without a roll-out changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.change.rollout import LeafPings, Ping
from fabric.core import hostlist
from fabric.devices.connections import listed
from fabric.probe.reach.plan import SAME_LEAF, SAME_RAIL, ends_of, kind_of
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.rollout import pinging, planned_ping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.change.model import Plan
    from fabric.probe.reach.plan import Ends, Ints
    from fabric.workflow.project import Project

_NO_HOST = "no host behind {leaves} is in the connections"
_NO_PARTNER = "hosts behind {leaves} reach no other host in the connections"
_OWN_ADDRESSES = (
    "NICs behind {leaves} make their addresses, which no MAC address in the inventory gives"
)


def leaf_pings(project: Project, plan: Plan, connections_file: Path | None) -> LeafPings:
    """Return the pairs that are pinged before and after the waves of a plan.

    A host takes part that the plan has read, or that the connections file names.
    """
    fabric = project.fabric
    rows = {name: fabric.switch_row[name] for name in plan.devices if name in fabric.switch_row}
    leaves = {name: row for name, row in rows.items() if row < fabric.switches.leaf_count}
    if not leaves:
        return LeafPings({}, "no leaf changes")
    known = (listed(connections_file) - {*plan.missing}) | {*plan.devices, *plan.unchanged}
    hosts = np.array([name in known for name in fabric.hosts.names], dtype=np.bool_)
    ends = ends_of(fabric, hosts & pinging(project))
    pings, silent = dict[str, Ping](), dict[str, list[str]]()
    for turn, (name, row) in enumerate(leaves.items()):
        near = np.flatnonzero(ends.leaf == row)
        pair = next(_pairs(ends, np.roll(near, -turn), turn), None)
        if pair is None:
            silent.setdefault(_NO_PARTNER if len(near) else _NO_HOST, []).append(name)
        else:
            ping = planned_ping(project, *(int(ends.row[place]) for place in pair))
            pings |= {name: ping} if ping else {}
            if ping is None:
                silent.setdefault(_OWN_ADDRESSES, []).append(name)
    denied = _denied(project, ends, leaves)
    reasons = (text.format(leaves=hostlist.fold(names)) for text, names in silent.items())
    return LeafPings(pings, "; ".join(reasons), denied)


def _denied(project: Project, ends: Ends, leaves: Mapping[str, int]) -> dict[str, Ping]:
    """Return a ping to a NIC behind each leaf from one of another tenant, where there is one.

    A host that the plan changes is behind its leaf; the source is behind the same leaf if it can.
    """
    tenants = project.fabric.tenants
    if tenants is None:
        return {}
    owner, denied = tenants.of_nic[ends.row], dict[str, Ping]()
    partners = [{row, *tenants.partners(row)} for row in range(len(tenants))]
    for name, leaf in leaves.items():
        for place in np.flatnonzero((ends.leaf == leaf) & (owner != UNASSIGNED)):
            others = ~np.isin(owner, [*partners[int(owner[place])], UNASSIGNED])
            others &= ends.host != ends.host[place]
            if len(far := np.flatnonzero(others)):
                source = far[np.argmax(ends.leaf[far] == leaf)]
                ping = planned_ping(project, int(ends.row[source]), int(ends.row[place]))
                denied |= {name: ping} if ping else {}
                break
    return denied


def _pairs(ends: Ends, near: Ints, turn: int) -> Iterator[tuple[int, int]]:
    """Yield a NIC behind a leaf and one that it reaches: through the spines where there is one.

    Another turn takes another one, so that not all pings come from one host, or go to it.
    """
    for place in near:
        kind = kind_of(ends, np.full(len(ends.row), place), np.arange(len(ends.row)))
        for is_wanted in (kind == SAME_RAIL, kind > SAME_RAIL, kind == SAME_LEAF):
            if len(far := np.flatnonzero(is_wanted)):
                yield int(place), int(far[turn % len(far)])


def describe_pings(planned: LeafPings) -> str:
    """Return what is pinged, and else why nothing is."""
    if not planned.pings and not planned.denied:
        return f"no packet will be sent: {planned.silent}"
    count = len(planned.pings)
    pairs = f"{count} pair{'' if count == 1 else 's'} of NICs, one for each leaf that changes"
    but = f"; none for the others: {planned.silent}" if planned.silent else ""
    apart = f"; {len(planned.denied)} between tenants, which must fail" if planned.denied else ""
    return f"pings before and after each wave: {pairs}{but}{apart}"
