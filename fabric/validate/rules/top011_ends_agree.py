"""TOP011: overrides at the two ends of a cable agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import cable_ends
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.origins import Place
    from fabric.validate.world import Model


@rules.add("TOP011")
class EndsAgree(ModelRule):
    """Overrides at the two ends of a cable agree."""

    why = "A cable has one speed and one length; if the ends differ, one value is wrong."
    source = "IEEE 802.3 clause 73 (no common speed, no link)"
    guards = ("devices.ports.speed_gbps", "devices.ports.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the speeds and lengths that overrides give to the same cable."""
        for field in ("speed_gbps", "cable_m"):
            known: dict[tuple[str, int], tuple[int, Place]] = {}
            for cable, value, place in cable_ends(model.fabric, field):
                other, _ = known.setdefault(cable, (value, place))
                if other != value:
                    yield self.finding(
                        f"{field} is {value} here and {other} in the override of the other end",
                        "set the same value at both ends, or at one end only",
                        place=place,
                    )
