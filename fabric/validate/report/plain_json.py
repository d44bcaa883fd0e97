"""Findings as one JSON object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.formats import form_of
from fabric.validate.report import report_forms

if TYPE_CHECKING:
    from fabric.core.findings import Finding
    from fabric.validate.reported import Reported


@report_forms.add("json")
def as_json(reported: Reported) -> str:
    """Return everything as one JSON object."""
    outcome = reported.outcome
    data = {
        "format": form_of("findings"),
        "findings": [finding_json(finding) for finding in outcome.findings],
        "checked": list(outcome.checked),
        "skipped": list(outcome.skipped),
        "waived": [
            {**finding_json(one.finding), "reason": one.reason, "until": one.until.isoformat()}
            for one in outcome.waived
        ],
        "broken": [{"rule": rule, "reason": reason} for rule, reason in outcome.broken],
    }
    notes = {"notes": list(reported.remarks)} if reported.remarks else {}
    return json.dumps({**data, **notes, **reported.figures}, indent=2) + "\n"


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data; null stands for a place that it has not."""
    place = finding.position
    within = place if place and place.line else None
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "message": finding.message,
        "fix": finding.fix,
        "field": finding.field or None,
        "file": place.file if place else None,
        "line": within.line if within else None,
        "column": within.column if within else None,
        "device": finding.device or None,
        "port": finding.port or None,
        **({"also": list(finding.also)} if finding.also else {}),
    }
