"""QOS029: marking begins above one bandwidth-delay product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import gbps_to_bytes_per_s, s_to_us
from fabric.qos.path import longest_path, round_trip_s
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS029")
class KminPath(ModelRule):
    """Marking starts above one bandwidth-delay product."""

    severity = Severity.INFO
    why = "With a lower Kmin, a few flows slow down more often than they can fill the port again."
    source = (
        "Zhu et al., ECN or Delay, CoNEXT 2016; alibaba-edu/High-Precision-Congestion-Control "
        "9f4be2a9 (Kmin 4 KB for each Gb/s)"
    )
    guards = ("lossless.ecn.kmin_bytes", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin of each policy with the longest modelled path at the speed of its port."""
        hops = longest_path(model.fabric)
        seen = set()
        for kind in model.lossless_kinds if hops else ():
            profile = kind.port.qos
            assert profile
            key = (profile.kmin_bytes, kind.headroom.speed_gbps, kind.device.role)
            round_trip = round_trip_s(hops)
            delay = gbps_to_bytes_per_s(kind.headroom.speed_gbps) * round_trip
            if profile.kmin_bytes >= delay or key in seen:
                continue
            seen.add(key)
            yield self.finding(
                f"ecn.kmin_bytes {profile.kmin_bytes:,} is below the {delay:,.0f} bytes that a "
                f"{kind.headroom.speed_gbps}G port carries in one round trip of "
                f"{s_to_us(round_trip):.1f} us",
                "`rocefab show ecn --recommend` shows values for this path; vendor defaults "
                "are lower, which keeps queues short but costs throughput with few flows",
                place=model.profile_place("ecn.kmin_bytes", kind.device, profile),
                device=kind.device.name,
                port=kind.port.name,
            )
