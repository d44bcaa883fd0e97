"""QOS005: PFC is on at both ends of a cable or at neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS005")
class PfcOneEnd(ModelRule):
    """PFC is on at both ends of a cable or at neither."""

    why = "The end without PFC ignores pauses from the other end, which then drops frames."
    source = "IEEE 802.1Q-2018 clause 36.1"
    guards = ("lossless.pfc",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ends of every cable."""
        for wrong in model.mismatches("pfc"):
            here, there = ("on" if value else "off" for value in (wrong.here, wrong.there))
            yield self.finding(
                f"PFC is {here} here and {there} at the other end of the cable",
                "set pfc to the same value at both ends",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )
