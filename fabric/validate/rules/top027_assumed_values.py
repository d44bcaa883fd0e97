"""TOP027: values that an import assumed are confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.intent.yaml.file import ASSUMED
from fabric.validate.rule import ModelRule, rules
from fabric.validate.world import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP027")
class AssumedValues(ModelRule):
    """Values that an import assumed are confirmed."""

    severity = Severity.INFO
    why = (
        "An assumed value may be wrong: a cable that is longer than assumed drops "
        "lossless frames, and wrong addresses are not reachable."
    )
    source = "docs/exchange.md, section Import"
    guards = ("speeds", "cables", "addressing", "host", "platforms", "units")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the comments of the import."""
        places = model.intent.assumed
        if places:
            values, were, each = (
                ("1 value", "was", "it")
                if len(places) == 1
                else (f"{len(places)} values", "were", "each")
            )
            yield self.finding(
                f"{values} {were} assumed by an import",
                f"confirm {each} and remove its comment '{ASSUMED}'",
                place=Place("fabric", places[0]),
            )
