"""NXO009: dynamic load balancing is known to need a release and a reload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("NXO009")
class DlbReload(ModelRule):
    """Dynamic load balancing on NX-OS needs a release and a reload."""

    severity = Severity.WARNING
    why = (
        "The commands are accepted and shown as running, but have no effect until the switch "
        "reloads."
    )
    source = (
        "Cisco Nexus 9000 interfaces guide 10.5 (dlb-interface is reload-pending); Cloud Scale GX "
        "and GX2 from 10.5(1)F"
    )
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Say it where it is rendered."""
        for name, device in model.devices.items():
            if device.platform == "nxos" and device.ecmp_mode != "hash":
                yield self.finding(
                    f"ecmp.mode {device.ecmp_mode} needs NX-OS 10.5(1)F and takes effect only "
                    "after "
                    "the configuration is saved and the switch is reloaded",
                    "plan a reload of these switches",
                    place=model.place("ecmp", "mode"),
                    device=name,
                )
