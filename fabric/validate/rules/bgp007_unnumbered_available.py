"""BGP007: sessions without addresses are asked for only where they are rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.features import missing
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("BGP007")
class UnnumberedAvailable(ModelRule):
    """Unnumbered BGP sessions are used only where rocefab renders them."""

    why = "A session comes up only if both ends are unnumbered."
    source = (
        "RFC 8950; Juniper/yang protocols (peer-auto-discovery: not rendered); Cisco Nexus 9000 "
        "(neighbor by interface: the whole session is not confirmed)"
    )
    guards = ("bgp.peering",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for platforms that need addresses."""
        for name, device in model.devices.items():
            for one in missing(device):
                if one.feature.rule == self.id:
                    yield self.finding(
                        one.message,
                        "set bgp.peering to numbered",
                        place=model.place("bgp", "peering"),
                        device=name,
                    )
