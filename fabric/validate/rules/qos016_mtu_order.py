"""QOS016: every port carries the largest frame of every host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.qos import ETHERNET_OVERHEAD_BYTES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS016")
class MtuOrder(ModelRule):
    """Every port carries the largest frame of every host."""

    why = (
        "Frames above the port MTU are dropped: the session comes up, but every large message "
        "hangs."
    )
    source = "IEEE 802.3 clause 3.2.7; IEEE 802.1Q clause 9.6"
    guards = ("lossless.mtu.host_bytes", "lossless.mtu.port_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each port MTU with the largest frame of a host."""
        ends = model.host_ends()
        if not ends:
            return
        end = max(ends, key=lambda end: end.policy.mtu.host_bytes)
        host_bytes = end.policy.mtu.host_bytes
        frame = host_bytes + ETHERNET_OVERHEAD_BYTES
        for device in model.devices.values():
            for profile in device.qos_profiles:
                if profile.mtu_bytes < frame:
                    places = (
                        model.profile_place("mtu.port_bytes", device, profile),
                        model.policy_place("mtu.host_bytes", end.device),
                    )
                    yield self.finding(
                        f"mtu.port_bytes {profile.mtu_bytes} does not carry a host packet of "
                        f"{host_bytes} bytes, which needs {frame}",
                        "increase port_bytes or lower host_bytes",
                        place=max(places, key=lambda place: place.specific),
                        device=device.name,
                    )
