"""BGP002: BFD is asked for only where it is rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("BGP002")
class BfdAvailable(ModelRule):
    """BFD is asked for only where it is rendered."""

    severity = Severity.WARNING
    why = "A session needs BFD at both ends; without it failures are seen after the hold time only."
    source = "sonic-net/sonic-buildimage dockers/docker-fpm-frr (bfdd runs in frr-mgmt mode only)"
    guards = ("bgp.bfd",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for platforms without BFD."""
        for name, device in model.devices.items():
            if device.bgp.bfd and not platforms[device.platform].bfd_for_bgp:
                yield self.finding(
                    f"bgp.bfd has no effect on {device.platform}, so no session of this "
                    "fabric part has it",
                    "set bgp.bfd to false",
                    place=model.place("bgp", "bfd"),
                    device=name,
                )
