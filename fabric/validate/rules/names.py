"""Rules about names of devices (TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP031")
class RangeWithoutBrackets(ModelRule):
    """The only host of a unit has no name that looks like a range."""

    severity = Severity.WARNING
    why = "Without brackets it is the name of one host, and no port of the others is configured."
    source = "docs/reference/inventory.md (ranges)"
    guards = ("units.hosts",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the units that have one host."""
        for index, unit in enumerate(model.intent.fabric.units):
            meant, _ = hostlist.with_brackets(unit.hosts)
            if meant:
                yield self.finding(
                    f"{unit.hosts!r} is one host, whose name looks like a range",
                    f'write "{meant}" if it is one, or waive this finding',
                    place=model.place("units", index, "hosts"),
                )
