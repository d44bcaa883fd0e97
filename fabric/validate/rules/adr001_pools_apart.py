"""ADR001: address pools do not overlap."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ADR001")
class PoolsApart(ModelRule):
    """Address pools do not overlap."""

    why = "Two devices get the same address, or a route to one pool also covers the other."
    source = "RFC 4632 section 5 (longest match)"
    guards = (
        "addressing.loopbacks",
        "addressing.uplinks",
        "addressing.core_links",
        "addressing.hosts",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the pools with each other."""
        pools = model.intent.fabric.addressing
        for first, second in combinations(("loopbacks", "uplinks", "core_links", "hosts"), 2):
            one, other = getattr(pools, first), getattr(pools, second)
            if one and other and one.overlaps(other):
                yield self.finding(
                    f"addressing.{second} {other} overlaps addressing.{first} {one}",
                    "use separate pools",
                    place=model.place("addressing", second),
                )
