"""SON035: WRED of a lossless queue marks at the right time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.config_db import Row
    from fabric.validate.world import SonicConfig


@rules.add("SON035")
class Marking(SonicRule):
    """WRED of a lossless queue marks between two thresholds."""

    why = "With a profile that never marks, only PFC slows down the senders."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-wred-profile.yang; "
        "RFC 3168"
    )
    judges_rendered = False
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.ecn.pmax_percent")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the green thresholds of the profile of every lossless queue."""
        profiles = config.rows("WRED_PROFILE")
        for port in config.lossless_ports:
            for queue in port.queues:
                name = str(config.queues.get((port.name, queue), {}).get("wred_profile", ""))
                name = name.strip("[]").rpartition("|")[2]
                message = _wrong(profiles[name]) if name in profiles else ""
                if message:
                    yield self.at(
                        config,
                        ("WRED_PROFILE", name),
                        f"WRED profile {name} of a lossless queue {message}",
                        "set wred_green_enable true, green_min_threshold below "
                        "green_max_threshold, and a green_drop_probability",
                        port=port.name,
                    )


def _wrong(profile: Row) -> str:
    """Return why a profile never marks green packets, or not where it should."""
    low, high = (number(profile.get(f"green_{end}_threshold")) for end in ("min", "max"))
    if str(profile.get("wred_green_enable")).lower() != "true":
        return "marks no green packets"
    if low is None or high is None:
        return "has no green thresholds"
    if low > high:
        return f"begins at {low} and ends at {high}"
    if number(profile.get("green_drop_probability")) == 0:
        return "marks with probability 0"
    return ""
