"""QOS020: the vendor's buffer table knows the speed and the cable length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS020")
class CableTable(ModelRule):
    """The vendor's headroom table covers the speed and the cable length."""

    why = (
        "For a speed and length that are not in its table SONiC creates no lossless buffer, "
        "and only logs it."
    )
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp (No PG profile configured for speed and "
        "cable length)"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up every pair of the ports in use."""
        for device in model.devices.values():
            missing = (
                {id(h) for h in device.headroom_profiles if not (h.row or h.computed)}
                if device.sku.headroom
                else ()
            )
            for port in device.ports if missing else ():
                if id(port.headroom) in missing and port.headroom:
                    lengths = (
                        ", ".join(map(str, device.sku.cable_lengths_m(port.speed_mbps))) or "none"
                    )
                    yield self.finding(
                        f"{device.sku.name} has no lossless buffer for {port.cable_m} m at "
                        f"{port.speed_gbps}G; lengths in its table: {lengths}",
                        "use the next longer length of the table",
                        place=model.cable_place(device, port, "cable_m"),
                        device=device.name,
                        port=port.name,
                    )
