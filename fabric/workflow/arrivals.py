"""NICs that a plan brings into service: who is pinged to say that they answer there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabric.change.rollout import Ping
from fabric.core import hostlist
from fabric.probe.reach.plan import SAME_LEAF, SAME_RAIL, kind_of
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.probe import leg_of
from fabric.workflow.rollout import planned_ping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.change.model import Plan
    from fabric.observe.snapshot import Running
    from fabric.probe.reach.plan import Bools, Ends, Ints
    from fabric.workflow.probe import Leg
    from fabric.workflow.project import Project
    from fabric.workflow.tenant_moves import TenantMoves

#: Most NICs of a leaf that are asked for in their new tenant; ours: a second each, one host after
#: the other.
_MOST_JOINED = 8
#: Packets to a gateway, which a switch answers by its processor: 56 bytes and the headers of IPv4
#: and ICMP, as ping has them by default (iputils).
GATEWAY_PACKET_BYTES = 84


class Arrivals:
    """NICs that come into a tenant, or get their first address, and pings that they must answer.

    Parameters
    ----------
    moves_of : mapping of str to TenantMoves
        What the plan does with the ports of each leaf.
    running : mapping of str to Running
        What was read of the devices.
    """

    def __init__(
        self,
        project: Project,
        plan: Plan,
        ends: Ends,
        moves_of: Mapping[str, TenantMoves],
        running: Mapping[str, Running],
    ) -> None:
        self._project, self._plan, self._ends = project, plan, ends
        self._turns = {name: turn for turn, wave in enumerate(plan.waves) for name in wave}
        moves = {leaf: own for leaf, own in moves_of.items() if leaf in plan.devices}
        self._joined = {(leaf, port) for leaf, own in moves.items() for port in own.joined}
        out = {(leaf, port) for leaf, own in moves.items() for port in own.out}
        bare = set(_without_address(project, plan, running))
        touched = {leaf for leaf, _ in self._joined | out}
        legs = dict(self._legs(touched, {host for host, _ in bare}))
        #: Places of the NICs in ``ends``.
        self.places = [
            place
            for place, leg in legs.items()
            if _port(leg) in self._joined or (leg.host, leg.nic.interface) in bare
        ]
        #: Which NICs are in service before and after the plan, shape (places,).
        self.settled: Bools = np.ones(len(ends.row), dtype=np.bool_)
        self.settled[[*self.places, *(at for at, leg in legs.items() if _port(leg) in out)]] = False
        known = {_port(legs[place]) for place in self.places}
        self._unknown = {
            port.peer
            for leaf, own in moves.items()
            if own.joined
            for port in project.devices[leaf].ports
            if (leaf, port.name) in self._joined - known
        }

    def _legs(self, leaves: set[str], hosts: set[str]) -> Iterator[tuple[int, Leg]]:
        """Yield the place and the design of the NICs at some leaves, and of those of some hosts."""
        fabric = self._project.fabric
        at_leaf = np.isin(self._ends.leaf, [fabric.switch_row[name] for name in leaves])
        of_host = np.isin(self._ends.host, [fabric.host_row[name] for name in hosts])
        for place in np.flatnonzero(at_leaf | of_host).tolist():
            yield place, leg_of(self._project, int(self._ends.row[place]))

    @property
    def silent(self) -> str:
        """Why some that come into a tenant are not probed; empty where all are."""
        names = hostlist.fold_inside(sorted(self._unknown))
        them = "it" if len(self._unknown) == 1 else "them"
        return f"{names} in the new tenant: not probed, no login to {them}" if names else ""

    def of_tenants(self) -> dict[str, tuple[Ping, ...]]:
        """Return pings to NICs of tenants, by the device that changes last on their way."""
        chosen: dict[str, tuple[Ping, ...]] = {}
        asked: Counter[int] = Counter()
        for number, place in enumerate(place for place in self.places if self._has_tenant(place)):
            leaf = int(self._ends.leaf[place])
            asked[leaf] += 1
            if asked[leaf] > _MOST_JOINED:
                continue
            last, ping = self._from_partner(place, number) or self._to_gateway(place)
            if ping:
                chosen[last] = (*chosen.get(last, ()), ping)
        return chosen

    def of_hosts(self) -> dict[str, Ping]:
        """Return a ping to one NIC without a tenant of each host, by the host that changes last.

        A switch that changes after both hosts has a pair of its own.
        """
        by_host: dict[int, list[int]] = {}
        for place in self.places:
            if not self._has_tenant(place):
                by_host.setdefault(int(self._ends.host[place]), []).append(place)
        pings: dict[str, Ping] = {}
        for turn, (row, places) in enumerate(by_host.items()):
            last, ping = self._from_partner(places[turn % len(places)], turn) or ("", None)
            host = self._project.fabric.hosts.names[row]
            if ping and last in ping.hosts:
                is_last = self._turns[host] == self._turns[last]
                pings[host if is_last else last] = ping
        return pings

    def _has_tenant(self, place: int) -> bool:
        tenants = self._project.fabric.tenants
        return tenants is not None and bool(tenants.of_nic[self._ends.row[place]] != UNASSIGNED)

    def _from_partner(self, place: int, turn: int) -> tuple[str, Ping | None] | None:
        """Return a ping from another NIC, one in service if there is one, and who changes last."""
        near, every = np.array([place]), np.ones_like(self.settled)
        pairs = (next(paired(self._ends, near, turn, to), None) for to in (self.settled, every))
        pair = next(filter(None, pairs), None)
        if pair is None:
            return None
        legs = [leg_of(self._project, int(self._ends.row[one])) for one in pair]
        leaves = {leg.nic.leaf for leg in legs}
        above = self._uppers() if len(leaves) > 1 else []
        ping = planned_ping(self._project, *(int(self._ends.row[one]) for one in reversed(pair)))
        return self._last([*above, *leaves, *(leg.host for leg in legs)]), ping

    def _to_gateway(self, place: int) -> tuple[str, Ping | None]:
        """Return a ping to the gateway on a leaf that the plan changes, and who changes last."""
        leg = leg_of(self._project, int(self._ends.row[place]))
        address = leg.nic.addresses[0]
        last = self._last([leg.nic.leaf, leg.host])
        if not address.address or leg.nic.leaf not in self._plan.devices:
            return last, None
        ends = leg.host, leg.nic.leaf, address.address, address.gateway
        return last, Ping(*ends, GATEWAY_PACKET_BYTES, 0)

    def _uppers(self) -> Iterator[str]:
        """Yield the switches above the leaves that the plan changes."""
        switches = self._project.fabric.switches
        return (name for name in switches.names[switches.leaf_count :] if name in self._turns)

    def _last(self, way: Sequence[str]) -> str:
        """Return the device that changes last; a host where it changes together with a leaf."""
        hosts = self._project.fabric.host_row
        return max(way, key=lambda name: (self._turns.get(name, -1), name in hosts, name))


def _without_address(
    project: Project, plan: Plan, running: Mapping[str, Running]
) -> Iterator[tuple[str, str]]:
    """Yield host and interface of the NICs that have no address before a plan gives them one."""
    for name in plan.devices:
        if name in project.fabric.host_row and name in running:
            nics = running[name].config["nics"]
            for nic in project.hosts[name].nics:
                if not nics.get(nic.interface, {}).get("addresses"):
                    yield name, nic.interface


def _port(leg: Leg) -> tuple[str, str]:
    return leg.nic.leaf, leg.nic.leaf_port


def paired(ends: Ends, near: Ints, turn: int, partners: Bools) -> Iterator[tuple[int, int]]:
    """Yield a NIC behind a leaf and one that it reaches: through the spines where there is one.

    Another turn takes another one, so that not all pings come from one host, or go to it.

    Parameters
    ----------
    partners : array of bool, shape (places,)
        Which NICs may be the other one.
    """
    for place in near:
        kind = kind_of(ends, np.full(len(ends.row), place), np.arange(len(ends.row)))
        for is_wanted in (kind == SAME_RAIL, kind > SAME_RAIL, kind == SAME_LEAF):
            if len(far := np.flatnonzero(is_wanted & partners)):
                yield int(place), int(far[turn % len(far)])
