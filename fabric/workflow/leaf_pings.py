"""One pair of NICs through each leaf that a plan without a roll-out changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.change.rollout import LeafPings, Ping
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.devices.connections import listed
from fabric.probe.reach.plan import SAME_LEAF, SAME_RAIL, ends_of, kind_of
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.probe import leg_of
from fabric.workflow.rollout import pinging, planned_ping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.change.model import Plan
    from fabric.probe.reach.plan import Ends, Ints
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project

#: Most NICs of a leaf that are asked for in their new tenant; ours: a second each, one host after
#: the other.
_MOST_JOINED = 8
#: Packets to a gateway, which a switch answers by its processor: 56 bytes and the headers of IPv4
#: and ICMP, as ping has them by default (iputils).
GATEWAY_PACKET_BYTES = 84
_QUARANTINED = "NICs behind {leaves} are in quarantine"
_NO_HOST = "no host behind {leaves} is in the connections"
_NO_PARTNER = "hosts behind {leaves} reach no other host in the connections"
_OWN_ADDRESSES = (
    "NICs behind {leaves} make their addresses, which no MAC address in the inventory gives"
)


def leaf_pings(
    project: Project,
    plan: Plan,
    connections_file: Path | None,
    joined: Mapping[str, tuple[str, ...]] | None = None,
) -> LeafPings:
    """Return the pairs that are pinged before and after the waves of a plan.

    A host takes part that the plan has read, or that the connections file names.

    Parameters
    ----------
    joined : mapping of str to tuple of str, optional
        Ports of each leaf that are shut and come into a tenant.
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
            silent.setdefault(_why_none(fabric, row, near), []).append(name)
        else:
            ping = planned_ping(project, *(int(ends.row[place]) for place in pair))
            pings |= {name: ping} if ping else {}
            if ping is None:
                silent.setdefault(_OWN_ADDRESSES, []).append(name)
    reasons = (text.format(leaves=hostlist.fold_inside(names)) for text, names in silent.items())
    coming = _Coming(project, plan, ends, joined or {})
    denied = _denied(project, ends, leaves, coming.places)
    return LeafPings(pings, "; ".join(reasons), denied, coming.pings(), coming.silent)


def with_tenants(plan: Plan, pings: LeafPings) -> Plan:
    """Return a plan that is rolled out, with the pings of tenants in its waves.

    One pair through each leaf is pinged too where no gate of the roll-out sends packets.
    """
    assert plan.rollout is not None
    stages = tuple(pings.of_tenants(stage) for stage in plan.rollout.stages)
    gates = plan.rollout.policy.gates
    pairs = None if gates.ping or gates.rdma else LeafPings(pings.pings, pings.silent)
    return replace(plan, rollout=replace(plan.rollout, stages=stages), leaf_pings=pairs)


def _why_none(fabric: Fabric, leaf: int, near: Ints) -> str:
    """Return why no pair of NICs goes through a leaf."""
    if len(near):
        return _NO_PARTNER
    tenants = fabric.tenants
    behind = np.flatnonzero((fabric.nics.leaf == leaf) & (fabric.nics.port != 0))
    if tenants is not None and len(behind) and tenants.quarantined[behind].all():
        return _QUARANTINED
    return _NO_HOST


class _Coming:
    """NICs that come into a tenant, and what says that they answer there.

    Parameters
    ----------
    ports : mapping of str to tuple of str
        Their ports by leaf.
    """

    def __init__(
        self, project: Project, plan: Plan, ends: Ends, ports: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._project, self._ends = project, ends
        self._turns = {name: turn for turn, wave in enumerate(plan.waves) for name in wave}
        names = project.fabric.switches.names
        self.places = [
            place
            for place, leaf in enumerate(ends.leaf.tolist())
            if self._port(place) in ports.get(names[leaf], ())
        ]
        known = {(names[int(ends.leaf[place])], self._port(place)) for place in self.places}
        self._unknown = {
            port.peer
            for leaf, own in ports.items()
            if own and leaf in plan.devices
            for port in project.devices[leaf].ports
            if port.name in own and (leaf, port.name) not in known
        }

    @property
    def silent(self) -> str:
        """Why some are not probed; empty where all are."""
        names = hostlist.fold_inside(sorted(self._unknown))
        them = "it" if len(self._unknown) == 1 else "them"
        return f"{names} in the new tenant: not probed, no login to {them}" if names else ""

    def pings(self) -> dict[str, tuple[Ping, ...]]:
        """Return the pings by the device that changes last on their way."""
        chosen: dict[str, tuple[Ping, ...]] = {}
        asked: Counter[int] = Counter()
        for number, place in enumerate(self.places):
            leaf = int(self._ends.leaf[place])
            asked[leaf] += 1
            ping = self._ping(place, number) if asked[leaf] <= _MOST_JOINED else None
            if ping is None:
                continue
            names = self._project.fabric.switches.names
            way = (names[leaf], *sorted(ping.hosts))
            last = max(way, key=lambda name: self._turns.get(name, -1))
            chosen[last] = (*chosen.get(last, ()), ping)
        return chosen

    def _ping(self, place: int, turn: int) -> Ping | None:
        """Return a ping from another NIC of the tenant, or else to the gateway."""
        pair = next(_pairs(self._ends, np.array([place]), turn), None)
        if pair is not None:
            near, far = (int(self._ends.row[one]) for one in pair)
            return planned_ping(self._project, far, near)
        leg = leg_of(self._project, int(self._ends.row[place]))
        address = leg.nic.addresses[0]
        if not address.address:
            return None
        ends = leg.host, leg.nic.leaf, address.address, address.gateway
        return Ping(*ends, GATEWAY_PACKET_BYTES, 0)

    def _port(self, place: int) -> str:
        return leg_of(self._project, int(self._ends.row[place])).nic.leaf_port


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


def _pairs(ends: Ends, near: Ints, turn: int) -> Iterator[tuple[int, int]]:
    """Yield a NIC behind a leaf and one that it reaches: through the spines where there is one.

    Another turn takes another one, so that not all pings come from one host, or go to it.
    """
    for place in near:
        kind = kind_of(ends, np.full(len(ends.row), place), np.arange(len(ends.row)))
        for is_wanted in (kind == SAME_RAIL, kind > SAME_RAIL, kind == SAME_LEAF):
            if len(far := np.flatnonzero(is_wanted)):
                yield int(place), int(far[turn % len(far)])


def describe_pings(plan: Plan) -> str:
    """Return what is pinged, and else why nothing is; a line for each gate."""
    planned = plan.leaf_pings
    if planned is None:
        return ""
    number = sum(map(len, planned.joined.values()))
    gates = (
        _pairs_line(planned, is_silent=not planned.every and plan.rollout is None),
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


def _pairs_line(planned: LeafPings, *, is_silent: bool) -> str:
    count = len(planned.pings)
    if not count:
        what = "no packet will be sent" if is_silent else "no NICs are pinged through leaves"
        return f"{what}: {planned.silent}"
    pairs = f"{counted(count, 'pair')} of NICs, one for each leaf that changes"
    but = f"; none for the others: {planned.silent}" if planned.silent else ""
    return f"pings before and after each wave: {pairs}{but}"
