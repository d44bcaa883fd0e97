"""Rules about names of devices (TOP)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

_LIKE_A_RANGE = re.compile(r"(.*?)([0-9]+)-([0-9]+)")


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
            match = _LIKE_A_RANGE.fullmatch(unit.hosts)
            if match and int(match[2]) < int(match[3]):
                name, first, last = match.groups()
                yield self.finding(
                    f"{unit.hosts!r} is one host, whose name looks like a range",
                    f'write "{name}[{first}-{last}]" if it is one, or waive this finding',
                    place=model.place("units", index, "hosts"),
                )
