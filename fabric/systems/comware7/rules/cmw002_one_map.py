"""CMW002: on Comware 7 all ports of a switch have the same map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

FIELDS = ("roce_dscp", "cnp_dscp", "traffic_class", "cnp_traffic_class")


@rules.add("CMW002")
class OneMap(ModelRule):
    """On Comware 7 all ports of a switch use the same QoS map."""

    why = "Map tables apply to the whole switch; a port only selects which mark it trusts."
    source = "grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, qos map-table (system view)"
    guards = (
        "lossless.roce_dscp",
        "lossless.cnp_dscp",
        "lossless.traffic_class",
        "lossless.cnp_traffic_class",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the policies of each Comware 7 switch with its first one."""
        for device in model.devices.values():
            for profile in device.qos_profiles[1:] if device.platform == "comware7" else ():
                base = device.qos_profiles[0]
                if profile.dscp_to_traffic_class == base.dscp_to_traffic_class:
                    continue
                apart = [name for name in FIELDS if getattr(profile, name) != getattr(base, name)]
                yield self.finding(
                    f"{', '.join(apart)} of a port differs from that of the switch",
                    "use the same marks and classes on all ports of the switch",
                    place=model.profile_place(apart[0], device, profile),
                    device=device.name,
                )
