"""Whether tenants reach themselves and their services, and nothing else."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.prove.relations import table
from fabric.prove.static_routes import taken_nics
from fabric.prove.vrfs import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scipy import sparse

    from fabric.prove.overlay import Exchange
    from fabric.prove.relations import Relations
    from fabric.prove.vrfs import NicPlaces, VrfNodes
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.tenants import Tenants


class TenantCounts(NamedTuple):
    """What was proved of tenants.

    Parameters
    ----------
    tenants : int
        Tenants of the inventory.
    pairs, leaking_pairs : int
        Ordered pairs of tenants that must not reach each other, and those that do.
    nic_pairs, lost_nic_pairs : int
        Ordered pairs of NICs of one tenant, or of a tenant and its service; those of them that
        the files do not connect over every path.
    exposed : int
        Tenants that reach loopbacks, tunnel end points or management.
    """

    tenants: int
    pairs: int
    leaking_pairs: int
    nic_pairs: int
    lost_nic_pairs: int
    exposed: int


class Groups(NamedTuple):
    """NICs of a tenant that the files treat alike; arrays of one length.

    Parameters
    ----------
    leaf, node : array of int
        Leaf in the fabric, and VRF of the files.
    good, announced : array of bool
        Whether they reach their gateway, and whether their VRF announces them.
    mark : array of int
        By which static routes packets for them are taken away.
    size, first : array of int
        How many they are, and the row of the first.
    """

    leaf: Ints
    node: Ints
    good: Bools
    announced: Bools
    mark: Ints
    size: Ints
    first: Ints


class LostGroups(NamedTuple):
    """Two groups of NICs that do not reach each other: row of each, and how many pairs."""

    sender: int
    receiver: int
    tenants: tuple[int, int]
    pairs: int


@dataclass(frozen=True, eq=False)
class Isolation:
    """Tenants of a fabric on the VRFs of its files.

    Parameters
    ----------
    alive : array of int
        Rows of the NICs that have a cable and work.
    bad : sequence of int
        Rows of those that do not reach their gateway.
    reach : array of bool, shape (leaves, leaves)
        Which leaves the design connects.
    """

    fabric: Fabric
    tenants: Tenants
    nodes: VrfNodes
    places: NicPlaces
    relations: Relations
    exchange: Exchange
    alive: Ints
    bad: Sequence[int]
    reach: Bools

    @cached_property
    def members(self) -> list[Ints]:
        """Rows of the NICs of each tenant that work."""
        mine = self.tenants.of_nic[self.alive]
        order = np.argsort(mine, kind="stable")
        ends = np.searchsorted(mine[order], np.arange(len(self.tenants) + 1))
        rows = self.alive[order]
        return [rows[start:end] for start, end in itertools.pairwise(ends)]

    @cached_property
    def inside(self) -> sparse.csr_array:
        """Which VRFs have NICs of each tenant, shape (tenants, nodes)."""
        node, tenant = self.places.node[self.alive], self.tenants.of_nic[self.alive]
        has = (node != NOWHERE) & (tenant >= 0)
        pairs = zip(tenant[has].tolist(), node[has].tolist(), strict=True)
        return table(pairs, (len(self.tenants), len(self.nodes)))

    @cached_property
    def looked_up(self) -> sparse.csr_array:
        """In which VRFs packets of each tenant are looked up, shape (tenants, nodes)."""
        looked_up: sparse.csr_array = self.inside @ self.relations.lookup
        return looked_up

    @cached_property
    def _speaks(self) -> Bools:
        """Whether each VRF announces a NIC, shape (nodes,)."""
        rows = self.alive[self.places.announced[self.alive]]
        speaks = np.zeros(len(self.nodes), dtype=np.bool_)
        node = self.places.node[rows]
        speaks[node[node != NOWHERE]] = True
        return speaks

    @cached_property
    def _entered(self) -> sparse.csr_array:
        """VRFs that a packet may get into that comes for each VRF out of a tunnel."""
        exported = self.relations.exported.multiply(self._speaks[None, :]).tocsr()
        some = np.asarray(exported.sum(axis=1)).ravel() > 0
        entered: sparse.csr_array = exported + self.relations.shared.multiply(some[:, None]).tocsr()
        return entered

    @cached_property
    def _node_leaf(self) -> Ints:
        """Leaf of each VRF; -1 for that of a switch above the leaves."""
        switch = self.nodes.switch
        return np.where(switch < self.fabric.switches.leaf_count, switch, -1)

    @cached_property
    def meeting(self) -> Bools:
        """Whether packets of each tenant get into a VRF of each, shape (tenants, tenants)."""
        if self.relations.lookup.nnz > len(self.nodes):
            walked: Bools = np.stack([self._walked(row) for row in range(len(self.tenants))])
            return walked | self._in_one_vlan
        met: Bools = (self.inside @ self.inside.T).toarray() > 0
        for one, other in self._far_meetings():
            met[one, other] = True
        return met | self._in_one_vlan

    def _walked(self, tenant: int) -> Bools:
        """Return the tenants into whose VRFs packets of a tenant get, shape (tenants,).

        Step by step over VRFs: through a tunnel, then to a VRF whose routes that one exports, and
        through the next tunnel. EVPN routes themselves are not exported again, and a switch does
        not import what it exports.
        """
        size = len(self.nodes)
        start, entered = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
        start[self.inside[[tenant], :].indices] = True
        entered |= start
        looked_up = self._next(self.relations.lookup, start)
        entered |= (looked_up & self._speaks) | self._next(self.relations.led, start)
        known = np.zeros(size, dtype=np.bool_)
        while True:
            more = self._through_tunnels(looked_up) & ~known
            if not more.any():
                break
            known |= more
            outward = self._next(self._passed_on, more)
            entered |= (outward | more) & self._speaks
            looked_up = looked_up | self._next(self._leaked_on, more)
        met: Bools = (self.inside @ entered.astype(np.float32)) > 0
        return met

    @staticmethod
    def _next(step: sparse.csr_array, rows: Bools) -> Bools:
        found: Bools = (rows.astype(np.float32) @ step) > 0
        return found

    @cached_property
    def _passed_on(self) -> sparse.csr_array:
        """VRFs that a packet out of a tunnel of each gets into."""
        into: sparse.csr_array = self.relations.exported + self.relations.shared
        return into

    @cached_property
    def _leaked_on(self) -> sparse.csr_array:
        """Other VRFs whose routes each exports."""
        size = len(self.nodes)
        itself = table(((row, row) for row in range(size)), (size, size))
        leaked: sparse.csr_array = (self.relations.exported - itself).tocsr()
        return leaked

    def _through_tunnels(self, rows: Bools) -> Bools:
        """Return the VRFs of other switches that some VRFs have EVPN routes of, shape (nodes,)."""
        kind, leaf, imports = self.relations.kind, self._node_leaf, self.relations.imports
        rows = rows & (leaf >= 0)
        if not self.exchange.some.all():
            senders, found = np.flatnonzero(rows), np.zeros(len(rows), dtype=np.bool_)
            for row in senders.tolist():
                some = imports[kind[row], kind] & self.exchange.some[leaf[row], leaf] & (leaf >= 0)
                some[row] = False
                found |= some
            return found
        count = np.bincount(kind[rows], minlength=len(imports)) @ imports.astype(np.int64)
        itself = rows & imports[kind, kind]
        reached: Bools = (count[kind] - itself > 0) & (leaf >= 0)
        return reached

    def _far_meetings(self) -> Iterator[tuple[int, int]]:
        """Yield tenants of which the first has EVPN routes into a VRF of the second."""
        kinds = len(self.relations.imports)
        of_kind = table(enumerate(self.relations.kind.tolist()), (len(self.nodes), kinds))
        into = self._entered @ self.inside.T
        sends, gets = (self.looked_up @ of_kind).toarray() > 0, (of_kind.T @ into).toarray() > 0
        far = (sends.astype(np.float32) @ self.relations.imports @ gets) > 0
        everything = bool(self.exchange.some.all())
        targets = into.tocsc()
        for one, other in np.argwhere(far).tolist():
            if everything or self._meets_somewhere(one, targets, other):
                yield one, other

    def _meets_somewhere(self, one: int, targets: sparse.csc_array, other: int) -> bool:
        """Tell whether a tenant has routes into a VRF of another one, leaf by leaf."""
        senders = self.looked_up[[one], :].indices
        receivers = targets[:, [other]].indices
        senders = senders[self._node_leaf[senders] >= 0]
        receivers = receivers[self._node_leaf[receivers] >= 0]
        kind, leaf = self.relations.kind, self._node_leaf
        joined = self.relations.imports[kind[senders][:, None], kind[receivers]]
        joined = joined & self.exchange.some[leaf[senders][:, None], leaf[receivers]]
        return bool(joined.any())

    @cached_property
    def _in_one_vlan(self) -> Bools:
        """Whether two tenants have NICs in one VLAN of a leaf, shape (tenants, tenants)."""
        vlan, tenant = self.places.vlan[self.alive], self.tenants.of_nic[self.alive]
        has = (vlan >= 0) & (tenant >= 0)
        leaf = self.fabric.nics.leaf[self.alive[has]]
        _, segment = np.unique(np.stack([leaf, vlan[has]]), axis=1, return_inverse=True)
        rows = segment.reshape(-1)
        shape = len(self.tenants), int(rows.max(initial=-1)) + 1
        on = table(zip(tenant[has].tolist(), rows.tolist(), strict=True), shape)
        joined: Bools = (on @ on.T).toarray() > 0
        return joined

    @cached_property
    def allowed(self) -> Bools:
        """Which tenants may reach which: themselves, and by a service, shape (tenants, tenants)."""
        may = np.eye(len(self.tenants), dtype=np.bool_)
        names = {name: row for row, name in enumerate(self.tenants.names)}
        for row, item in enumerate(self.tenants.items):
            for service in item.value.services:
                may[row, names[service]] = may[names[service], row] = True
        return may

    @cached_property
    def leaking(self) -> Bools:
        """Which tenants reach others against the inventory, shape (tenants, tenants)."""
        return self.meeting & ~self.allowed

    @cached_property
    def exposed(self) -> Bools:
        """Which tenants have packets looked up where switches are, shape (tenants,)."""
        hits = self.looked_up @ self.nodes.is_exposed.astype(np.float32)
        return np.asarray(hits > 0)

    @cached_property
    def _bad(self) -> Ints:
        return np.array(sorted(self.bad), dtype=np.int64)

    @cached_property
    def _routes(self) -> Bools:
        """Whether packets are routed in each VRF, shape (nodes,)."""
        return np.array([node.vrf.routes for node in self.nodes.items], dtype=np.bool_)

    def groups(self, tenant: int) -> Groups:
        """Return the NICs of a tenant in groups."""
        rows = self.members[tenant]
        node = self.places.node[rows]
        columns = np.stack([
            self.fabric.nics.leaf[rows],
            node,
            ~np.isin(rows, self._bad) & (node != NOWHERE) & self._routes[node],
            self.places.announced[rows],
            self._taken[0][rows],
        ])
        kinds, first, size = np.unique(columns, axis=1, return_index=True, return_counts=True)
        leaf, node, good, announced, mark = kinds
        return Groups(leaf, node, good > 0, announced > 0, mark, size, rows[first])

    @cached_property
    def _taken(self) -> tuple[Ints, Mapping[int, Bools]]:
        """Mark of each NIC, and by VRF with static routes, of which marks these take packets."""
        taken = dict(taken_nics(self.nodes, self.places))
        if not taken:
            return np.zeros(len(self.places.node), dtype=np.int64), {}
        kinds, mark = np.unique(np.stack([*taken.values()]), axis=1, return_inverse=True)
        return mark.reshape(-1), dict(zip(taken, kinds, strict=True))

    def _takes(self, senders: Ints, marks: Ints) -> Bools:
        """Return whose packets static routes take away, shape (senders, marks)."""
        takes = np.zeros((len(senders), len(marks)), dtype=np.bool_)
        by_node = self._taken[1]
        for row, node in enumerate(senders.tolist() if by_node else ()):
            if node in by_node:
                takes[row] = by_node[node][marks]
        return takes

    @cached_property
    def losses(self) -> tuple[int, list[LostGroups]]:
        """Ordered pairs of NICs that are promised, and the groups that do not keep a promise."""
        groups = [self.groups(row) for row in range(len(self.tenants))]
        promised, lost = 0, []
        for one, other in np.argwhere(self.allowed).tolist():
            senders, receivers = groups[one], groups[other]
            if not len(senders.leaf) or not len(receivers.leaf):
                continue
            should = self._promised(senders, receivers)
            works = should & self._works(senders, receivers)
            count = senders.size[:, None] * receivers.size
            if one == other:
                count = count - np.diag(senders.size)
            promised += int(count[should].sum())
            broken = should & ~works & (count > 0)
            for row, column in np.argwhere(broken).tolist():
                ends = int(senders.first[row]), int(receivers.first[column])
                lost.append(LostGroups(*ends, (one, other), int(count[row, column])))
        return promised, lost

    def _promised(self, senders: Groups, receivers: Groups) -> Bools:
        here: Bools = senders.leaf[:, None] == receivers.leaf
        if self.tenants.is_local:
            return here
        joined: Bools = self.reach[senders.leaf[:, None], receivers.leaf] | here
        return joined

    def _works(self, senders: Groups, receivers: Groups) -> Bools:
        """Return which groups send to which over every path, shape (senders, receivers)."""
        same = senders.node[:, None] == receivers.node
        far = self.routed(senders.node, receivers.node) & receivers.announced
        works: Bools = (same | far) & senders.good[:, None] & receivers.good
        return works & ~self._takes(senders.node, receivers.mark)

    def routed(self, senders: Ints, receivers: Ints) -> Bools:
        """Return which VRFs have working routes of which others, shape (senders, receivers)."""
        lookup = self.relations.lookup
        if lookup.nnz == len(self.nodes) and not self.relations.shared.nnz:
            return self._tunnels(senders, receivers)
        rows, columns = lookup[senders, :], self._exporters[receivers, :]
        into, outof = (np.unique(part.indices).astype(np.int64) for part in (rows, columns))
        ways = self._tunnels(into, outof) & ~self._ambiguous[outof]
        far = rows[:, into] @ ways.astype(np.float32) @ columns[:, outof].T
        here = rows[:, receivers].toarray() > 0
        joined: Bools = np.asarray(far > 0) | here
        return joined

    @cached_property
    def _exporters(self) -> sparse.csr_array:
        """VRFs that export the networks of each, shape (nodes, nodes)."""
        return self.relations.exported.T.tocsr()

    @cached_property
    def _ambiguous(self) -> Bools:
        """Whether each VRF shares its VNI with another one of its switch, shape (nodes,)."""
        return np.asarray(self.relations.shared.sum(axis=1)).ravel() > 0

    def is_ambiguous(self, node: int) -> bool:
        """Tell whether a VRF shares its VNI with another one of its switch."""
        return bool(self._ambiguous[node])

    def _tunnels(self, senders: Ints, receivers: Ints) -> Bools:
        """Return which VRFs have EVPN routes of which over every path; -1 stands for no VRF."""
        kind, leaf = self.relations.kind, self._node_leaf
        both = (senders >= 0)[:, None] & (receivers >= 0)
        both = both & (leaf[senders] >= 0)[:, None] & (leaf[receivers] >= 0)
        joined = self.relations.agrees[kind[senders][:, None], kind[receivers]]
        every: Bools = joined & self.exchange.every[leaf[senders][:, None], leaf[receivers]] & both
        return every

    @property
    def counts(self) -> TenantCounts:
        """Return the numbers of all this."""
        promised, lost = self.losses
        return TenantCounts(
            len(self.tenants),
            int((~self.allowed).sum()),
            int(self.leaking.sum()),
            promised,
            sum(one.pairs for one in lost),
            int(self.exposed.sum()),
        )
