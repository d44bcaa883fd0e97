"""NXO003: on NX-OS a switched port carries the jumbo frame of the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Default of `system jumbomtu`.
JUMBO_BYTES = 9216


@rules.add("NXO003")
class SwitchedMtu(ModelRule):
    """On NX-OS a switched port carries the jumbo frame of the system."""

    why = "A layer 2 port accepts 1500 or `system jumbomtu` and rejects any other MTU."
    source = (
        "Cisco Nexus 9000 interfaces configuration guide, MTU; paregupt/nx-os @ ad8128f3 "
        "nxos_config_roce.py (9216)"
    )
    guards = ("lossless.mtu.port_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every policy of host ports on NX-OS."""
        for device in model.devices.values():
            if device.platform != "nxos":
                continue
            switched = {port.qos.index for port in device.ports if port.qos and port.kind == "host"}
            for index in sorted(switched):
                profile = device.qos_profiles[index]
                if profile.mtu_bytes != JUMBO_BYTES:
                    yield self.finding(
                        f"mtu.port_bytes {profile.mtu_bytes} is rejected by the host ports of "
                        "NX-OS",
                        f"use {JUMBO_BYTES}",
                        place=model.profile_place("mtu.port_bytes", device, profile),
                        device=device.name,
                    )
