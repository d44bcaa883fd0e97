"""ECM002: packets that overtake each other are meant to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ECM002")
class Reordering(ModelRule):
    """NICs support out-of-order packets where the fabric causes them."""

    severity = Severity.WARNING
    why = (
        "A NIC that treats reordering as loss retransmits everything: goodput collapses, "
        "and no switch counter shows it."
    )
    source = (
        "NVIDIA Cumulus Linux 5.14 user guide, Adaptive Routing; Juniper/terraform-apstra-examples "
        "@ 28d884d3 ai-cluster-jvd/configlet_dlb.tf"
    )
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Say it once for the fabric."""
        if model.intent.fabric.ecmp.mode == "per-packet":
            yield self.finding(
                "with ecmp.mode per-packet the NICs receive packets out of order",
                "make sure that every NIC supports it (selective repeat), or use flowlet",
                place=model.place("ecmp", "mode"),
            )
