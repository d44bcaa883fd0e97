"""QOS007: traffic classes, queues and priority groups are the same on every hop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS007")
class SameClasses(ModelRule):
    """Traffic classes, queues and priority groups are the same on every hop."""

    severity = Severity.WARNING
    why = (
        "Numbers that differ from hop to hop work in theory and make every counter and alarm "
        "ambiguous."
    )
    source = (
        "sonic-net/sonic-buildimage files/build_templates/qos_config.j2 (one set of maps for "
        "all ports)"
    )
    guards = (
        "lossless.roce_dscp",
        "lossless.cnp_dscp",
        "lossless.traffic_class",
        "lossless.queue",
        "lossless.priority_group",
        "lossless.cnp_traffic_class",
        "lossless.cnp_queue",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the switches at both ends of cables; hosts have a CNP class only."""
        fields = ("traffic_class", "queue", "priority_group", "cnp_traffic_class", "cnp_queue")
        for wrong in model.mismatches(*fields):
            if wrong.pair.kind == "host" and wrong.field != "cnp_traffic_class":
                continue
            yield self.finding(
                f"{wrong.field} is {wrong.here} here and {wrong.there} at the other end of "
                "the cable",
                f"set {wrong.field} alike everywhere",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )
