"""BGP001: The BGP hold time is at least three keepalives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("BGP001")
class HoldTime(ModelRule):
    """The BGP hold time is at least three keepalives."""

    why = "With a shorter hold time, one lost keepalive tears down the session."
    source = "RFC 4271 section 4.4"
    guards = ("bgp.keepalive_s", "bgp.hold_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two timers."""
        bgp = model.intent.fabric.bgp
        if bgp.hold_s < 3 * bgp.keepalive_s:
            yield self.finding(
                f"bgp.hold_s {bgp.hold_s} is below three times bgp.keepalive_s {bgp.keepalive_s}",
                f"use at least {3 * bgp.keepalive_s}",
                place=model.place("bgp", "hold_s"),
            )
