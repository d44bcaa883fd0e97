"""Findings as lines: file:line:column first, so that editors and terminals can jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Severity
from fabric.validate.report import report_forms

if TYPE_CHECKING:
    from fabric.validate.reported import Reported
    from fabric.validate.runner import Outcome


@report_forms.add("text")
def text(reported: Reported) -> str:
    """Return one line per finding and a summary."""
    outcome = reported.outcome
    lines = [f"{finding.severity.word}: {finding}" for finding in outcome.findings]
    lines += [
        f"waived until {one.until}: {one.finding}; reason: {one.reason}" for one in outcome.waived
    ]
    lines += [f"could not run: rule {name}: {reason}" for name, reason in outcome.broken]
    return "\n".join([*lines, summary(outcome)]) + "\n"


def summary(outcome: Outcome) -> str:
    """Return the counts of an outcome as one line."""
    counts = ", ".join(
        _count(sum(f.severity is severity for f in outcome.findings), severity)
        for severity in sorted(Severity, reverse=True)
    )
    skipped = f", {len(outcome.skipped)} skipped ({hostlist.fold(outcome.skipped)})"
    waived = f", {len(outcome.waived)} waived" if outcome.waived else ""
    tail = skipped if outcome.skipped else ""
    return f"{len(outcome.checked)} rules checked: {counts}{waived}{tail}"


def _count(number: int, severity: Severity) -> str:
    plural = "" if number == 1 or severity is Severity.INFO else "s"
    return f"{number} {severity.word}{plural}"
