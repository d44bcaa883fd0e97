"""Which failures do the same, up to names: what a symmetry of the fabric maps onto each other.

Twins (`fabric.topology.twins`) are swapped two by two. Pods, and planes of spines with their
super-spines, are swapped as a whole: with an AS number for each spine, no two spines are twins, but
each can take the place of any other one. Such a symmetry is guessed, by the order of rows, and then
proven: every link, number of cables and label must be where it was. A guess that fails is dropped,
so that failures that do the same may count as two kinds, and never the other way round.

The search is that of McKay and Piperno, Practical Graph Isomorphism II, Journal of Symbolic
Computation 60, 2014, with one guess for each pair of switches and no search beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.twins import twins

if TYPE_CHECKING:
    from fabric.topology.model import Ints
    from fabric.topology.routes import Network

#: Switches for which no guess may hold, and the links of all their graphs: our choice, bounds the
#: search where little is symmetric to some tenths of a second.
_FEWEST, _MOST_LINKS = 16, 2**20
#: Seed of the weights that colours are summed with: any; what they lead to is proven.
_SEED = 1


@dataclass(frozen=True, eq=False)
class Alike:
    """What is the same up to names.

    Parameters
    ----------
    twins : array of int, shape (switches,)
        Kind of each switch; switches of one kind can be swapped, and nothing else changes.
    switches : array of int, shape (switches,)
        Kind of the failure of each switch.
    links : array of int, shape (links,)
        Kind of the failure of each link with its reverse.
    """

    twins: Ints
    switches: Ints
    links: Ints

    @classmethod
    def nothing(cls, net: Network) -> Alike:
        """Return that every switch and every link is of its own kind."""
        every, links = np.arange(net.links.switches), np.arange(len(net.links))
        return cls(every, every, np.minimum(links, net.links.reverse))


def alike(net: Network, labels: Ints | None = None) -> Alike:
    """Return what is the same up to names.

    Parameters
    ----------
    net : Network
        Links and AS numbers.
    labels : array of int, shape (links,), optional
        What else links have in common, as for `twins`.
    """
    first, hashed = twins(net, labels)
    order = np.argsort(first)  # kinds by their first switch, so that rows keep their order
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    kind = number[hashed]
    graph = _Graph.of(net, first[order], kind, labels)
    switches, links = graph.orbits()
    ends = graph.rows(kind[net.links.source], kind[net.links.target])
    return Alike(kind, switches[kind], links[ends])


@dataclass(frozen=True, eq=False)
class _Graph:
    """Kinds of twins, AS numbers that several switches share, and links between these.

    Parameters
    ----------
    colour : array of int, shape (n,)
        What a symmetry keeps of each of them.
    source, target : array of int, shape (m,)
        Ends of each directed link, sorted by both.
    label : array of int, shape (m,)
        What a symmetry keeps of each link.
    """

    colour: Ints
    source: Ints
    target: Ints
    label: Ints

    @classmethod
    def of(cls, net: Network, first: Ints, kind: Ints, labels: Ints | None) -> _Graph:
        """Return the graph of kinds whose first switches are given."""
        links = net.links
        lead = np.flatnonzero(first[kind[links.source]] == links.source)
        _, number, count = np.unique(net.asn, return_inverse=True, return_counts=True)
        shared = np.flatnonzero(count[number[first]] > 1)
        numbers, place = np.unique(number[first[shared]], return_inverse=True)
        place = len(first) + place
        announced = np.bincount(net.origin, minlength=links.switches)
        marks = [np.bincount(kind), net.sends[first], net.allowed[first], announced[first]]
        colour = np.hstack([np.stack(marks), np.full((len(marks), len(numbers)), -1)])
        source = np.concatenate([kind[links.source[lead]], shared, place])
        target = np.concatenate([kind[links.target[lead]], place, shared])
        label = np.stack([links.cables, np.zeros(len(links), int) if labels is None else labels])
        label = np.hstack([label[:, lead], np.full((2, 2 * len(shared)), -1)])
        keys, row = np.unique(source * colour.shape[1] + target, return_index=True)
        return cls(
            np.unique(colour, axis=1, return_inverse=True)[1].reshape(-1),
            keys // colour.shape[1],
            keys % colour.shape[1],
            np.unique(label[:, row], axis=1, return_inverse=True)[1].reshape(-1),
        )

    def rows(self, source: Ints, target: Ints) -> Ints:
        """Return the row of each link, all of which there are."""
        return np.searchsorted(self._keys, source * len(self.colour) + target)

    @cached_property
    def _keys(self) -> Ints:
        return self.source * len(self.colour) + self.target

    @cached_property
    def _weights(self) -> tuple[Ints, Ints]:
        """Odd numbers for colours, one of them for a kind that is singled out, and for labels."""
        random = np.random.default_rng(_SEED)
        sizes = len(self.colour) + 1, int(self.label.max(initial=0)) + 1
        colours, labels = (random.integers(2**63, size=size, dtype=np.int64) | 1 for size in sizes)
        return colours, labels[self.label]

    def orbits(self) -> tuple[Ints, Ints]:
        """Return the kind of each node, and of each link with its reverse."""
        nodes, every = np.arange(len(self.colour)), np.arange(len(self.source))
        links = _joined(every, self.rows(self.target, self.source))
        left = max(_FEWEST, _MOST_LINKS // max(1, len(every)))
        even = self._refined(self.colour)
        for colour in np.flatnonzero(np.bincount(even) > 1).tolist():
            known: dict[int, Ints] = {}
            for node in np.flatnonzero(even == colour).tolist():
                if nodes[node] in nodes[[*known]]:
                    continue
                own = self._singled(even, node)
                images = (self._proven(singled, own) for singled in known.values())
                image = next((one for one in images if one is not None), None)
                if image is not None:
                    nodes = _joined(nodes, image)
                    links = _joined(links, self.rows(image[self.source], image[self.target]))
                elif left:
                    left -= bool(known)
                    known[node] = own
                else:
                    return nodes, links
        return nodes, links

    def _singled(self, colour: Ints, node: int) -> Ints:
        """Return the colours once one node has a colour of its own."""
        own = colour.copy()
        own[node] = len(colour)
        return self._refined(own)

    def _refined(self, colour: Ints) -> Ints:
        """Split colours until nodes of one colour have as many links to each other colour."""
        of_colours, of_labels = self._weights
        while True:
            sums = np.zeros(len(colour), dtype=np.int64)
            np.add.at(sums, self.source, of_colours[colour[self.target]] * of_labels)
            finer: Ints = np.unique(of_colours[colour] ^ (sums * 3), return_inverse=True)[1]
            if finer.max(initial=0) + 1 == len(np.unique(colour)):
                return finer
            colour = finer

    def _proven(self, before: Ints, after: Ints) -> Ints | None:
        """Return where each node is mapped, by colour and order; None where that is no symmetry."""
        near, far = (np.argsort(colour, kind="stable") for colour in (before, after))
        image = np.empty_like(near)
        image[near] = far
        keys = image[self.source] * len(image) + image[self.target]
        rows = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        kept = (self.colour[image] == self.colour).all() and (self._keys[rows] == keys).all()
        return image if kept and (self.label[rows] == self.label).all() else None


def _joined(kind: Ints, image: Ints) -> Ints:
    """Return kinds of which each holds the image of all that it holds, by their first member."""
    while (kind != kind[image]).any():
        least = np.arange(len(kind))
        np.minimum.at(least, kind, kind[image])
        np.minimum.at(least, kind[image], kind)
        while (least != least[least]).any():
            least = least[least]
        kind = least[kind]
    return kind
