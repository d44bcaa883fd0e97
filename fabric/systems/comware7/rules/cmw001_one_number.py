"""CMW001: on Comware 7 a class has one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

CLASSES = (("traffic_class", "queue", "pfc_priority"), ("cnp_traffic_class", "cnp_queue"))


@rules.add("CMW001")
class OneNumber(ModelRule):
    """On Comware 7 a traffic class uses one number for queue and priority."""

    why = (
        "Local precedence n maps to queue n, and PFC works on 802.1p priorities only: if "
        "they differ, RoCE data is paused as another class or not at all."
    )
    source = (
        "H3C configuration guide, Configuring PFC (no-drop by 802.1p priority, restriction on the"
        " map dot1p-lp)"
    )
    guards = (
        "lossless.traffic_class",
        "lossless.queue",
        "lossless.pfc_priority",
        "lossless.cnp_traffic_class",
        "lossless.cnp_queue",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the numbers of both classes of every policy on Comware 7."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "comware7" else ():
                for fields in CLASSES:
                    numbers = {field: getattr(profile, field) for field in fields}
                    if len(set(numbers.values())) == 1:
                        continue
                    places = [model.profile_place(field, device, profile) for field in fields]
                    listed = ", ".join(f"{field} {number}" for field, number in numbers.items())
                    yield self.finding(
                        f"{listed}: Comware 7 has one number for all of them",
                        "use the same number for all of them",
                        place=max(places, key=lambda place: place.specific),
                        device=device.name,
                    )
