"""QOS061: no single failure makes lossless buffers wait for each other in a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.deadlock import prove
from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS061")
class NoDeadlockAfterFailure(ModelRule):
    """No single failure causes a cyclic buffer dependency.

    Looks at the failure of each cable between switches and of each switch, unless the routing
    has a cycle without any failure (QOS060).
    """

    severity = Severity.WARNING
    why = (
        "Routes around the failure go up again at a leaf, and a pause can deadlock them "
        "permanently."
    )
    source = (
        "Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT "
        "2017; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Prove the routing after each failure free of cycles, or name one."""
        proof = prove(model.fabric, model.resolver)
        cycle = proof.cycle
        if cycle is None or not proof.failure:
            return
        spines = [c.source for c in cycle.channels if model.devices[c.source].role != "leaf"]
        places = [switch_place(model.intent, spine, "asn") for spine in spines]
        place, spine = next(((p, s) for p, s in zip(places, spines, strict=True) if p), (None, ""))
        yield self.finding(
            f"when {proof.failure} fails, there is a cyclic buffer dependency: {cycle}",
            f"{model.one_spine_asn}, or enable the missing uplinks",
            place=place or model.place("bgp", "spine_asn"),
            device=spine,
        )
