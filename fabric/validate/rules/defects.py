"""Rules of the book of defects: one for each fact of ours, and one for those of an inventory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.defects.book import facts
from fabric.validate.defects import DefectRule, designed_defects
from fabric.validate.rule import SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.defects.fact import Fact
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places

areas.add("DEF")("Known defects of releases and chips")


def _rule(fact: Fact, _rule_id: str) -> DefectRule:
    return DefectRule(fact)


for _fact in facts().values():
    rules.add(_fact.id)(partial(_rule, _fact))


@rules.add("DEF000")
class OwnDefects(SwitchRule):
    """No defect of the inventory's own facts strikes a switch."""

    severity = Severity.INFO  # each fact has its own
    why = "What the owner of a fabric knows of its switches is judged as our own facts are."
    source = "docs/reference/defects.md (known defects)"
    guards = ("platforms.leaf.sku", "platforms.leaf.release")

    def check_switch(self, places: Places, device: DeviceDesign, /) -> Iterator[Finding]:
        """Judge the design of a switch by the facts of the inventory."""
        yield from designed_defects(places, device, places.intent.defects)
