"""Rules about headroom (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.qos.headroom.mlx5 import MAX_TOLD_CABLE_M, TOLD_DRIVERS
from fabric.qos.headroom.spectrum import ALL_SMALL_PERCENT
from fabric.qos.headroom.verdict import HeadroomVerdict
from fabric.qos.headroom.wire import response_note
from fabric.validate.headroom_tables import assumptions
from fabric.validate.origins import nic_place
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_of_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.origins import Place
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS021")
class Headroom(ModelRule):
    """Headroom holds what arrives after a pause."""

    why = "Frames in flight when the pause is sent must fit, or lossless packets are dropped."
    source = (
        "IEEE 802.1Q-2018 annex N; IEEE 802.3 annex 31B.3.7; sonic-net/SONiC "
        "doc/qos/dynamically-headroom-calculation.md"
    )
    guards = (
        "cables.host_m",
        "cables.uplink_m",
        "devices.ports.cable_m",
        "hosts.nics.cable_m",
        "platforms.leaf.pause_response_ns",
        "platforms.spine.pause_response_ns",
        "devices.pause_response_ns",
        "host.nic.pause_response_ns",
        "lossless.pause_buffer",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each headroom, set or by table or law, with the floor and the peer's need."""
        for kind in model.lossless_kinds:
            judged = kind.headroom.judgement
            if judged and judged.verdict <= HeadroomVerdict.BELOW_RESPONSE:
                group = kind.headroom
                below = judged.verdict == HeadroomVerdict.BELOW_FLOOR
                is_set = group.set_bytes is not None
                is_error = below or group.peer or is_set
                yield self.of_kind(
                    kind,
                    _message(kind),
                    _fix(kind),
                    place=_place(model, kind),
                    severity=Severity.ERROR if is_error else Severity.WARNING,
                )


def _place(model: Model, kind: LosslessKind) -> Place:
    if kind.headroom.set_bytes is None:
        return model.cable_place(kind.device, kind.port, "cable_m")
    field = "pause_buffer.buffer_bytes"
    return model.policy_place(field, kind.device.name, kind.port.name)


def _fix(kind: LosslessKind) -> str:
    group, judged = kind.headroom, kind.headroom.judgement
    assert judged
    if group.levels and group.set_bytes is not None:
        need = group.levels.pause_bytes + int(np.ceil(judged.response_bytes))
        return f"set pause_buffer.buffer_bytes to at least {need:,}, or lower the pause threshold"
    if judged.verdict == HeadroomVerdict.BELOW_FLOOR:
        if group.row:
            return "use a longer length of the table, or a smaller MTU"
        return "provide the headroom_table of the switch, or use a smaller MTU"
    if group.peer:
        table = "buffer_model: traditional and " if group.computed else ""
        return (
            f"provide {table}a headroom_table with at least {judged.response_bytes:,.0f} bytes for "
            "this speed and length, or use another peer"
        )
    return (
        "use a table made for the IEEE 802.3 response time, or monitor the drop counters of the "
        "lossless priority group"
    )


def _message(kind: LosslessKind) -> str:
    judged, have = kind.headroom.judgement, kind.headroom.headroom_bytes
    assert judged
    start = f"headroom of {kind.title} is {have:,} bytes"
    if judged.verdict == HeadroomVerdict.BELOW_FLOOR:
        return f"{start}, below the minimum of {judged.floor_bytes:,.0f} that any peer sends"
    left = f"{start} and leaves the peer {judged.response_ns:,.0f} ns to stop"
    least, most = float(judged.least_bytes), float(judged.response_bytes)
    if peer := kind.headroom.peer:
        return (
            f"{left}; {kind.port.peer} takes {peer.time_ns:,.0f} ns ({peer.source}) and needs "
            f"{most:,.0f} bytes in all"
        )
    if least < most:
        note = response_note(kind.headroom.speed_gbps)
        return f"{left}; {note} ({least:,.0f} to {most:,.0f} bytes in all)"
    return f"{left}; IEEE 802.3 allows more ({most:,.0f} bytes in all)"


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
            if judged and kind.headroom.row and judged.verdict == HeadroomVerdict.LARGE_FRAMES:
                yield self.of_kind(
                    kind,
                    f"headroom of {kind.title} is {have:,} bytes: enough for large frames, "
                    f"but a stream of minimum-size frames may take {judged.packed_bytes:,}",
                    "no action if the lossless class carries bulk data only",
                    place=model.cable_place(kind.device, kind.port, "cable_m"),
                )


@rules.add("QOS041")
class NicCable(ModelRule):
    """The cable is short enough for the NIC driver."""

    severity = Severity.WARNING
    why = "The driver ignores longer lengths and keeps the headroom of a short cable."
    source = "Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c (MLX5E_MAX_CABLE_LENGTH)"
    guards = ("cables.host_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the longest host cable."""
        nics, hosts = model.fabric.nics, model.fabric.hosts
        told = np.array([one.nic.driver in TOLD_DRIVERS for _, one in traits_of_hosts(model)])
        rows = np.flatnonzero(nics.enabled & (nics.cable_m >= MAX_TOLD_CABLE_M) & told[nics.host])
        for length in np.unique(nics.cable_m[rows]).tolist():
            current = rows[nics.cable_m[rows] == length]
            row = int(current[0])
            host = hosts.names[int(nics.host[row])]
            yield self.finding(
                f"{counted(len(current), 'NIC has', 'NICs have')} a cable of {length:,} m; the "
                f"mlx5 driver ignores lengths of {MAX_TOLD_CABLE_M:,} m or more",
                "use a shorter cable, or set the receive buffer of the NIC manually",
                place=nic_place(model.fabric, row, "cable_m") or model.place("cables", "host_m"),
                device=host,
                is_example=True,
            )
