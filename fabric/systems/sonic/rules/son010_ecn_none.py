"""SON010: WRED of a lossless queue marks and does not drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON010")
class EcnNone(SonicRule):
    """WRED of a lossless queue marks and does not drop."""

    why = "With ecn_none, the default, the thresholds drop packets instead of marking them."
    source = (
        "sonic-net/sonic-buildimage sonic-wred-profile.yang; sonic-net/sonic-swss "
        "orchagent/qosorch.cpp"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the ecn field of every profile that is on."""
        for name, profile in config.rows("WRED_PROFILE").items():
            on = [
                colour
                for colour in ("green", "yellow", "red")
                if str(profile.get(f"wred_{colour}_enable")).lower() == "true"
            ]
            ecn = str(profile.get("ecn", "ecn_none"))
            if on and ecn == "ecn_none":
                yield self.finding(
                    f"WRED profile {name} is enabled for {', '.join(on)} with ecn_none, so it "
                    "drops",
                    "set ecn to ecn_all",
                    device=config.device,
                )
