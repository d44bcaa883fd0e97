"""SON009: buffer profiles have one threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

#: Range of dynamic_th (sonic-net/sonic-buildimage sonic-buffer-profile.yang).
LOWEST, HIGHEST = -8, 7


@rules.add("SON009")
class OneThreshold(SonicRule):
    """Buffer profiles have one threshold."""

    why = "With neither dynamic_th nor static_th, or with both, the daemon rejects the profile."
    source = "sonic-net/sonic-swss orchagent/bufferorch.cpp"
    guards = ("lossless.dynamic_th",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at both thresholds of every profile."""
        for name, profile in config.profiles.items():
            computed = config.dynamic_buffers and "pool" not in profile
            present = [field for field in ("dynamic_th", "static_th") if field in profile]
            if len(present) != 1 and not (computed and not present):
                yield self.finding(
                    f"buffer profile {name} has {'both' if present else 'neither'} dynamic_th "
                    f"{'and' if present else 'nor'} static_th",
                    "give it exactly one of them",
                    device=config.device,
                )
            alpha = number(profile.get("dynamic_th", 0))
            if alpha is None or not LOWEST <= alpha <= HIGHEST:
                yield self.at(
                    config,
                    ("BUFFER_PROFILE", name, "dynamic_th"),
                    f"dynamic_th {profile['dynamic_th']} of {name} is not from {LOWEST} to "
                    f"{HIGHEST}",
                    "use the exponent of alpha, such as 0",
                )
