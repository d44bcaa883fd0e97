"""QOS025: headroom holds small frames too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.headroom.spectrum import ALL_SMALL_PERCENT
from fabric.qos.headroom.verdict import Verdict
from fabric.validate.headroom_tables import assumptions
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS025")
class SmallFrames(ModelRule):
    """Headroom also covers small frames."""

    severity = Severity.INFO
    why = (
        "A frame occupies whole buffer cells: a stream of small frames takes a "
        "multiple of its wire size."
    )
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua (worst_case_factor); Broadcom "
        "tables of sonic-net/sonic-buildimage 086b03bd (cell / 84)"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare with the worst packing of the ASIC, unless the table was made for it."""
        for kind in model.lossless_kinds:
            judged, have = kind.headroom.judgement, kind.headroom.headroom_bytes
            known = assumptions(kind.device.sku)
            if known and known.settings.small_packet_percent == ALL_SMALL_PERCENT:
                continue
            if judged and kind.headroom.row and judged.verdict == Verdict.LARGE_FRAMES:
                yield self.finding(
                    f"headroom of {kind.title} is {have:,} bytes: enough for large frames, "
                    f"but a stream of minimum-size frames may take {judged.packed_bytes:,}",
                    "no action if the lossless class carries bulk data only",
                    place=model.cable_place(kind.device, kind.port, "cable_m"),
                    device=kind.device.name,
                    port=kind.port.name,
                )
