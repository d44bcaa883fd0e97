"""JUN008: on Junos the hold time of BGP is three keepalives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

KEEPALIVES = 3


@rules.add("JUN008")
class Keepalive(ModelRule):
    """On Junos the hold time of BGP is three keepalives."""

    severity = Severity.WARNING
    why = (
        "Only the hold time is configured; with another ratio the two ends use "
        "different keepalives."
    )
    source = (
        "juniper.net CLI reference hold-time, edit protocols bgp (three times the keepalive, "
        "at least 3 s)"
    )
    guards = ("bgp.keepalive_s", "bgp.hold_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two times where some switch runs Junos."""
        bgp = model.intent.fabric.bgp
        name = next((d.name for d in model.devices.values() if d.platform == "junos"), "")
        if name and bgp.hold_s != KEEPALIVES * bgp.keepalive_s:
            yield self.finding(
                f"bgp.hold_s {bgp.hold_s} is not three times keepalive_s {bgp.keepalive_s}, "
                f"which Junos assumes",
                f"set hold_s to {KEEPALIVES * bgp.keepalive_s}",
                place=model.place("bgp", "hold_s"),
                device=name,
            )
