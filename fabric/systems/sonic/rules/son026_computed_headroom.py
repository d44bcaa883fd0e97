"""SON026: what can be said of headroom that the switch computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("SON026")
class ComputedHeadroom(ModelRule):
    """Headroom computed by the switch is checked with its formula."""

    severity = Severity.INFO
    why = (
        "The sum and the share of a port are checked with the formula of the buffer manager; older "
        "releases use older formulas, and only the switch shows the result."
    )
    source = "sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_headroom_mellanox.lua"
    guards = ("platforms.leaf.buffer_model", "platforms.spine.buffer_model")

    def check(self, model: Model) -> Iterator[Finding]:
        """Name the expected headroom of every kind of port."""
        for kind in model.lossless_kinds:
            if not kind.headroom.computed:
                continue
            law = kind.headroom.law
            yield self.finding(
                f"{kind.title}: the switch computes the headroom; its formula gives "
                f"{int(law.headroom_bytes):,} bytes"
                if law
                else f"{kind.title}: the switch computes the headroom; {kind.headroom.no_law}, so "
                "it is not checked",
                "compare with `show buffer information` on the switch",
                place=model.hardware_place(kind.device, "buffer_model"),
                device=kind.device.name,
                port=kind.port.name,
            )
