"""SON021: all ports pause the same priorities."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON021")
class SamePriorities(SonicRule):
    """All ports pause the same priorities."""

    why = (
        "A pause for a priority that the next hop does not pause has no effect, and frames are "
        "dropped."
    )
    source = "IEEE 802.1Q-2018 clause 36"
    guards = ("lossless.pfc", "lossless.pfc_priority")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare pfc_enable of the lossless ports."""
        common = Counter(port.priorities for port in config.lossless_ports).most_common(1)
        for port in config.lossless_ports:
            if port.priorities != common[0][0]:
                yield self.finding(
                    f"pfc_enable {port.qos['pfc_enable']}, other ports have "
                    f"{','.join(map(str, common[0][0]))}",
                    "pause the same priorities on all ports",
                    device=config.device,
                    port=port.name,
                )
