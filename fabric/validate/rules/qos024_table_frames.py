"""QOS024: the vendor's table was made for frames as large as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.headroom.spectrum import spectrum
from fabric.qos.headroom.terms import Link
from fabric.validate.headroom_tables import assumptions
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS024")
class TableFrames(ModelRule):
    """The vendor's table was made for frames as large as those of the fabric."""

    severity = Severity.INFO
    why = (
        "A lossless frame that the peer has just started when the pause arrives is larger "
        "than the table assumes."
    )
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua; its assumptions are found by "
        "giving the rows of the table back to the byte"
    )
    guards = ("lossless.mtu.port_bytes", "lossless.mtu.host_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Ask the formula behind the table for our frames."""
        for kind in model.lossless_kinds:
            row, known = kind.headroom.row, assumptions(kind.device.sku)
            if row is None or known is None:
                continue
            link = kind.headroom.link
            lossless, port = float(link.lossless_mtu_bytes), float(link.port_mtu_bytes)
            if lossless <= known.lossless_mtu_bytes and port <= known.port_mtu_bytes:
                continue
            ours = Link.of(
                link.speed_gbps,
                link.cable_m,
                max(port, known.port_mtu_bytes),
                max(lossless, known.lossless_mtu_bytes),
            )
            need = int(spectrum(ours, known.settings).headroom_bytes)
            if need > row.headroom_bytes:
                yield self.finding(
                    f"the table of {kind.title} was made for lossless frames of "
                    f"{known.lossless_mtu_bytes:,} bytes; with {lossless:,.0f} its "
                    f"formula gives {need:,} bytes instead of {row.headroom_bytes:,}",
                    "lower mtu.host_bytes, or provide a table for larger frames",
                    place=model.policy_place("mtu.host_bytes", kind.device.name, kind.port.name),
                    device=kind.device.name,
                    port=kind.port.name,
                )
