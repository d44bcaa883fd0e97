"""HST022: settings of NICs are those that their driver takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

NVIDIA_ONLY = ("dcqcn_set", "receive_buffers", "pause_storm_ms", "firmware_file")


@rules.add("HST022")
class DriverSettings(ModelRule):
    """NIC settings are supported by their driver."""

    severity = Severity.WARNING
    why = "Unsupported settings are not rendered, and the NIC keeps its factory values."
    source = (
        "Linux drivers/infiniband/hw/mlx5/cong.c; DOCA-OFED 25.10 en_sysfs.c; Mellanox/mstflint "
        "(mlxconfig)"
    )
    guards = (
        "host.nic.dcqcn_set",
        "host.nic.receive_buffers",
        "host.nic.pause_storm_ms",
        "host.nic.firmware_file",
        "host.tuning.relaxed_ordering",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            nic = traits.nic
            for field in NVIDIA_ONLY if not nic.driver.startswith("mlx5") else ():
                if getattr(nic, field):
                    yield self.finding(
                        f"nic.{field} has no effect with driver {nic.driver}",
                        "remove it",
                        place=traits_place(model, name, "nic", field),
                        device=name,
                    )
            if traits.tuning.relaxed_ordering and not nic.firmware_file:
                yield self.finding(
                    "tuning.relaxed_ordering is part of the mlxconfig file, which is not enabled",
                    "set nic.firmware_file: true",
                    place=traits_place(model, name, "tuning", "relaxed_ordering"),
                    device=name,
                )
