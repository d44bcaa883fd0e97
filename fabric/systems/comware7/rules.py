"""Rules about Comware 7 beside its limits in features.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.configured import headroom_state
from fabric.qos.ecn.edge import unmarked
from fabric.validate.rule import ClassRule, SwitchRule, Wrong, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.validate.places import Places


@rules.add("CMW004")
class ThresholdsGiven(ClassRule):
    """On Comware 7 marking needs thresholds from the inventory and a known cell size."""

    severity = Severity.WARNING
    why = (
        "Thresholds are in buffer cells, and neither a default nor a range is published"
        " for these models; without thresholds nothing is marked and only PFC acts."
    )
    source = "third-party digest of the H3C RDMA technical reference 6W100 (cells)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def judge_class(
        self, device: DeviceDesign, _profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Look at the thresholds of every class of Comware 7 and at the cell of its model."""
        if device.platform != "comware7":
            return
        reason, fix = unmarked(device.sku, own_thresholds=one.own_thresholds)
        if reason:
            yield Wrong("ecn.kmin_bytes", f"marking is not rendered: {reason}", fix)


@rules.add("CMW006")
class DefaultHeadroom(SwitchRule):
    """On Comware 7 headroom stays at the default of the model."""

    severity = Severity.INFO
    why = (
        "Only the command names are known and no headroom table is published: whether "
        "the default covers the cables is not known."
    )
    source = "h3c.com 202303/1790563 PFC commands: priority-flow-control dot1p headroom"
    guards = ("lossless.pfc", "cables.host_m", "cables.uplink_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for lossless ports of Comware 7 without headroom of their own."""
        states = (
            headroom_state(group, device.sku, device.role) for group in device.headroom_profiles
        )
        if device.platform == "comware7" and not all(state.is_configured for state in states):
            yield self.finding(
                "headroom of the lossless ports is not rendered",
                "set headroom_table and cell_bytes in an own model to the vendor's figures, "
                "or configure it manually; it is kept",
                place=places.sku_place(device),
                device=device.name,
            )
