"""One of the shortest paths between two NICs, as a hash would choose it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.clos import clos
from fabric.topology.paths import Layers

if TYPE_CHECKING:
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints


@dataclass(frozen=True)
class Step:
    """A cable of a path: a row of the NICs or of the uplinks, and whether it goes up."""

    row: int
    edge: bool
    up: bool


@dataclass
class Sampler:
    """Draws paths of a fabric; each draw takes any equal cost cable with the same chance.

    Parameters
    ----------
    seed : int
        Same seed, same paths.
    """

    fabric: Fabric
    seed: int

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    @cached_property
    def _network(self) -> Clos:
        return clos(self.fabric)

    @cached_property
    def _layers(self) -> Layers:
        return Layers.of(self._network)

    def path(self, source: int, target: int) -> tuple[Step, ...]:
        """Return a path between two rows of the NICs; empty where there is none."""
        leaf, other = int(self.fabric.nics.leaf[source]), int(self.fabric.nics.leaf[target])
        between = self._between(leaf, other)
        if between is None:
            return ()
        return (Step(source, edge=True, up=True), *between, Step(target, edge=True, up=False))

    def _between(self, leaf: int, other: int) -> list[Step] | None:
        if leaf == other:
            return []
        turn = int(self._layers.turn_tier[leaf, other])
        if not turn:
            return None
        steps, passed = self._climb(leaf, other, turn)
        at = passed[-1]
        for tier in reversed(range(turn)):
            below = self._below(at, tier, other, avoid=passed[tier])
            steps.append(Step(below, edge=False, up=False))
            at = int(self._network.cables.lower[below])
        return steps

    def _climb(self, leaf: int, other: int, turn: int) -> tuple[list[Step], list[int]]:
        layers, cables = self._layers, self._network.cables
        steps, passed = [], [leaf]
        for tier in range(turn):
            rows = np.flatnonzero((cables.lower == passed[-1]) & cables.up)
            place = self._network.place[cables.upper[rows]]
            last = tier + 1 == turn
            ways = (
                self._turning(passed[-1], tier, other)
                if last
                else layers.beyond[tier + 1][:, other]
            )
            row = int(self._random.choice(rows[ways[place]]))
            steps.append(Step(row, edge=False, up=True))
            passed.append(int(cables.upper[row]))
        return steps, passed

    def _turning(self, lower: int, tier: int, other: int) -> Ints:
        """Return which switches above a tier lead down to a leaf, but not by where it came up."""
        layers = self._layers
        goal = layers.above[tier][other] & ~layers.same_as[tier][self._network.place[lower]]
        ways: Ints = layers.joined[tier][goal].any(axis=0)
        return ways

    def _below(self, at: int, tier: int, other: int, avoid: int) -> int:
        layers, cables = self._layers, self._network.cables
        rows = np.flatnonzero((cables.upper == at) & cables.up)
        place = self._network.place[cables.lower[rows]]
        allowed = (
            layers.above[tier][other][place]
            & ~layers.same_as[tier][self._network.place[avoid]][place]
        )
        return int(self._random.choice(rows[allowed]))
