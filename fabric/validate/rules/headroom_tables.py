"""Rules about headroom tables (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import MBPS_PER_GBPS
from fabric.design.configured import headroom_state
from fabric.design.table_spread import shortfall_of, table_spread, twin
from fabric.platforms import platforms
from fabric.qos.headroom.spectrum import STEP_BYTES, spectrum
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import HeadroomVerdict
from fabric.qos.headroom.wire import cable_bytes
from fabric.validate.headroom_tables import assumptions
from fabric.validate.rule import ModelRule, SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.platforms.model import Sku
    from fabric.validate.places import Places
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS020")
class CableTable(SwitchRule):
    """The vendor's headroom table has the speed, and a length that is not below the cable's."""

    why = (
        "For a speed and length that are not in its table SONiC creates no lossless buffer, "
        "and only logs it."
    )
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp (No PG profile configured for speed and "
        "cable length)"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look up every pair of the ports in use."""
        missing = (
            {id(h) for h in device.lossless_groups if not (h.row or h.computed)}
            if device.sku.headroom
            else ()
        )
        for port in device.ports if missing else ():
            if id(port.headroom) in missing and port.headroom:
                lengths = device.sku.cable_lengths_m(port.speed_mbps)
                known = ", ".join(map(str, lengths)) or "none"
                yield self.finding(
                    f"{device.sku.name} has no lossless buffer for {port.cable_m} m at "
                    f"{port.speed_gbps}G; lengths in its table: {known}",
                    "no row is long enough: use a shorter cable or another speed, a headroom_table "
                    "with such a row, or buffer_model: dynamic where the switch supports it",
                    place=places.cable_place(device, port, "cable_m"),
                    device=device.name,
                    port=port.name,
                )


