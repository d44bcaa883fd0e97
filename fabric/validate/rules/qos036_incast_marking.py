"""QOS036: the marking band is enough for an incast of all hosts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import gbps_to_bps, share_to_percent
from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.path import ROCE_PACKET_BYTES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS036")
class IncastMarking(ModelRule):
    """The marking band is sufficient for an incast of all hosts."""

    severity = Severity.WARNING
    why = (
        "Flows that need more marking than Pmax push the queue past Kmax, where every "
        "packet is marked and PFC is close."
    )
    source = "Zhu et al., ECN or Delay, CoNEXT 2016 (fixed point of the fluid model)"
    guards = ("lossless.ecn.pmax_percent", "units.hosts", "speeds.host_gbps")

    def check(self, model: Model) -> Iterator[Finding]:
        """Ask the fluid model, with the defaults of ConnectX, for one flow from each other host."""
        flows = len(model.hosts) - 1
        seen = set()
        for kind in model.lossless_kinds if flows > 1 else ():
            profile, speed = kind.port.qos, kind.headroom.speed_gbps
            assert profile
            key = (kind.device.name, profile.index, speed)
            if kind.port.kind != "host" or key in seen:
                continue
            seen.add(key)
            need_percent = _marking_percent(speed, flows)
            if need_percent > profile.pmax_percent:
                yield self.finding(
                    f"an incast of one flow from each of {flows} hosts on a {speed}G port needs a "
                    f"marking of {need_percent:.1f} %; ecn.pmax_percent is {profile.pmax_percent}",
                    "increase ecn.pmax_percent; see `rocefab show ecn --recommend`",
                    place=model.profile_place("ecn.pmax_percent", kind.device, profile),
                    device=kind.device.name,
                    port=kind.port.name,
                )


@lru_cache(maxsize=256)
def _marking_percent(speed_gbps: int, flows: int) -> float:
    point = fixed_point(loop(CONNECTX, gbps_to_bps(speed_gbps), flows, ROCE_PACKET_BYTES))
    return share_to_percent(float(point.marking))
