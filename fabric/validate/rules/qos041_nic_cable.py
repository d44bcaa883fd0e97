"""QOS041: the NIC can be told how long its cable is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.qos.headroom.mlx5 import MAX_TOLD_CABLE_M
from fabric.validate.origins import nic_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS041")
class NicCable(ModelRule):
    """The cable is short enough for the NIC driver."""

    severity = Severity.WARNING
    why = "The driver ignores longer lengths and keeps the headroom of a short cable."
    source = "Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c (MLX5E_MAX_CABLE_LENGTH)"
    guards = ("cables.host_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the longest host cable."""
        nics = model.fabric.nics
        rows = np.flatnonzero(nics.enabled & (nics.cable_m >= MAX_TOLD_CABLE_M))
        for length in np.unique(nics.cable_m[rows]).tolist():
            here = rows[nics.cable_m[rows] == length]
            row = int(here[0])
            host = model.fabric.hosts.names[int(nics.host[row])]
            yield self.finding(
                f"{len(here)} NICs have a cable of {length:,} m; the mlx5 driver ignores "
                f"lengths of {MAX_TOLD_CABLE_M:,} m or more",
                "use a shorter cable, or set the receive buffer of the NIC manually",
                place=nic_place(model.fabric, row, "cable_m") or model.place("cables", "host_m"),
                device=host,
            )
