"""HST018: hosts forget a neighbour before their leaf forgets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import ms_to_s
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: An entry is reachable for up to this times base_reachable_time.
MOST = 1.5


@rules.add("HST018")
class NeighbourAges(ModelRule):
    """Neighbour entries expire on hosts before they expire on the leaf."""

    severity = Severity.WARNING
    why = (
        "If the leaf entry expires first, the leaf must resolve a silent host again; "
        "RDMA packets to it wait, or are flooded."
    )
    source = (
        "Linux Documentation/networking/ip-sysctl.rst (base_reachable_time_ms, gc_stale_time); RFC"
        " 4861 section 6.3.4 (the factor 0.5 to 1.5)"
    )
    guards = ("arp.timeout_s",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the longest age on hosts with the timeout of the leaves."""
        hosts = model.hosts.values()
        ages = {(h.base_reachable_time_ms, h.gc_stale_time_s): h.name for h in reversed([*hosts])}
        arp_s = min(
            (d.neighbours.arp_timeout_s for d in model.devices.values() if d.vlans), default=0
        )
        for (reachable_ms, stale_s), host in ages.items():
            age_s = MOST * ms_to_s(reachable_ms) + stale_s
            if arp_s and age_s >= arp_s:
                yield self.finding(
                    f"hosts keep a neighbour for up to {age_s:g} s, leaves for {arp_s} s",
                    "increase arp.timeout_s",
                    place=model.place("arp", "timeout_s"),
                    device=host,
                )
