"""SON017: DSCP maps contain all 64 code points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

DSCPS = range(64)
MOST_NAMED = 5


@rules.add("SON017")
class DscpTotal(SonicRule):
    """DSCP maps contain all 64 code points."""

    severity = Severity.WARNING
    why = (
        "A code point that is not in the map gets the vendor's default class, which may be a "
        "lossless one."
    )
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp; RFC 2474 section 3"
    guards = ("lossless.roce_dscp", "lossless.cnp_dscp")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Count the code points of every map."""
        for name in config.rows("DSCP_TO_TC_MAP"):
            known = config.mapping("DSCP_TO_TC_MAP", name) or {}
            missing = [dscp for dscp in DSCPS if dscp not in known]
            if missing:
                few = ", ".join(map(str, missing[:MOST_NAMED])) + (
                    " ..." if len(missing) > MOST_NAMED else ""
                )
                yield self.finding(
                    f"DSCP map {name} lacks {len(missing)} of 64 code points: {few}",
                    "map the missing ones to traffic class 0",
                    device=config.device,
                )
