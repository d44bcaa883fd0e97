"""Rules about capacity and reachable pairs (TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.topology.clos import clos
from fabric.topology.partition import cut_pairs
from fabric.topology.paths import Layers
from fabric.validate.capacity import switch_gbps
from fabric.validate.origins import uplinks_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.model import Fabric
    from fabric.validate.world import Model


#: Switches of a tier, what is below and above, and what to do.
_TIERS = (
    (
        "leaves",
        "hosts",
        "spines",
        "add spines or links_per_leaf if collectives cross leaves",
    ),
    (
        "spines",
        "leaves",
        "super-spines",
        "add super-spines or links_per_spine if collectives cross pods",
    ),
)


@rules.add("TOP014")
class Oversubscription(ModelRule):
    """Uplinks are not oversubscribed."""

    severity = Severity.INFO
    why = "Above 1:1 collectives across leaves run below NIC speed, and congestion is frequent."
    source = "NVIDIA DGX SuperPOD reference architecture (non-blocking compute fabric)"
    guards = (
        "spines.links_per_leaf",
        "spines.count",
        "super_spines.count",
        "super_spines.links_per_spine",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the enabled cables on both sides of each switch, tier by tier."""
        switches, (down, up) = model.fabric.switches, switch_gbps(model.fabric)
        for tier, (kind, below, above, fix) in enumerate(_TIERS):
            rows = switches.of_tier(tier)
            over = rows[(up[rows] > 0) & (up[rows] < down[rows])]
            if not len(over):
                continue
            worst = int(over[np.argmax(down[over] / up[over])])
            yield self.finding(
                f"oversubscribed {kind}: {len(over)}, at most "
                f"{down[worst] / up[worst]:.2f}:1 ({down[worst]:,} Gb/s to {below}, "
                f"{up[worst]:,} Gb/s to {above})",
                fix,
                place=model.above_place(tier),
                device=switches.names[worst],
                is_example=True,
            )


@rules.add("TOP026")
class ReachablePairs(ModelRule):
    """Leaves connected by the design can reach each other.

    Spines join all leaves of their plane; with `design: explicit`, rails that no cable joins may
    stay apart, as in a rail-only fabric. BGP is followed as it decides, AS loops included.
    """

    why = "Jobs whose hosts are on both sides hang at their first collective."
    source = "RFC 7938 section 5; RFC 4271 section 9.1.2 (a path with the own AS is rejected)"
    guards = (
        "bgp.spine_asn",
        "bgp.allowas_in",
        "devices.asn",
        "devices.ports.enabled",
        "devices.ports.peer",
        "spines.count",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Follow the routes between all leaves that have NICs."""
        fabric = model.fabric
        if not len(fabric.uplinks):
            return  # nothing joins leaves: TOP022 says what that means
        cut = cut_pairs(fabric)
        if not cut.any():
            return
        lonely = int(np.argmax(cut.sum(axis=1)))
        other = int(np.argmax(cut[lonely]))
        names, pairs = fabric.switches.names, int(cut.sum()) // 2
        yield self.finding(
            f"{names[lonely]} and {names[other]} have no route to each other{_others(pairs - 1)}",
            _fix(fabric, lonely, other),
            place=uplinks_place(fabric, lonely, "enabled", "peer")
            or model.place("bgp", "spine_asn"),
            device=names[lonely],
        )


def _others(pairs: int) -> str:
    if not pairs:
        return ""
    verb = "has" if pairs == 1 else "have"
    return f". {counted(pairs, 'other pair', 'other pairs')} of leaves {verb} none either"


def _fix(fabric: Fabric, lonely: int, other: int) -> str:
    asn = fabric.switches.asn
    if asn[lonely] == asn[other] and not fabric.intent.fabric.bgp.allowas_in:
        return f"both have AS {asn[lonely]}: set bgp.allowas_in to 1, or change one AS number"
    switches = fabric.switches
    for leaf in (lonely, other):
        if asn[leaf] in asn[switches.tier > 0]:
            return f"{switches.names[leaf]} has AS {asn[leaf]}, as a spine has: change one of them"
    above = Layers.of(clos(fabric)).above[1:]
    if any((tier[lonely] & tier[other]).any() for tier in above):
        return "change the AS numbers of the switches between them: one drops the routes of another"
    return "connect both to a common spine"
