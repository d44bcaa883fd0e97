"""SON014: the lookup table of the SKU knows the cable length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON014")
class CableLookup(SonicModelRule):
    """The lookup table of the SKU covers the cable length."""

    why = "For any other speed and length buffermgrd creates no lossless group, and only logs it."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp; sonic-net/sonic-buildimage "
        "device/*/*/*/pg_profile_lookup.ini"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look up speed and cable length of every lossless port."""
        hwsku = str(config.metadata.get("hwsku", ""))
        if config.dynamic_buffers or not config.lossless_ports:
            return
        model = self.model(config)
        if model is None or not model.headroom:
            yield self.finding(
                f"the lookup table of hwsku {hwsku or '(none)'} is not known: "
                "cable lengths not checked",
                "",
                device=config.device,
                severity=Severity.INFO,
            )
            return
        for port in config.lossless_ports:
            speed, length = config.speed_mbps(port.name), config.cable_m(port.name)
            text = config.cables.get(port.name, "")
            if speed is not None and (speed, length) not in model.headroom:
                known = ", ".join(f"{cable}m" for cable in model.cable_lengths_m(speed)) or "none"
                yield self.finding(
                    f"cable length {text or '(none)'} at {speed} Mb/s is not in the table of "
                    f"{hwsku}; "
                    f"it has {known}",
                    "use the next longer length of the table",
                    device=config.device,
                    port=port.name,
                )
