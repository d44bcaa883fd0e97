"""Whether routes and forwarding of the files keep what the design promises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.prove.breach import Breach
from fabric.prove.forwarding import Forwarding, destinations, forwarding
from fabric.topology.model import NO_VLAN
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.prove.promises import Promises
    from fabric.prove.routes import Tables
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools, Fabric, Ints


def wired_nics(network: Network, fabric: Fabric) -> Ints:
    """Return the rows of NICs that have a cable to a switch that works and whose file was read."""
    rows = np.array(sorted(network.wiring.nics.values()), dtype=np.int64)
    if network.is_ipv6:
        rows = rows[fabric.subnets.vlan[fabric.nics.subnet[rows]] == NO_VLAN]
    present = np.array([name in network.switches for name in fabric.switches.names])
    wired: Ints = rows[present[fabric.nics.leaf[rows]]]
    return wired


@dataclass(frozen=True, eq=False)
class Reach:
    """Forwarding of the files beside what was promised.

    Parameters
    ----------
    bad_nics : sequence of int
        Rows of NICs that do not reach their gateway.
    """

    network: Network
    promises: Promises
    tables: Tables
    bad_nics: Sequence[int]

    @property
    def _fabric(self) -> Fabric:
        """The fabric without what is out of order."""
        return self.promises.fabric

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self._fabric.switches.names

    @cached_property
    def _row_of(self) -> Ints:
        """Row in the network of each switch of the fabric; -1 where it has none."""
        return np.array([self.network.row.get(name, -1) for name in self._names])

    @cached_property
    def nics(self) -> Ints:
        """Those of ``wired`` that are in no tenant."""
        tenants, rows = self._fabric.tenants, self.wired
        return rows if tenants is None else rows[tenants.of_nic[rows] == UNASSIGNED]

    @cached_property
    def wired(self) -> Ints:
        """Rows of the NICs that have a cable to a switch that works and whose file was read."""
        return wired_nics(self.network, self._fabric)

    @property
    def _addresses(self) -> Ints:
        """An address of each of ``nics``; of IPv6, one in its subnet, as numbers of Python."""
        nics, ipv6 = self._fabric.nics, self._fabric.subnets.ipv6
        if not self.network.is_ipv6 or ipv6 is None:
            return nics.address[self.nics]
        return ipv6.numbers(nics.subnet[self.nics]) + 1

    @cached_property
    def forwarding(self) -> Forwarding:
        """What every switch does with packets to the NICs."""
        table = self._fabric.nics
        leaf = self._row_of[table.leaf[self.nics]]
        return forwarding(self.tables, destinations(self.tables, self._addresses, leaf))

    @cached_property
    def _hops(self) -> Forwarding:
        """What every switch does with packets to leaves: to NICs, and with tenants to loopbacks.

        All equal paths count: those that a limit cuts are BAT013 alone.
        """
        switches, table, tables = self._fabric.switches, self._fabric.nics, self.tables.uncut
        if self._fabric.tenants is None or self.network.is_ipv6:
            same = tables is self.tables
            return self.forwarding if same else forwarding(tables, self.forwarding.to)
        leaves = np.flatnonzero(self._row_of[: switches.leaf_count] >= 0)
        addresses = np.concatenate([self._addresses, switches.loopback[leaves]])
        leaf = np.concatenate([table.leaf[self.nics], leaves])
        return forwarding(tables, destinations(tables, addresses, self._row_of[leaf]))

    @cached_property
    def _starts(self) -> Bools:
        """Whether each NIC of ``nics`` reaches its gateway."""
        return ~np.isin(self.nics, np.array(self.bad_nics, dtype=np.int64))

    @cached_property
    def weights(self) -> Ints:
        """NICs by leaf of the fabric that sends, shape (leaves,)."""
        leaf = self._fabric.nics.leaf[self.nics]
        return np.bincount(leaf, minlength=self._fabric.switches.leaf_count)

    @cached_property
    def _delivered(self) -> Bools:
        """Whether a leaf of the fabric delivers to a destination, shape (leaves, destinations)."""
        return self._of_leaves(self.forwarding.delivered)

    def _of_leaves(self, table: Bools) -> Bools:
        nowhere = np.zeros((1, table.shape[1]), dtype=np.bool_)
        rows: Bools = np.concatenate([table, nowhere])
        return rows[self._row_of[: self._fabric.switches.leaf_count]]

    @cached_property
    def _promised(self) -> Bools:
        """Whether it should, shape (leaves, destinations)."""
        leaf_of = {row: leaf for leaf, row in enumerate(self._row_of.tolist())}
        leaves = [leaf_of.get(row, 0) for row in self.forwarding.to.leaf.tolist()]
        alive = (self.weights > 0)[:, None]
        promised: Bools = self.promises.reach[:, leaves] & alive
        return promised

    @property
    def pairs(self) -> int:
        """Ordered pairs of two NICs that are promised."""
        return self._count(self._promised) - len(self.nics)

    @property
    def unplanned_pairs(self) -> int:
        """Ordered pairs of two NICs that the design does not connect."""
        return len(self.nics) * (len(self.nics) - 1) - self.pairs

    @property
    def lost_pairs(self) -> int:
        """Pairs that fail on some path, or whose sender does not reach its gateway."""
        kept = self._promised & self._delivered
        itself = kept[self._fabric.nics.leaf[self.nics], self.forwarding.to.of_nic] & self._starts
        return self.pairs - (self._count(kept, sending=self._starts) - int(itself.sum()))

    def _count(self, table: Bools, sending: Bools | None = None) -> int:
        """Return how many pairs of NICs a table of leaves and destinations stands for."""
        leaf = self._fabric.nics.leaf[self.nics if sending is None else self.nics[sending]]
        weights = np.bincount(leaf, minlength=self._fabric.switches.leaf_count)
        per_destination = np.bincount(self.forwarding.to.of_nic, minlength=table.shape[1])
        return int(weights @ table @ per_destination)

    def breaches(self) -> Iterator[Breach]:
        """Yield what is broken: pairs without path, pairs that must not meet, circles."""
        lost = self._promised & ~self._delivered
        loops = self._of_leaves(self.forwarding.looping)
        extra = ~self._promised & self._of_leaves(self.forwarding.reaching)
        extra &= (self.weights > 0)[:, None]
        yield from self._by_leaf("BAT007", lost & loops, "packets are forwarded in a loop towards")
        yield from self._by_leaf("BAT005", lost & ~loops, "packets do not arrive at")
        yield from self._by_leaf("BAT006", extra, "packets reach, against the design,")
        yield from self._next_hops()
        yield from self._cut_paths()
        if not self.tables.settled:
            yield Breach("BAT012", "", "", 0, "BGP does not converge")

    def _by_leaf(self, rule: str, table: Bools, words: str) -> Iterator[Breach]:
        """Yield one breach for each leaf that sends, with an example."""
        to = self.forwarding.to
        counts = np.bincount(to.of_nic, minlength=len(to))
        for leaf in np.flatnonzero(table.any(axis=1)).tolist():
            columns = np.flatnonzero(table[leaf])
            nics = int(counts[columns].sum())
            example = self._nic_name(int(np.flatnonzero(to.of_nic == columns[0])[0]))
            plural = "" if nics == 1 else f" and {nics - 1:,} more"
            why = self._reason(leaf, int(columns[0])) if rule == "BAT005" else ""
            yield Breach(rule, self._names[leaf], "", 0, f"{words} {example}{plural}{why}")

    def _nic_name(self, number: int) -> str:
        nics, row = self._fabric.nics, int(self.nics[number])
        host = self._fabric.hosts.names[int(nics.host[row])]
        leaf = int(nics.leaf[row])
        port = self._fabric.port_name(leaf, int(nics.port[row]))
        return f"{host} on {self._names[leaf]} {port}"

    def _reason(self, leaf: int, column: int) -> str:
        """Return where the first bad path of a leaf ends."""
        bad, at = ~self.forwarding.delivered[:, column], int(self._row_of[leaf])
        names = list(self.network.switches)
        while not self.forwarding.dropped[at, column]:
            hops = self.forwarding.next_hops[:, column] & (self.tables.source == at)
            onward = self.tables.target[hops]
            if not bad[onward].any():
                return f": {names[at]} delivers them to a port of another device"
            at = int(onward[bad[onward]][0])
        covering = self.forwarding.to.chain[column]
        has_route = self.tables.known[at, covering[covering >= 0]].any()
        return f": {names[at]} {'discards them' if has_route else 'has no route'}"

    def _next_hops(self) -> Iterator[Breach]:
        """Yield next hops that are missing or foreign, one breach for each switch and neighbour."""
        certain, possible = self.promises.next_hops
        links, names = self.promises.links, self._names
        used, parts = self._used()
        limit = certain & ~used & self._asked
        foreign = used & ~possible
        partly = parts & certain & used
        for table, words, severity in (
            (limit, "does not use {} as next hop", Severity.WARNING),
            (partly, "uses only some of the cables to {} as next hops", Severity.WARNING),
            (foreign, "uses {} as next hop, against the design,", Severity.ERROR),
        ):
            for link in np.flatnonzero(table.any(axis=1)).tolist():
                switch, peer = names[int(links.source[link])], names[int(links.target[link])]
                if switch not in self.network.switches:
                    continue
                leaves = np.flatnonzero(table[link])
                rest = (
                    f" and {counted(len(leaves) - 1, 'more leaf', 'more leaves')}"
                    if len(leaves) > 1
                    else ""
                )
                ends = "" if self._fabric.tenants else "the NICs of "  # spines carry tunnels
                to = f"towards {ends}{names[int(leaves[0])]}{rest}"
                message = f"the switch {words.format(peer)} {to}"
                yield Breach("BAT004", switch, "", 0, message, severity)

    @cached_property
    def _asked(self) -> Bools:
        """Whether anything is sent to a leaf, shape (leaves,): not where each NIC is switched off.

        Such a leaf may announce no subnet, as no port of it is up.
        """
        nics, leaves = self._fabric.nics, self._fabric.switches.leaf_count
        has_nic = np.bincount(nics.leaf[nics.enabled], minlength=leaves) > 0
        destinations = np.isin(self._row_of[:leaves], self._hops.to.leaf)
        asked: Bools = has_nic | destinations
        return asked

    def _used(self) -> tuple[Bools, Bools]:
        """Return which links of the design are next hops, and which with some cables only.

        Returns
        -------
        tuple of array of bool, shape (links, leaves)
            For a leaf with several destinations: used towards any, and not by all cables to all.
        """
        links, forwarding_ = self.promises.links, self._hops
        shape = (len(links), self._fabric.switches.leaf_count)
        back = np.full(len(self.network.switches) + 1, -1)
        back[self._row_of] = np.arange(len(self._row_of))
        rows = links.rows(back[self.tables.source], back[self.tables.target])
        leaf = back[forwarding_.to.leaf]
        count, most = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        inside = rows >= 0
        by_link = np.zeros((len(links), len(leaf)), dtype=np.int64)
        np.add.at(by_link, rows[inside], forwarding_.next_hops[inside])
        np.add.at(count.T, leaf, by_link.T)
        kinds = np.bincount(leaf, minlength=shape[1])
        most[:] = links.cables[:, None] * kinds
        return count > 0, (count < most)

    def _cut_paths(self) -> Iterator[Breach]:
        """Yield the switches that have more equal paths than their file lets them use."""
        for row, (name, configured) in enumerate(self.network.switches.items()):
            bgp = configured.bgp
            most = int(self.tables.most_equal[row])
            if bgp and most > bgp.max_paths:
                message = (
                    f"{counted(most, 'equal path is', 'equal paths are')} on offer, the file lets "
                    f"{bgp.max_paths} be used"
                )
                yield Breach("BAT013", name, "", bgp.line, message)
