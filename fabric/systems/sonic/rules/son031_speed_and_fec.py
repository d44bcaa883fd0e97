"""SON031: ports have a speed and the FEC that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms.breakout import parse_mode
from fabric.validate.rule import SonicModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.platforms.model import Sku
    from fabric.validate.world import SonicConfig


#: From here on every lane is PAM4, and RS(544,514) is part of the PCS.
_RS_FEC_MBPS = 200_000


@rules.add("SON031")
class SpeedAndFec(SonicModelRule):
    """Ports have a speed that the model offers, and the FEC that it requires."""

    why = "Without FEC a PAM4 link does not come up, or loses frames that PFC cannot protect."
    source = (
        "IEEE 802.3-2022 clause 119 (200G and 400G), 802.3df clause 172 (800G); sonic-net/"
        "sonic-buildimage src/sonic-yang-models/yang-models/sonic-port.yang (speed is mandatory)"
    )
    judges_rendered = False
    guards = ("speeds.host_gbps", "speeds.uplink_gbps")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at speed and FEC of the lossless ports."""
        model = self.model(config)
        known = _speeds_mbps(model) if model else set()
        for port in config.lossless_ports:
            row = config.rows("PORT").get(port.name)
            if row is None:
                continue
            speed, fec = config.speed_mbps(port.name), str(row.get("fec", ""))
            if speed is None or (known and speed not in known):
                yield self.at(
                    config,
                    ("PORT", port.name, "speed"),
                    f"speed {row.get('speed', '(none)')} is not offered by the model",
                    "use a speed in Mb/s that the model offers",
                    port=port.name,
                )
            elif speed >= _RS_FEC_MBPS and fec in {"", "none", "fc"}:
                yield self.at(
                    config,
                    ("PORT", port.name, "fec"),
                    f"fec {fec or '(none)'} at {speed // 1000}G",
                    "set fec rs",
                    port=port.name,
                    severity=None if fec else Severity.WARNING,
                )


def _speeds_mbps(model: Sku) -> set[int]:
    """Return the speeds of whole and of split cages."""
    parts = (speed for word in model.breakouts for speed in parse_mode(word).speeds_gbps)
    return {gbps * 1000 for gbps in (*model.speeds_gbps, *parts)}
