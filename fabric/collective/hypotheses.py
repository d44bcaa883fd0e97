"""One hypothesis for each kind of single fault, each place of it, and each share that it leaves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.faults import SlowFault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.collective.flows import Floats
    from fabric.topology.model import Bools, Fabric, Ints

#: Kinds by number.
KINDS = tuple(SlowFault)
#: Rails that a place may name; more than any host has.
_RAIL_BITS = 40
_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Hypotheses as arrays of one length.

    Parameters
    ----------
    kind : array of int
        Number in `KINDS`.
    host, leaf : array of int
        Row of the host or leaf; -1 where the fault is not there.
    rails : array of int
        Rails that are slow, as bits; all of a host or leaf.
    left : array of float
        Share that is left, see `Nature`.
    prior : array of float
        Logarithm of its probability without any result, but for a constant.
    """

    kind: NDArray[np.int8]
    host: Ints
    leaf: Ints
    rails: Ints
    left: Floats
    prior: Floats

    def __len__(self) -> int:
        return len(self.kind)

    def of(self, rows: Bools | Ints) -> Hypotheses:
        """Return some of them."""
        return Hypotheses(*(getattr(self, field.name)[rows] for field in fields(self)))

    @cached_property
    def place(self) -> Ints:
        """Number of the place of each, from 0."""
        whole = self.are(SlowFault.WRONG_DSCP) | self.are(SlowFault.UNEVEN_HASH)
        where = np.where(self.leaf >= 0, -2 - self.leaf, self.host)
        named = (where << _RAIL_BITS) + np.where(whole, 0, self.rails)
        return np.asarray(np.unique(named, return_inverse=True)[1].reshape(-1))

    @cached_property
    def spread(self) -> Floats:
        """Relative error of a share by the steps between the values that are tried."""
        steps = np.array([kind.value.step for kind in KINDS])
        return np.asarray(steps[self.kind] / np.sqrt(12) / self.left)

    def are(self, kind: SlowFault) -> Bools:
        """Return which are of a kind."""
        return np.asarray(self.kind == _NUMBER[kind])


def hypotheses(fabric: Fabric) -> Hypotheses:
    """Return all hypotheses about a fabric."""
    hosts, rails = np.arange(len(fabric.hosts)), np.arange(fabric.rails)
    every = (1 << fabric.rails) - 1
    off = ~fabric.nics.enabled.reshape(len(hosts), len(rails), -1).any(axis=2)
    off_bits = (off << rails).sum(axis=1)  # a NIC that is off, as in quarantine, slows nothing
    nics = np.repeat(hosts, len(rails)), np.tile(1 << rails, len(hosts))
    pairs = np.array([(1 << a) | (1 << b) for a, b in combinations(rails.tolist(), 2)])
    pairs = pairs.astype(np.int64)
    twice = np.repeat(hosts, len(pairs)), np.tile(pairs, len(hosts))
    nics, twice = (
        (host[on], bits[on])
        for host, bits in (nics, twice)
        for on in [(off_bits[host] & bits) == 0]
    )
    running = hosts[off_bits != every]
    leaves = np.unique(fabric.uplinks.lower[fabric.uplinks.enabled])
    leaves = leaves[leaves < fabric.switches.leaf_count]
    nowhere = np.full(1, -1)
    parts = [
        _part(SlowFault.NONE, nowhere, nowhere, np.zeros(1, dtype=np.int64)),
        *(
            _part(kind, nics[0], np.full(len(nics[0]), -1), nics[1])
            for kind in (SlowFault.HALF_RATE, SlowFault.PCI_WIDTH, SlowFault.LOSSY)
        ),
        _part(SlowFault.WRONG_RAIL, twice[0], np.full(len(twice[0]), -1), twice[1]),
        _part(
            SlowFault.WRONG_DSCP,
            running,
            np.full(len(running), -1),
            every & ~off_bits[running],
        ),
        _part(SlowFault.UNEVEN_HASH, np.full(len(leaves), -1), leaves, np.full(len(leaves), every)),
    ]
    columns = ([getattr(part, field.name) for part in parts] for field in fields(Hypotheses))
    return Hypotheses(*(np.concatenate(column) for column in columns))


def _part(kind: SlowFault, host: Ints, leaf: Ints, rails: Ints) -> Hypotheses:
    left = np.array(kind.value.left)
    places, count = len(host), len(host) * len(left)
    return Hypotheses(
        kind=np.full(count, _NUMBER[kind], dtype=np.int8),
        host=host.repeat(len(left)),
        leaf=leaf.repeat(len(left)),
        rails=rails.repeat(len(left)),
        left=np.tile(left, places),
        prior=np.full(count, np.log(kind.value.odds) - np.log(max(count, 1))),
    )
