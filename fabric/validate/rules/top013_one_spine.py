"""TOP013: there is more than one spine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP013")
class OneSpine(ModelRule):
    """There is more than one spine."""

    severity = Severity.WARNING
    why = "With one spine every failure or upgrade of it stops all traffic between leaves."
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the spines."""
        if model.intent.fabric.spines.count == 1:
            yield self.finding(
                "there is one spine and no redundancy",
                "use at least two spines",
                place=model.place("spines", "count"),
            )
