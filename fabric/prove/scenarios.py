"""Failures that a proof tries one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.clos import Outage, clos
from fabric.topology.outages import FORMS, outage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.topology.model import Fabric

#: Kinds of failures, and what each tries.
KINDS = {
    "spine": "every switch above the leaves",
    "link": "one cable of every switch above the leaves",
    "leaf": "every leaf",
}


def scenarios(fabric: Fabric, kinds: Sequence[str]) -> Iterator[tuple[str, Outage]]:
    """Yield the failures of some kinds, in words and as an outage.

    Parameters
    ----------
    kinds : sequence of str
        Keys of ``KINDS``, or words of `rocefab whatif` such as ``switch:spine01``.
    """
    for kind in kinds:
        if kind in KINDS:
            yield from _of_kind(fabric, kind)
        else:
            yield kind, outage(fabric, [kind], f"{', '.join(KINDS)}, {FORMS}")


def _of_kind(fabric: Fabric, kind: str) -> Iterator[tuple[str, Outage]]:
    network, switches, up = clos(fabric), fabric.switches, fabric.uplinks
    if kind == "link":
        cables = np.flatnonzero(up.enabled)
        _, first = np.unique(up.upper[cables], return_index=True)
        for row in cables[first].tolist():
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
