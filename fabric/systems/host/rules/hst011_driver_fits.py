"""HST011: the driver of the NICs is one of their maker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

DRIVERS = {"nvidia": ("mlx5-ofed", "mlx5"), "broadcom": ("bnxt",), "amd": ("ionic",)}


@rules.add("HST011")
class DriverFits(ModelRule):
    """The driver of the NICs matches their vendor."""

    why = "Each driver has its own tools and files; those of another vendor are not installed."
    source = "Linux drivers/net/ethernet (mellanox/mlx5, broadcom/bnxt, pensando/ionic)"
    guards = ("host.nic.driver", "host.nic.vendor")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            nic = kind.host.traits.nic
            if nic.driver not in DRIVERS[nic.vendor]:
                yield self.finding(
                    f"driver {nic.driver} is not a {nic.vendor} driver",
                    f"use {' or '.join(DRIVERS[nic.vendor])}, or correct the vendor",
                    place=traits_place(model, kind.host.name, "nic", "driver"),
                    device=kind.host.name,
                )
