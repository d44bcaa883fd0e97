"""TOP017: all NICs are in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.topology.model import NO_PORT
from fabric.validate.origins import nic_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP017")
class DisabledNics(ModelRule):
    """All NICs are in use."""

    severity = Severity.INFO
    why = "Jobs that expect all rails fail or fall back on a host with a disabled NIC."
    source = "NVIDIA NCCL user guide, NCCL_IB_HCA"
    guards = ("hosts.nics.enabled",)

    def check(self, model: Model) -> Iterator[Finding]:
        """List the NICs that overrides disable, and those without a cable."""
        fabric, nics = model.fabric, model.fabric.nics
        for row in np.flatnonzero(~nics.enabled).tolist():
            unit = int(fabric.hosts.unit[nics.host[row]])
            state = "disabled" if nics.port[row] != NO_PORT else "without a cable"
            yield self.finding(
                f"the NIC of rail {int(nics.rail[row])} is {state}",
                "",
                place=nic_place(fabric, row, "enabled") or model.place("units", unit),
                device=fabric.hosts.names[int(nics.host[row])],
            )
