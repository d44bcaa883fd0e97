"""SON025: only SONiC on NVIDIA's switches is asked to compute its buffers, with one alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("SON025")
class ComputingSwitch(ModelRule):
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
        "lossless.dynamic_th",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every switch with dynamic buffers."""
        for device in model.devices.values():
            if device.buffer_model != "dynamic":
                continue
            reason = _reason(device)
            if reason:
                yield self.finding(
                    f"{device.sku.name} cannot compute its buffers: {reason}",
                    "set buffer_model to traditional",
                    place=model.hardware_place(device, "buffer_model"),
                    device=device.name,
                )
            alphas = sorted({profile.dynamic_th for profile in device.headroom_profiles})
            if len(alphas) > 1:
                yield self.finding(
                    f"computed buffers have one dynamic_th, but the ports set {alphas}",
                    "set one dynamic_th for the whole switch",
                    place=model.hardware_place(device, "buffer_model"),
                    device=device.name,
                )


def _reason(device: DeviceDesign) -> str:
    if device.platform != "sonic":
        return f"{device.platform} has no buffer model"
    vendor = device.sku.asic_facts.vendor
    if vendor != "NVIDIA":
        return f"its ASIC is from {vendor}, and SONiC computes buffers for NVIDIA only"
    return "its buffer objects differ from those in NVIDIA images" if device.sku.layout else ""
