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

    def equal_steps(self, source: int, target: int) -> tuple[Step, ...]:
        """Return the cables between leaves of all shortest paths between two rows of the NICs."""
        leaf, other = int(self.fabric.nics.leaf[source]), int(self.fabric.nics.leaf[target])
        turn = 0 if leaf == other else int(self._layers.turn_tier[leaf, other])
        passed, steps = [{leaf}], []
        for tier in range(turn):
            rows = [row for at in passed[-1] for row in self._upward(at, tier, turn, other)]
            steps += [Step(row, edge=False, up=True) for row in rows]
            passed.append({int(self._network.cables.upper[row]) for row in rows})
        at_tier = passed[-1]
        for tier in reversed(range(turn)):
            rows = [row for at in at_tier for row in self._downward(at, tier, other, passed[tier])]
            steps += [Step(row, edge=False, up=False) for row in rows]
            at_tier = {int(self._network.cables.lower[row]) for row in rows}
        return tuple(steps)

    def _between(self, leaf: int, other: int) -> list[Step] | None:
        if leaf == other:
            return []
        turn = int(self._layers.turn_tier[leaf, other])
        if not turn:
            return None
        steps, passed = self._climb(leaf, other, turn)
        at = passed[-1]
        for tier in reversed(range(turn)):
            below = int(self._random.choice(self._downward(at, tier, other, {passed[tier]})))
            steps.append(Step(below, edge=False, up=False))
            at = int(self._network.cables.lower[below])
        return steps

    def _climb(self, leaf: int, other: int, turn: int) -> tuple[list[Step], list[int]]:
        steps, passed = [], [leaf]
        for tier in range(turn):
            row = int(self._random.choice(self._upward(passed[-1], tier, turn, other)))
            steps.append(Step(row, edge=False, up=True))
            passed.append(int(self._network.cables.upper[row]))
        return steps, passed

    def _upward(self, at: int, tier: int, turn: int, other: int) -> Ints:
        """Return the equal cables up from a switch of a tier towards a leaf."""
        layers, cables = self._layers, self._network.cables
        rows = np.flatnonzero((cables.lower == at) & cables.up)
        last = tier + 1 == turn
        ways = self._turning(at, tier, other) if last else layers.beyond[tier + 1][:, other]
        chosen: Ints = rows[ways[self._network.place[cables.upper[rows]]]]
        return chosen

    def _turning(self, lower: int, tier: int, other: int) -> Ints:
        """Return which switches above a tier lead down to a leaf, but not by where it came up."""
        layers = self._layers
        goal = layers.above[tier][other] & ~layers.same_as[tier][self._network.place[lower]]
        ways: Ints = layers.joined[tier][goal].any(axis=0)
        return ways

    def _downward(self, at: int, tier: int, other: int, avoid: set[int]) -> Ints:
        """Return the equal cables down from a switch towards a leaf, not to where it came up."""
        layers, cables = self._layers, self._network.cables
        rows = np.flatnonzero((cables.upper == at) & cables.up)
        place = self._network.place[cables.lower[rows]]
        came = np.logical_or.reduce([layers.same_as[tier][self._network.place[n]] for n in avoid])
        chosen: Ints = rows[layers.above[tier][other][place] & ~came[place]]
        return chosen
