"""TOP025: designed cables that gave way to explicit ones are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.origins import Place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP025")
class CablesGaveWay(ModelRule):
    """Designed cables replaced by explicit ones are reported."""

    severity = Severity.INFO
    why = (
        "Explicit cables take precedence; the design alone does not show which of its cables they "
        "replace."
    )
    source = "fabric/topology/explicit_cables.py in this repository"
    guards = ("cabling",)

    def check(self, model: Model) -> Iterator[Finding]:
        """List the cables of the design that are not there."""
        cabling = model.intent.cabling
        for gone in model.fabric.gave_way if cabling else ():
            device, _, port = gone.near.partition(" ")
            yield self.finding(
                f"the designed cable to {gone.far} is replaced by the cable from {gone.row.device} "
                f"{gone.row.port} to {gone.row.peer_device} {gone.row.peer_port}",
                "",
                place=Place("cabling", cabling.position(gone.row) if cabling else None),
                device=device,
                port=port,
            )
