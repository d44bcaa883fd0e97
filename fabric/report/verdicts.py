"""The verdicts of `judge` as rules: for `show rules`, `explain` and docs/reference/rules.md."""

from __future__ import annotations

from fabric.health.judge import every_verdict
from fabric.validate.rule import DescribedRule, areas

areas.add("OBS")("Verdicts on running devices (`rocefab judge`)")

VERDICT_RULES: dict[str, DescribedRule] = {
    one.id: DescribedRule(
        one.id, one.severity, one.title, one.why, one.fix, one.source, looks_at="readings"
    )
    for one in every_verdict()
}
