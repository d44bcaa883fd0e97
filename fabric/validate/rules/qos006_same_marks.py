"""QOS006: both ends of a cable use the same DSCPs and the same PFC priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS006")
class SameMarks(ModelRule):
    """Both ends of a cable use the same DSCPs and the same PFC priority."""

    why = (
        "A packet that changes class on its way leaves the lossless path and is dropped"
        " under congestion."
    )
    source = (
        "IEEE 802.1Q-2018 clause 36; RFC 2474 section 3; NVIDIA, Recommended Network "
        "Configuration Examples for RoCE"
    )
    guards = ("lossless.roce_dscp", "lossless.cnp_dscp", "lossless.pfc_priority")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ends of every cable."""
        for wrong in model.mismatches("roce_dscp", "cnp_dscp", "pfc_priority"):
            yield self.finding(
                f"{wrong.field} is {wrong.here} here and {wrong.there} at the other end of "
                "the cable",
                f"use the same {wrong.field} on hosts, leaves and spines",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )
