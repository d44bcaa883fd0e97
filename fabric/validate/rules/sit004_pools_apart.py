"""SIT004: address pools of the fabrics of a site do not overlap."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fabric.validate.origins import fabric_place
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member

_POOLS = ("loopbacks", "uplinks", "core_links", "hosts")


@rules.add("SIT004")
class SitePoolsApart(SiteRule):
    """Address pools of the fabrics of a site do not overlap."""

    why = (
        "A host in both fabrics sends by source address and replies by longest match: packets "
        "for one fabric leave by the NICs of the other."
    )
    source = "RFC 4632 section 5 (longest match)"
    guards = (
        "addressing.loopbacks",
        "addressing.uplinks",
        "addressing.core_links",
        "addressing.hosts",
    )

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare all pools of one fabric with all of the other."""
        ours, theirs = (one.intent.fabric.addressing for one in (second, first))
        for mine, other in product(_POOLS, _POOLS):
            pool, taken = getattr(ours, mine), getattr(theirs, other)
            if pool and taken and pool.overlaps(taken):
                yield self.finding(
                    f"{pool} overlaps addressing.{other} {taken} of the fabric {first.name}",
                    "use separate pools",
                    place=fabric_place(second.intent, "addressing", mine),
                )
