"""TOP020: the release of a switch is one that rocefab knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP020")
class ReleaseKnown(ModelRule):
    """The release of a switch is known to rocefab."""

    why = "Syntax and ranges differ between releases; those of another release may be rejected."
    source = (
        "CumulusNetworks/docs content/cumulus-linux-515, New and Changed NVUE Commands; "
        "sonic-net/sonic-buildimage 202405 and master, src/sonic-yang-models"
    )
    guards = ("platforms.leaf.release", "platforms.spine.release", "devices.release")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the release of each switch whose release is said."""
        for device in model.devices.values():
            platform, release = platforms[device.platform], device.sku.release
            if not release or platform.knows(release):
                continue
            known = ", ".join(platform.releases)
            yield self.finding(
                f"{platform.title} {release} is not known"
                if known
                else f"rocefab does not distinguish releases of {platform.title}",
                f"known: {known}" if known else "remove the release",
                place=model.hardware_place(device, "release"),
                device=device.name,
            )
