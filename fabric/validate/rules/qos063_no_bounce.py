"""QOS063: no leaf carries traffic from spine to spine."""

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


@rules.add("QOS063")
class NoBounce(ModelRule):
    """No leaf carries traffic from spine to spine.

    Looks at the routing as it is and after every single failure. Where the bounces close a
    cycle, QOS060 or QOS061 says so instead.
    """

    severity = Severity.WARNING
    why = (
        "Such a bounce takes bandwidth that the leaf does not have, and a second one in the "
        "other direction closes a buffer cycle that can deadlock."
    )
    source = (
        "Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT "
        "2017; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a leaf that is in the middle of a path."""
        proof = prove(model.fabric, model.resolver)
        bounce = proof.bounce
        if bounce is None or not proof.free:
            return
        when = f" when {bounce.failure} fails" if bounce.failure else ""
        spines = model.fabric.switches.names[model.fabric.switches.leaf_count :]
        places = (switch_place(model.intent, spine, "asn") for spine in spines)
        yield self.finding(
            f"it carries traffic from spine to spine{when}",
            f"{model.one_spine_asn}, or enable the missing uplinks",
            place=next((p for p in places if p), model.place("bgp", "spine_asn")),
            device=bounce.leaf,
        )
