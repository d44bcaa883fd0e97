"""Which findings count less after a difference, by the severities that inventories decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.report.diff.model import Consequence
from fabric.report.diff.protection import LESS_PROTECTION
from fabric.report.rules import severities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.inventory import Intent


def lowered(before: Intent, after: Intent) -> Iterator[Consequence]:
    """Yield the rules whose findings have a lower severity than before."""
    sides = (before, after)
    if before.fabric.severity == after.fabric.severity and before.defects == after.defects:
        return
    old, new = (severities(side.defects) | _decided(side) for side in sides)
    for rule in sorted(old.keys() & new.keys()):
        if new[rule] < old[rule]:
            words = f"{old[rule].word} -> {new[rule].word}"
            yield Consequence(LESS_PROTECTION, f"findings of {rule} count less: {words}")


def _decided(side: Intent) -> dict[str, Severity]:
    """Return the severities that an inventory gives to rules."""
    changes = side.fabric.severity.items()
    return {rule: Severity.of_word(change.level) for rule, change in changes}
