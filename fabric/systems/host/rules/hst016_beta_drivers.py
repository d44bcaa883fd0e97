"""HST016: drivers that were tried on no NIC are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.host import BETA_DRIVERS
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST016")
class BetaDrivers(ModelRule):
    """Drivers not tested on a NIC are reported."""

    severity = Severity.INFO
    why = "The commands come from published tables and guides; a tool may reject one of them."
    source = "Broadcom bnxt_setupcc.sh 236.1.155.0; AMD Pensando Pollara guides (UG1813)"
    guards = ("host.nic.driver",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            driver = kind.host.traits.nic.driver
            if driver in BETA_DRIVERS and not kind.host.no_lossless:
                yield self.finding(
                    f"{kind.subject}: settings of driver {driver} are beta",
                    "try them on one host first",
                    place=traits_place(model, kind.host.name, "nic", "driver"),
                    device=kind.host.name,
                )
