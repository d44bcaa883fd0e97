"""What the hosts of a job send to each other, by collective and by parallel layout.

Volumes are relative: the host that sends most sends 1, which is its NICs at line rate. So a link
whose load is 2 makes a step take twice as long as the NICs alone would.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.layout import DIMENSIONS, Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.model import Ints

    Floats = NDArray[np.float64]


class Collective(StrEnum):
    """How the members of a communicator exchange data."""

    RING = "ring"
    TREE = "tree"
    ALL_TO_ALL = "all-to-all"
    PIPELINE = "pipeline"


#: Other names of a collective: NCCL gathers and scatters along its rings (NCCL, src/device).
SYNONYMS = {
    "all-reduce": Collective.RING,
    "all-gather": Collective.RING,
    "reduce-scatter": Collective.RING,
    "a2a": Collective.ALL_TO_ALL,
}


@dataclass(frozen=True)
class Traffic:
    """What a job sends in a step.

    Parameters
    ----------
    shares : tuple of (Collective, float)
        Share of each collective among all hosts, > 0; unused where there is a layout.
    layout : Layout or None
        Parallel layout of the ranks, which makes communicators of its own.
    pxn : bool
        Whether an all-to-all is relayed over NVLink to the rail of its receiver (NCCL's PXN).
    """

    shares: tuple[tuple[Collective, float], ...]
    layout: Layout | None = None
    pxn: bool = True

    def __str__(self) -> str:
        if self.layout:
            return str(self.layout)
        if len(self.shares) == 1:
            return self.shares[0][0].value
        return ",".join(f"{kind.value}:{share:g}" for kind, share in self.shares)


RING = Traffic(((Collective.RING, 1.0),))


def parse_traffic(text: str) -> Traffic:
    """Return the traffic of ``ring``, or of a mix such as ``ring:3,all-to-all:1``.

    Raises
    ------
    ValueError
        When a name is unknown, doubled, or a share is not a positive number.
    """
    names = {one.value: one for one in Collective} | SYNONYMS
    shares: dict[Collective, float] = {}
    for item in text.split(","):
        name, _, share = item.strip().partition(":")
        if name not in names:
            raise ValueError(f"unknown collective {name[:40]!a}")
        if names[name] in shares:
            raise ValueError(f"{names[name].value} is named twice")
        shares[names[name]] = _positive(share or "1", name)
    return Traffic(tuple(shares.items()))


def dimensions(text: str, *, whole: bool = False) -> dict[str, float]:
    """Return the values of ``tp=8,pp=4,dp=16``: sizes, or bytes and shares.

    Raises
    ------
    ValueError
        When a dimension is unknown or doubled, or a value is not a positive number.
    """
    values: dict[str, float] = {}
    for item in text.split(","):
        name, equals, value = item.strip().partition("=")
        if name not in DIMENSIONS or not equals:
            known = ", ".join(DIMENSIONS)
            raise ValueError(f"{item[:40]!a} is none of {known}, with = and a number")
        if name in values:
            raise ValueError(f"{name} is named twice")
        values[name] = _positive(value, name)
        if whole and values[name] != int(values[name]):
            raise ValueError(f"{name}={value[:40]} is not a whole number")
    return values


def _positive(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise ValueError(f"{text[:40]!a} of {name} is not a positive number")
    return value


@dataclass(frozen=True, eq=False)
class Exchange:
    """The traffic of one collective of a job of n hosts, numbered in rank order.

    Parameters
    ----------
    kind : Collective
        How the members exchange data.
    weight : float
        What the host that sends most sends.
    members : array of int, shape (communicators, ranks)
        Host of each rank of each communicator.
    """

    kind: Collective
    weight: float
    members: Ints


def exchanges(traffic: Traffic, nodes: int, gpus_per_node: int) -> list[Exchange]:
    """Return the exchanges of a job; their weights sum up to 1.

    Raises
    ------
    ValueError
        When the layout does not multiply to the ranks of the job.
    """
    if traffic.layout is None:
        hosts = np.arange(nodes)[None, :]
        total = sum(share for _, share in traffic.shares)
        return [Exchange(kind, share / total, hosts) for kind, share in traffic.shares]
    groups = traffic.layout.communicators(nodes, gpus_per_node)
    crossing = {name: hosts for name, hosts in groups.items() if (hosts != hosts[:, :1]).any()}
    given = traffic.layout.weights
    weights = {name: given.get(name, 0.0) if given else 1.0 for name in crossing}
    total = sum(weights.values()) or 1.0
    kinds = {"ep": Collective.ALL_TO_ALL, "pp": Collective.PIPELINE}
    return [
        Exchange(kinds.get(name, Collective.RING), weights[name] / total, hosts)
        for name, hosts in crossing.items()
        if weights[name]
    ]
