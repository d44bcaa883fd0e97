"""Reports: what programs read is whole and well-formed, what people read is as written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fabric.core.findings import Finding, Position, Severity
from fabric.validate.report import reports
from fabric.validate.report.machine import finding_json
from fabric.validate.runner import Outcome, all_rules

GOLDEN = Path(__file__).parent / "samples" / "report.txt"
FINDINGS = (
    Finding(
        "QOS004",
        Severity.ERROR,
        'PFC is off & "lossless" < lossy',
        "set pfc to true",
        "fabric.lossless.pfc",
        Position("inventory/fabric.yaml", 7, 3),
        "leaf01",
        "Ethernet0",
    ),
    Finding("TOP013", Severity.WARNING, "there is one spine and no redundancy"),
    Finding("TOP014", Severity.INFO, "oversubscribed leaves: 2", device="leaf02"),
)
OUTCOME = Outcome(
    FINDINGS, ("QOS004", "TOP013", "TOP014"), ("SON001",), (("BGP001", "KeyError: 'x'"),)
)
EMPTY = Outcome((), ("QOS004",), (), ())


def _report(form: str, outcome: Outcome = OUTCOME) -> str:
    return reports()[form](outcome, all_rules())


def test_text_golden(update_golden: bool) -> None:
    if update_golden:
        GOLDEN.write_text(_report("text"))
    assert GOLDEN.read_text() == _report("text")


def test_text_without_findings() -> None:
    assert _report("text", EMPTY) == "1 rules checked: 0 errors, 0 warnings, 0 info\n"


def test_json_round_trip() -> None:
    data = json.loads(_report("json"))
    assert data["findings"] == [finding_json(finding) for finding in FINDINGS]
    again = [_finding(item) for item in data["findings"]]
    assert tuple(again) == FINDINGS
    assert data["broken"] == [{"rule": "BGP001", "reason": "KeyError: 'x'"}]
    assert data["skipped"] == ["SON001"]


def _finding(item: dict[str, Any]) -> Finding:
    place = Position(item["file"], item["line"], item["column"]) if item["file"] else None
    severity = Severity[item["severity"].upper()]
    rest = {key: item[key] for key in ("rule", "message", "fix", "field", "device", "port")}
    return Finding(severity=severity, position=place, **rest)


def test_sarif_has_what_the_standard_requires() -> None:
    log = json.loads(_report("sarif"))
    assert log["version"] == "2.1.0"  # SARIF 2.1.0 section 3.13.2
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "rocefab"  # 3.19.8
    rules = run["tool"]["driver"]["rules"]
    ids = [rule["id"] for rule in rules]
    assert ids == sorted(set(ids))  # 3.19.23: unique
    assert all(rule["shortDescription"]["text"] for rule in rules)
    for result, finding in zip(run["results"], FINDINGS, strict=True):
        assert result["message"]["text"]  # 3.27.11
        assert result["ruleId"] == finding.rule
        assert result["ruleId"] in ids
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    (location,) = run["results"][0]["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "inventory/fabric.yaml"
    assert place["region"] == {"startLine": 7, "startColumn": 3}  # 3.30.5: from 1
    assert "locations" not in run["results"][1]


def test_junit_is_well_formed_and_counts() -> None:
    suite = ET.fromstring(_report("junit"))
    assert suite.tag == "testsuite"
    cases = suite.findall("testcase")
    assert int(suite.get("tests", "")) == len(cases) == len({case.get("name") for case in cases})
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure")) == 3
    assert int(suite.get("errors", "")) == len(suite.findall("testcase/error")) == 1
    assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped")) == 1
    assert suite.find("testcase/failure[@type='error']").get("message") == FINDINGS[0].message


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_forms_end_with_one_newline(form: str) -> None:
    for outcome in (OUTCOME, EMPTY):
        text = _report(form, outcome)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
