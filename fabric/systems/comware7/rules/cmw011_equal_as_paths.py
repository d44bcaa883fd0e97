"""CMW011: comware 7 shares load among paths of one AS alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW011")
class EqualAsPaths(ModelRule):
    """Comware 7 balances load only between paths with the same AS path."""

    why = (
        "Two routes share load only if their AS paths are the same; with two spine "
        "AS numbers one route carries all traffic, and ignoring AS paths can cause loops."
    )
    source = (
        "grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, balance and balance as-path-neglect"
    )
    guards = ("devices.asn", "bgp.max_paths")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the AS numbers of the neighbours above every Comware 7 switch."""
        for device in model.devices.values():
            asns = sorted({peer.asn for peer in device.above})
            if device.platform == "comware7" and len(asns) > 1:
                other = next(p.name for p in device.above if p.asn != asns[0])
                yield self.finding(
                    f"its spines have the AS numbers {', '.join(map(str, asns))}",
                    "use the same AS number for all spines",
                    place=switch_place(model.intent, other, "asn") or model.place("bgp"),
                    device=device.name,
                )
