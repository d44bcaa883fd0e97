"""CMW006: on Comware 7 headroom stays at the default of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW006")
class DefaultHeadroom(ModelRule):
    """On Comware 7 headroom stays at the default of the model."""

    severity = Severity.INFO
    why = (
        "Only the command names are known and no headroom table is published: whether "
        "the default covers the cables is not known."
    )
    source = "h3c.com 202303/1790563 PFC commands: priority-flow-control dot1p headroom"
    guards = ("lossless.pfc", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for lossless ports of Comware 7 without headroom of their own."""
        for device in model.devices.values():
            bare = any(port.headroom and port.headroom.row is None for port in device.ports)
            if device.platform == "comware7" and bare:
                yield self.finding(
                    "headroom of the lossless ports is not rendered",
                    "set headroom_table in an own model to the vendor's figures, "
                    "or configure it manually; it is kept",
                    place=model.sku_place(device),
                    device=device.name,
                )
