"""HST013: nICs whose link layer is not RoCE get no lossless configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


#: A port of InfiniBand has no link to a switch of Ethernet; LINK_TYPE_P1 2 is Ethernet (mlxconfig).
FIXES = {
    "infiniband": "set the ports to Ethernet (LINK_TYPE_P1=2 of mlxconfig), or exclude the hosts"
}


@rules.add("HST013")
class LinkLayer(ModelRule):
    """NICs whose link layer is not RoCE get no lossless configuration."""

    severity = Severity.WARNING
    why = (
        "PFC, DSCP maps and DCQCN have no use on another link layer, or harm it; the host"
        " gets only its addresses."
    )
    source = (
        "InfiniBand Architecture Specification 1.4 section 7.9 (credits); RFC 5040 and RFC 5044 "
        "(iWARP over TCP); InfiniBand Architecture Specification annex A17 (RoCEv2)"
    )
    guards = ("host.nic.link_layer",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            reason = kind.host.no_lossless
            if reason:
                yield self.finding(
                    f"no lossless configuration for {kind.subject}: {reason}",
                    FIXES.get(kind.host.traits.nic.link_layer, ""),
                    place=traits_place(model, kind.host.name, "nic", "link_layer"),
                    device=kind.host.name,
                )
