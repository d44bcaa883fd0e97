"""Findings as a code quality report of GitLab, shown in merge requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Severity
from fabric.validate.report import report_forms
from fabric.validate.reported import relative

if TYPE_CHECKING:
    from fabric.validate.reported import Reported

#: Of info, minor, major, critical, blocker (docs.gitlab.com, code quality report format).
_SEVERITY = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


@report_forms.add("gitlab")
def gitlab(reported: Reported) -> str:
    """Return a list with one issue per finding, and one per rule that broke."""
    broken = [
        Finding(name, Severity.ERROR, f"the rule could not run: {reason}")
        for name, reason in reported.outcome.broken
    ]
    marks = [*reported.fingerprints(), *(finding.rule for finding in broken)]
    pairs = zip([*reported.outcome.findings, *broken], marks, strict=True)
    issues = [_issue(finding, reported, mark) for finding, mark in pairs]
    ignored = reported.ignored
    if ignored and ignored.place.line:  # an option has no line that could be shown
        words = reported.ignored_words
        finding = Finding("ignored", Severity.WARNING, words, position=ignored.place)
        issues.append(_issue(finding, reported, f"ignored:{relative(ignored.place.file)}"))
    return json.dumps(issues, indent=2) + "\n"


def _issue(finding: Finding, reported: Reported, mark: str) -> dict[str, Any]:
    place = reported.place(finding)
    return {
        "description": finding.sentence,
        "check_name": finding.rule,
        "fingerprint": mark,
        "severity": _SEVERITY[finding.severity],
        "location": {"path": relative(place.file), "lines": {"begin": place.line}},
    }