@rules.add("QOS073")
class LengthStep(ModelRule):
    """The cable has a length that the headroom of its port can be set for."""

    severity = Severity.INFO
    why = (
        "A table has rows for some lengths. The switch is set to the next one that is not shorter, "
        "so that it keeps more headroom than the cable needs."
    )
    source = "sonic-net/sonic-buildimage device/*/*/*/pg_profile_lookup.ini"
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Name every kind of port whose setting is not the length of its cable."""
        for kind in model.lossless_kinds:
            group, platform = kind.headroom, platforms[kind.device.platform]
            if group.setting_m == group.cable_m or platform.one_cable_length:
                continue
            where = "of its table" if group.row else "that it can be set to"
            less = "; a headroom_table with this length keeps less headroom" if group.row else ""
            yield self.of_kind(
                kind,
                f"headroom of {kind.device.sku.name} at {group.speed_gbps}G and {group.cable_m} m "
                f"is set for {group.setting_m} m, the next length {where}; plan, labels and parts "
                f"list keep {group.cable_m} m",
                f"nothing to do{less}",
                place=model.cable_place(kind.device, kind.port, "cable_m"),
            )


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
                yield self.of_kind(
                    kind,
                    f"headroom of {kind.title} is {row.headroom_bytes:,} bytes: its table was made "
                    f"for lossless frames of {known.lossless_mtu_bytes:,} bytes; for frames of "
                    f"{lossless:,.0f} bytes, the formula of this table gives {need:,} bytes",
                    _act_on_frames(kind),
                    place=model.policy_place("mtu.host_bytes", kind.device.name, kind.port.name),
                )


def _act_on_frames(kind: LosslessKind) -> str:
    """Return whether one has to act on a table for smaller frames, and how."""
    judged, remedy = kind.headroom.judgement, "lower mtu.host_bytes, or use a table for such frames"
    if judged and judged.verdict > HeadroomVerdict.BELOW_RESPONSE:
        return (
            "nothing to do: the headroom is enough by IEEE 802.3; to keep the reserve of the "
            f"table, {remedy}"
        )
    return f"the headroom is too small by IEEE 802.3 as well (QOS021): {remedy}"


@rules.add("QOS045")
class FlatTable(ModelRule):
    """The vendor's table differs by length, speed and silicon."""

    severity = Severity.INFO
    why = (
        "A table with one value for all lengths, or with the rows of a slower speed or of other "
        "silicon, was not made for this port."
    )
    source = "sonic-net/sonic-buildimage 086b03bd device/*/*/*/pg_profile_lookup.ini"
    guards = ("cables.host_m", "cables.uplink_m", "platforms.leaf.sku", "platforms.spine.sku")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the row of each port with other rows of its table, and with other tables."""
        for kind in model.lossless_kinds:
            for what in _copied(kind) if kind.headroom.row else ():
                yield self.of_kind(
                    kind,
                    f"the table of {kind.device.sku.name} {what}",
                    "see `rocefab explain` for what the port needs",
                    place=model.sku_place(kind.device),
                )


def _copied(kind: LosslessKind) -> Iterator[str]:
    """Return what shows that a row was made for something else."""
    sku, speed, gbps = kind.device.sku, kind.headroom.speed_mbps, kind.headroom.speed_gbps
    sizes, lengths = _sizes(sku, speed), sku.cable_lengths_m(speed)
    if len(sizes) > 1 and len(set(sizes)) == 1:
        yield (f"keeps {sizes[0]:,} bytes at {gbps}G for {lengths[0]} m and for {lengths[-1]} m")
    elif (slower_gbps := _copied_from(kind)) is not None:
        yield (
            f"keeps {kind.headroom.headroom_bytes:,} bytes at {kind.headroom.setting_m} m for "
            f"{slower_gbps:g}G and for {gbps}G"
        )
    other = twin(sku)
    if other:
        yield f"has {counted(other.rows, 'row')} of {other.name}, whose ASIC is {other.asic}"


def _copied_from(kind: LosslessKind) -> float | None:
    """Return a slower speed with the same row, though frames and cable alone differ by more."""
    group, sku = kind.headroom, kind.device.sku
    step = max(STEP_BYTES, sku.asic_facts.integer("cell_bytes") or 1)
    for (speed_mbps, cable_m), row in sku.headroom.items():
        if cable_m != group.setting_m or speed_mbps >= group.speed_mbps or group.law is None:
            continue
        more = float(cable_bytes(group.speed_gbps - speed_mbps / MBPS_PER_GBPS, cable_m))
        same = row.headroom_bytes == group.headroom_bytes
        if same and more > step and row.headroom_bytes < int(group.law.headroom_bytes):
            return speed_mbps / MBPS_PER_GBPS
    return None


def _sizes(sku: Sku, speed_mbps: int) -> list[int]:
    return [
        sku.headroom[speed_mbps, length].headroom_bytes
        for length in sku.cable_lengths_m(speed_mbps)
    ]


@rules.add("QOS050")
class LawHeadroom(ModelRule):
    """A table of the vendor, or the switch itself, gives the headroom."""

    severity = Severity.INFO
    why = (
        "A law is a formula that rocefab deduced from tables of other switch models. These tables "
        "differ on the same silicon: headroom by a law is an estimate."
    )
    source = "sonic-net/sonic-buildimage 086b03bd device/*/*/*/pg_profile_lookup.ini"
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Name every kind of port without a row, and what other tables keep."""
        for kind in model.lossless_kinds:
            if not kind.headroom.is_estimate or kind.device.sku.headroom:
                continue
            short = shortfall_of(kind.device.sku.asic, kind.headroom)
            state = headroom_state(kind.headroom, kind.device.sku, kind.device.role)
            more = (short.text() if short else "", state.kept)
            yield self.of_kind(
                kind,
                _by_law(kind) + "".join(f". {text[0].upper()}{text[1:]}" for text in more if text),
                "monitor the drop counters of the lossless priority group; "
                f"`rocefab explain {kind.device.name} {kind.port.name}` shows the sum",
                place=model.sku_place(kind.device),
            )


def _by_law(kind: LosslessKind) -> str:
    have, law, group = kind.headroom.headroom_bytes, kind.headroom.law, kind.headroom
    if have is None or law is None:
        return f"headroom of {kind.title} is not known: {group.no_law}"
    spread = table_spread(kind.device.sku.asic, group.speed_mbps, group.setting_m)
    tables = (
        f"The model has no table. Tables of other models with this ASIC keep {spread.text()}"
        if spread
        else "No model with this ASIC has a table"
    )
    return (
        f"headroom of {kind.title} is an estimate: the law {law.law} gives {have:,} bytes. {tables}"
    )
