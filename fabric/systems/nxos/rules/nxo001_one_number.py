"""NXO001: on NX-OS the lossless class has one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

FIELDS = ("traffic_class", "queue", "pfc_priority")


@rules.add("NXO001")
class OneNumber(ModelRule):
    """On NX-OS the lossless class has one number."""

    why = (
        "qos-group n maps to queue n and to class nq n of network-qos; a different PFC priority "
        "can collide with a second class, and then both are paused."
    )
    source = "Cisco Nexus 9000 QoS configuration guide 10.5(x), PFC; paregupt/nx-os @ ad8128f3"
    guards = ("lossless.traffic_class", "lossless.queue", "lossless.pfc_priority")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the three numbers of every policy on NX-OS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "nxos" else ():
                numbers = {field: getattr(profile, field) for field in FIELDS}
                if len(set(numbers.values())) == 1:
                    continue
                places = [model.profile_place(field, device, profile) for field in FIELDS]
                listed = ", ".join(f"{field} {number}" for field, number in numbers.items())
                yield self.finding(
                    f"{listed}: NX-OS has one number for all three",
                    "use the same number for all three",
                    place=max(places, key=lambda place: place.specific),
                    device=device.name,
                )
