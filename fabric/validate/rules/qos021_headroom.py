"""QOS021: headroom holds what arrives after a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.headroom.verdict import Verdict
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS021")
class Headroom(ModelRule):
    """Headroom holds what arrives after a pause."""

    why = "Frames in flight when the pause is sent must fit, or lossless packets are dropped."
    source = (
        "IEEE 802.1Q-2018 annex N; IEEE 802.3 annex 31B.3.7; sonic-net/SONiC "
        "doc/qos/dynamically-headroom-calculation.md"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each headroom, by a table or a law, with the floor and the plain IEEE figure."""
        for kind in model.lossless_kinds:
            judged = kind.headroom.judgement
            if judged and judged.verdict <= Verdict.BELOW_RESPONSE:
                below = judged.verdict == Verdict.BELOW_FLOOR
                yield self.finding(
                    _message(kind),
                    (
                        "use a longer length of the table, or a smaller MTU"
                        if kind.headroom.row
                        else "provide the headroom_table of the switch, or use a smaller MTU"
                    )
                    if below
                    else "use a table made for the IEEE 802.3 response time, or monitor the "
                    "drop counters of the lossless priority group",
                    place=model.cable_place(kind.device, kind.port, "cable_m"),
                    device=kind.device.name,
                    port=kind.port.name,
                    severity=Severity.ERROR if below else Severity.WARNING,
                )


def _message(kind: LosslessKind) -> str:
    judged, have = kind.headroom.judgement, kind.headroom.headroom_bytes
    assert judged
    start = f"headroom of {kind.title} is {have:,} bytes"
    if judged.verdict == Verdict.BELOW_FLOOR:
        return f"{start}, below the minimum of {judged.floor_bytes:,.0f} that any peer sends"
    return (
        f"{start} and leaves the peer {judged.response_ns:,.0f} ns to stop; IEEE 802.3 allows more "
        f"({judged.response_bytes:,.0f} bytes in all)"
    )
