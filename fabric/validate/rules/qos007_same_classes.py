"""QOS007: switches of one system use the same traffic classes, queues and priority groups."""

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
    """Switches of one system use the same traffic classes, queues and priority groups."""

    severity = Severity.WARNING
    why = (
        "Numbers that differ from hop to hop work in theory and make counters and alarms ambiguous."
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
        """Compare the switches of one system at both ends of cables.

        These numbers never leave a device, and systems keep different queues for themselves.
        """
        fields = ("traffic_class", "queue", "priority_group", "cnp_traffic_class", "cnp_queue")
        for wrong in model.mismatches(*fields):
            ends = (wrong.pair.left.device, wrong.pair.right.device)
            systems = {model.devices[end].platform for end in ends if end in model.devices}
            if wrong.pair.kind == "host" or len(systems) > 1:
                continue
            yield self.finding(
                f"{wrong.field} is {wrong.here} here and {wrong.there} at the other end of "
                "the cable",
                f"use the same {wrong.field} everywhere",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )
