"""QOS060: lossless buffers do not wait for each other in a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.deadlock import prove
from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS060")
class NoDeadlock(ModelRule):
    """Lossless buffers have no cyclic dependency.

    Looks at the routing of the inventory as it is; failures are the matter of QOS061.
    """

    why = "Once all buffers of the cycle are paused, none is ever freed: traffic stops permanently."
    source = (
        "Hu et al., Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, "
        "HotNets 2016; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Prove the routing free of cycles, or name one."""
        cycle = prove(model.fabric, model.resolver, failures=False).cycle
        if cycle is None:
            return
        spines = [c.source for c in cycle.channels if model.devices[c.source].role != "leaf"]
        places = [switch_place(model.intent, spine, "asn") for spine in spines]
        place, spine = next(((p, s) for p, s in zip(places, spines, strict=True) if p), (None, ""))
        yield self.finding(
            "leaves carry traffic between spines, which creates a cyclic buffer dependency: "
            f"{cycle}",
            f"{model.one_spine_asn}, or enable the missing uplinks",
            place=place or model.place("bgp", "spine_asn"),
            device=spine,
        )
