"""Rules about buffers that a SONiC switch computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import number
from fabric.systems.sonic.platforms import COMPUTING_PLATFORMS
from fabric.systems.sonic.rule import SonicPolicyRule
from fabric.validate.rule import ModelRule, SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.systems.sonic.config_db import SonicConfig
    from fabric.validate.places import Places
    from fabric.validate.world import Model


#: Tables that the buffer manager reads one row of, and the fields that it needs.
NEEDED = {
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": ("default_dynamic_th",),
    "LOSSLESS_TRAFFIC_PATTERN": ("mtu", "small_packet_percentage"),
}


@rules.add("SON024")
class ComputedBuffers(SonicPolicyRule):
    """A switch that computes its lossless buffers has the required input."""

    why = "Without it the buffer manager creates no lossless group and waits silently."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgrdyn.cpp, cfgmgr/buffer_headroom_mellanox.lua (Only "
        "one key should exist), pull request 3548 (no group for a cable of 0m); "
        "sonic-net/sonic-buildimage files/build_templates/buffers_config.j2"
    )
    guards = (
        "platforms.leaf.buffer_model",
        "platforms.spine.buffer_model",
        "cables.host_m",
        "cables.uplink_m",
    )

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at platform, parameters and cables of a switch with dynamic buffers."""
        if not config.dynamic_buffers or not config.lossless_ports:
            return
        platform = str(config.metadata.get("platform", ""))
        if platform and not any(part in platform for part in COMPUTING_PLATFORMS):
            yield self.finding(
                f"buffer_model is dynamic, but nothing computes buffers on {platform}",
                "set buffer_model to traditional and add BUFFER_PROFILE rows",
                device=config.device,
            )
        for table, fields in NEEDED.items():
            rows = list(config.rows(table).values())
            if len(rows) != 1:
                yield self.finding(
                    f"buffer_model dynamic needs exactly one row in {table}, found {len(rows)}",
                    f"keep one row in {table}",
                    device=config.device,
                )
            for name in fields if len(rows) == 1 else ():
                if number(rows[0].get(name)) is None:
                    yield self.finding(
                        f"{table} has no {name}", f"add {name}", device=config.device
                    )
        yield from self._cables(config)

    def _cables(self, config: SonicConfig) -> Iterator[Finding]:
        """Yield the ports in use whose groups wait for the length of a cable."""
        for port in config.lossless_ports:
            is_up = config.rows("PORT").get(port.name, {}).get("admin_status") == "up"
            computed = [group for group in port.groups if _waits(config, port.name, group)]
            if is_up and computed and not config.cable_m(port.name):
                length = config.cables.get(port.name, "(none)")
                yield self.finding(
                    f"with cable length {length} the switch creates no lossless group "
                    f"{', '.join(map(str, computed))}",
                    "set the length of the cable in CABLE_LENGTH, in metres above 0",
                    device=config.device,
                    port=port.name,
                )


def _waits(config: SonicConfig, port: str, group: int) -> bool:
    """Tell whether the headroom of a group is computed from speed and cable."""
    row = config.groups.get((port, group))
    return row is not None and config.is_computed(config.profile(row.get("profile")))


@rules.add("SON025")
class ComputingSwitch(SwitchRule):
    """Computed buffers are used only on SONiC with NVIDIA ASICs, with one alpha."""

    why = (
        "The buffer manager of SONiC computes headroom for ASICs of NVIDIA, with one threshold for "
        "all lossless groups; other switches use static buffers."
    )
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgrdyn.cpp, cfgmgr/buffer_headroom_mellanox.lua; "
        "sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md"
    )
    guards = (
        "platforms.leaf.buffer_model",
        "platforms.spine.buffer_model",
        "devices.buffer_model",
        "platforms.leaf.headroom_over_subscription",
        "devices.headroom_over_subscription",
        "lossless.dynamic_th",
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look at every switch with dynamic buffers."""
        if device.buffer_model != "dynamic":
            yield from self._unused(places, device)
            return
        reason = _reason(device)
        if reason:
            yield self.finding(
                f"{device.sku.name} cannot compute its buffers: {reason}",
                "set buffer_model to traditional",
                place=places.hardware_place(device, "buffer_model"),
                device=device.name,
            )
        alphas = sorted({profile.dynamic_th for profile in device.headroom_profiles})
        if len(alphas) > 1:
            yield self.finding(
                f"computed buffers have one dynamic_th, but the ports set {alphas}",
                "set one dynamic_th for the whole switch",
                place=places.hardware_place(device, "buffer_model"),
                device=device.name,
            )

    def _unused(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Report a shared headroom that nothing would compute."""
        if device.headroom_over_subscription is not None:
            yield self.finding(
                "headroom_over_subscription has no effect: buffer_model is traditional",
                "set buffer_model to dynamic, or remove it",
                place=places.hardware_place(device, "headroom_over_subscription"),
                device=device.name,
            )


def _reason(device: DeviceDesign) -> str:
    if device.platform != "sonic":
        return f"{device.platform} has no buffer model"
    vendor = device.sku.asic_facts.vendor
    if vendor != "NVIDIA":
        return f"its ASIC is from {vendor}, and SONiC computes buffers for NVIDIA only"
    return "its buffer objects differ from those in NVIDIA images" if device.sku.layout else ""


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
            yield self.of_kind(
                kind,
                f"{kind.title}: the switch computes the headroom; its formula gives "
                f"{int(law.headroom_bytes):,} bytes"
                if law
                else f"{kind.title}: the switch computes the headroom; {kind.headroom.no_law}, so "
                "it is not checked",
                "compare with `show buffer information` on the switch",
                place=model.hardware_place(kind.device, "buffer_model"),
            )
