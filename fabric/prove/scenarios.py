"""Failures that a proof tries one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.clos import Outage, clos
from fabric.topology.outages import FORMS, outage
from fabric.topology.singles import SingleFailures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric

#: What is also written for a kind.
_PLURALS = {"spines": "spine", "links": "link", "leaves": "leaf"}
#: Kinds of failures, and what each tries.
KINDS = {
    "spine": "every switch above the leaves",
    "link": "of the cables of every switch above the leaves, one for each impact",
    "leaf": "every leaf",
}


def scenarios(fabric: Fabric, kinds: Sequence[str]) -> Iterator[tuple[str, Outage]]:
    """Yield the failures of some kinds, in words and as an outage.

    Parameters
    ----------
    kinds : sequence of str
        Keys of ``KINDS``, their plurals, or words of `rocefab whatif` such as ``switch:spine01``.
    """
    for kind in (_PLURALS.get(kind, kind) for kind in kinds):
        if kind in KINDS:
            yield from _of_kind(fabric, kind)
        else:
            yield kind, outage(fabric, [kind], f"{', '.join(KINDS)}, {FORMS}")


def _of_kind(fabric: Fabric, kind: str) -> Iterator[tuple[str, Outage]]:
    network, switches, up = clos(fabric), fabric.switches, fabric.uplinks
    if kind == "link":
        for row in _unlike_cables(network):
            failure = Outage.none(network)
            failure.cables[row] = True
            lower = int(up.lower[row])
            port = fabric.port_name(lower, int(up.lower_port[row]))
            yield f"link:{switches.names[lower]}:{port}", failure
        return
    leaves = np.arange(len(switches)) < switches.leaf_count
    for row in np.flatnonzero(leaves if kind == "leaf" else ~leaves).tolist():
        failure = Outage.none(network)
        failure.switches[row] = True
        yield f"switch:{switches.names[row]}", failure


def _unlike_cables(network: Clos) -> list[int]:
    """Return a cable of each upper switch for each impact of its cables, the worst first."""
    cables = np.flatnonzero(network.cables.up)
    if not len(cables):
        return []
    impact = SingleFailures(network).cables()
    cut = (impact.leaf_pairs, impact.host_pairs, impact.rails)
    unlike = np.stack([network.cables.upper, *(-column for column in cut)], axis=1)[cables]
    _, first = np.unique(unlike, axis=0, return_index=True)
    rows: list[int] = cables[first].tolist()
    return rows
