"""Parallel layout of a job: which ranks exchange data with each other.

Ranks are numbered as Megatron-LM numbers them by default, ``tp-cp-ep-dp-pp``: tensor parallel ranks
are neighbours, pipeline stages are furthest apart (Megatron-LM,
megatron/core/parallel_state.py, ``initialize_model_parallel``). Expert parallel groups are parts of
the data parallel ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted, noun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.topology.model import Ints

#: Tensor, context, expert, data and pipeline parallel; inner ranks first.
DIMENSIONS = ("tp", "cp", "ep", "dp", "pp")


@dataclass(frozen=True)
class Layout:
    """Sizes of the dimensions.

    Parameters
    ----------
    sizes : mapping
        Size of each dimension, >= 1; one that is missing is 1. ``dp`` counts whole replicas, and
        ``ep`` divides it.
    weights : mapping
        Bytes, or shares, that a rank sends in each dimension in a step; empty weighs all
        dimensions that leave a host the same.
    """

    sizes: Mapping[str, int]
    weights: Mapping[str, float] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((frozenset(self.sizes.items()), frozenset(self.weights.items())))

    def __str__(self) -> str:
        return ",".join(f"{name}={self.sizes[name]}" for name in DIMENSIONS if name in self.sizes)

    def check(self, nodes: int, gpus_per_node: int) -> None:
        """Check that the layout is one of a job.

        Raises
        ------
        ValueError
            When the sizes do not multiply to the number of ranks, or weights are of others.
        """
        tp, cp, ep, dp, pp = (self.sizes.get(name, 1) for name in DIMENSIONS)
        ranks = nodes * gpus_per_node
        if prod((tp, cp, dp, pp)) != ranks:
            raise ValueError(
                f"tp x cp x dp x pp = {tp} x {cp} x {dp} x {pp} = {tp * cp * dp * pp}, but "
                f"{counted(nodes, 'node')} with {counted(gpus_per_node, 'GPU')} "
                f"{noun(nodes, 'is', 'are')} {counted(ranks, 'rank')}"
            )
        if dp % ep:
            raise ValueError(f"ep={ep} does not divide dp={dp}")
        if other := [name for name in self.weights if name not in self.sizes]:
            raise ValueError(f"bytes of {other[0]}, which the layout does not have")

    def communicators(self, nodes: int, gpus_per_node: int) -> dict[str, Ints]:
        """Return the host of each rank of each communicator, by dimension.

        Returns
        -------
        dict of array of int, shape (communicators, ranks of one)
            Dimensions of size 1 are missing.

        Raises
        ------
        ValueError
            As `check`.
        """
        self.check(nodes, gpus_per_node)
        tp, cp, ep, dp, pp = (self.sizes.get(name, 1) for name in DIMENSIONS)
        host = (np.arange(nodes * gpus_per_node) // gpus_per_node).reshape(pp, dp // ep, ep, cp, tp)
        whole = host.reshape(pp, dp, cp, tp)
        return {
            name: np.moveaxis(cube, axis, -1).reshape(-1, cube.shape[axis])
            for name, cube, axis in (
                ("tp", whole, 3),
                ("cp", whole, 2),
                ("ep", host, 2),
                ("dp", whole, 1),
                ("pp", whole, 0),
            )
            if cube.shape[axis] > 1
        }
