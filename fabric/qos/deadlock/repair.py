"""What would free a fabric of cyclic dependencies, tried before it is advised.

One AS number for all spines (of each pod) ends every bounce, since a spine then refuses a path that
went over another spine (RFC 7938 section 5.2.1). It also takes the route from two leaves that have
no spine in common. So each change is made on a copy of the fabric, which is proved and routed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.deadlock.proof import prove
from fabric.topology.clos import clos
from fabric.topology.partition import cut_pairs, promised, reached
from fabric.topology.singles import SingleFailures

if TYPE_CHECKING:
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric, Ints


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that was tried, and what it does.

    Parameters
    ----------
    one_asn : bool
        Whether the spines of each pod, and the super-spines, get one AS number.
    cables_on : int
        Cables that are switched on.
    free : bool
        Whether no cycle is left, now and after each single failure, and no leaf is between spines.
    cut : tuple of str
        Two leaves that are meant to reach each other and no longer do; empty when there are none.
    cut_pairs : int
        How many such pairs there are.
    critical_cables : int
        Cables of which each alone cuts two leaves when it fails.
    """

    one_asn: bool
    cables_on: int
    free: bool
    cut: tuple[str, str] | tuple[()]
    cut_pairs: int
    critical_cables: int

    @property
    def works(self) -> bool:
        """Whether it frees the fabric and takes no route."""
        return self.free and not self.cut_pairs


def repairs(fabric: Fabric, resolver: PolicyResolver) -> tuple[Repair, ...]:
    """Return what was tried, up to the first change that works: AS numbers, cables, both."""
    tried: list[Repair] = []
    off = int((~fabric.uplinks.enabled).sum())
    for one_asn, cables_on in ((True, 0), *(((False, off), (True, off)) if off else ())):
        tried.append(_tried(fabric, resolver, one_asn=one_asn, cables_on=cables_on))
        if tried[-1].works:
            break
    return tuple(tried)


def _tried(fabric: Fabric, resolver: PolicyResolver, *, one_asn: bool, cables_on: int) -> Repair:
    changed = fabric
    if one_asn:
        changed = replace(changed, switches=replace(changed.switches, asn=shared_asn(fabric)))
    if cables_on:
        every = np.ones_like(fabric.uplinks.enabled)
        changed = replace(changed, uplinks=replace(changed.uplinks, enabled=every))
    proof = prove(changed, resolver)
    cut = promised(changed) & reached(fabric) & cut_pairs(changed)
    first = np.argwhere(cut)[:1].tolist()
    names = fabric.switches.names
    return Repair(
        one_asn=one_asn,
        cables_on=cables_on,
        free=proof.free and proof.bounce is None,
        cut=(names[first[0][0]], names[first[0][1]]) if first else (),
        cut_pairs=int(cut.sum()) // 2,
        critical_cables=int((SingleFailures(clos(changed)).cables().leaf_pairs > 0).sum()),
    )


def shared_asn(fabric: Fabric) -> Ints:
    """Return the AS numbers with one for the spines of each pod, and one for the super-spines.

    Without pods that is ``bgp.spine_asn``, else the number of the first switch.
    """
    switches = fabric.switches
    asn = switches.asn.copy()
    above = np.flatnonzero(switches.tier > 0)
    for tier, pod in np.unique(np.stack([switches.tier, switches.pod])[:, above], axis=1).T:
        rows = above[(switches.tier[above] == tier) & (switches.pod[above] == pod)]
        podless = tier == 1 and pod < 0
        asn[rows] = fabric.intent.fabric.bgp.spine_asn if podless else asn[rows[0]]
    return asn
