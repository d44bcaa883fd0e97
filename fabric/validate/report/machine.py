"""Findings for programs: JSON, SARIF 2.1.0 and JUnit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from fabric import __version__
from fabric.core.findings import Finding, Severity
from fabric.validate.report import report_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.validate.rule import Rule
    from fabric.validate.runner import Outcome

_SARIF_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@report_forms.add("json")
def as_json(outcome: Outcome, rules: Sequence[Rule]) -> str:  # noqa: ARG001 - the common form
    """Return everything as one JSON object."""
    data = {
        "findings": [finding_json(finding) for finding in outcome.findings],
        "checked": list(outcome.checked),
        "skipped": list(outcome.skipped),
        "broken": [{"rule": rule, "reason": reason} for rule, reason in outcome.broken],
    }
    return json.dumps(data, indent=2) + "\n"


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data."""
    place = finding.position
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "message": finding.message,
        "fix": finding.fix,
        "field": finding.field,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "device": finding.device,
        "port": finding.port,
    }


@report_forms.add("sarif")
def sarif(outcome: Outcome, rules: Sequence[Rule]) -> str:
    """Return a SARIF 2.1.0 log (OASIS standard), as code scanning reads it."""
    catalogue = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.why},
            "help": {"text": f"Source: {rule.source}"},
            "defaultConfiguration": {"level": _SARIF_LEVEL[rule.severity]},
        }
        for rule in rules
    ]
    driver = {"name": "rocefab", "version": __version__, "rules": catalogue}
    run = {"tool": {"driver": driver}, "results": [_sarif_result(f) for f in outcome.findings]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2) + "\n"


def _sarif_result(finding: Finding) -> dict[str, Any]:
    fix = f"; {finding.fix}" if finding.fix else ""
    subject = " ".join(part for part in (finding.device, finding.port) if part)
    prefix = f"{subject}: " if subject else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _SARIF_LEVEL[finding.severity],
        "message": {"text": f"{prefix}{finding.message}{fix}"},
    }
    if finding.position:
        place = finding.position
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": place.file},
                    "region": {"startLine": place.line, "startColumn": place.column},
                }
            }
        ]
    return result


@report_forms.add("junit")
def junit(outcome: Outcome, rules: Sequence[Rule]) -> str:
    """Return JUnit XML: one test case per rule, findings as failures."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    titles = {rule.id: rule.title for rule in rules}
    broken = dict(outcome.broken)
    names = sorted({*titles, *by_rule})
    suite = ET.Element("testsuite", name="rocefab check", tests=str(len(names)))
    for name in names:
        case = ET.SubElement(suite, "testcase", classname="rocefab", name=_case(name, titles))
        if name in broken:
            ET.SubElement(case, "error", message=broken[name])
        if name in outcome.skipped:
            ET.SubElement(case, "skipped", message="nothing to look at, or ignored")
        for finding in by_rule.get(name, []):
            failure = ET.SubElement(case, "failure", message=finding.message)
            failure.set("type", finding.severity.word)
            failure.text = str(finding)
    suite.set("failures", str(len(outcome.findings)))
    suite.set("errors", str(len(broken)))
    suite.set("skipped", str(len(outcome.skipped)))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _case(name: str, titles: dict[str, str]) -> str:
    return f"{name} {titles[name]}" if name in titles else name
