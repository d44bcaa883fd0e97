"""TOP022: hosts of different units reach each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP022")
class UnitsApart(ModelRule):
    """Hosts of different units reach each other."""

    severity = Severity.WARNING
    why = "Without spines no traffic leaves a leaf: a job must stay in one unit and on its rails."
    source = (
        "Wang et al., Rail-only: A Low-Cost High-Performance Network for Training LLMs with "
        "Trillion Parameters, HOTI 2024"
    )
    guards = ("design", "units")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the units of a fabric without spines."""
        units = len(model.intent.fabric.units)
        if units > 1 and not len(model.fabric.switches.of_tier(1)):
            yield self.finding(
                f"{units} units have no common spine, so they cannot reach each other",
                "put the hosts in one unit, or use a design with spines",
                place=model.place("design"),
            )
