"""Waivers and severities of an inventory: what they cover, for how long, and who sees them."""

from __future__ import annotations

import json
import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.inventory import load
from fabric.report.rules import severities
from fabric.validate.report import reports
from fabric.validate.reported import Reported
from fabric.validate.rule import by_port
from fabric.validate.runner import Outcome, all_rules
from fabric.validate.waivers import Decisions
from fabric.workflow.check import check, refuse_errors
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY

TODAY = datetime.now().astimezone().date()
SOON, PAST = TODAY + timedelta(days=9), TODAY - timedelta(days=1)


def inventory(folder: Path, **fields: Any) -> Path:
    """Return the demo with an ECN minimum above its maximum on one leaf, and more fields."""
    shutil.copy(INVENTORY / "demo" / "fabric.yaml", folder)
    (folder / "devices").mkdir()
    wrong = [{"names": "su1-rail0", "lossless": {"ecn": {"kmin_bytes": 1_600_000}}}]
    text = yaml.safe_dump({"devices": wrong})
    (folder / "devices" / "odd.yaml").write_text(text, encoding="utf-8")
    with (folder / "fabric.yaml").open("a", encoding="utf-8") as file:
        file.write(yaml.safe_dump(fields) if fields else "")
    return folder


def checked(folder: Path, **fields: Any) -> Outcome:
    return check(Project(inventory(folder, **fields)))


def rules_of(outcome: Outcome, severity: Severity = Severity.ERROR) -> set[str]:
    return {finding.rule for finding in outcome.at_least(severity)}


def waiver(rule: str, until: date = SOON, **more: str) -> dict[str, str]:
    return {"rule": rule, "reason": "agreed with the owner", "until": until.isoformat(), **more}


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    """Return the rule that the inventory breaks without a waiver."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (rule,) = rules_of(checked(folder))
    return rule


@pytest.mark.parametrize(
    ("more", "covers"),
    [
        ({}, True),
        ({"device": "su1-*"}, True),
        ({"device": "su?-rail0", "port": "*"}, True),
        ({"device": "su2-*"}, False),
        ({"port": "Ethernet999"}, False),
    ],
)
def test_what_a_waiver_covers(
    tmp_path: Path, wrong: str, more: dict[str, str], *, covers: bool
) -> None:
    outcome = checked(tmp_path, waivers=[waiver(wrong, **more)])
    assert (wrong in rules_of(outcome)) is not covers
    assert {one.finding.rule for one in outcome.waived} == ({wrong} if covers else set())
    assert ("WVR002" in {finding.rule for finding in outcome.findings}) is not covers


def test_a_waiver_lets_every_verb_go_on(tmp_path: Path, wrong: str) -> None:
    project = Project(inventory(tmp_path, waivers=[waiver(wrong)]))
    assert not refuse_errors(project).at_least(Severity.ERROR)


def test_without_it_nothing_is_rendered(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InputError) as refused:
        refuse_errors(Project(inventory(tmp_path)))
    assert wrong in {finding.rule for finding in refused.value.findings}


def test_an_old_waiver_covers_nothing(tmp_path: Path, wrong: str) -> None:
    outcome = checked(tmp_path, waivers=[waiver(wrong, PAST)])
    assert wrong in rules_of(outcome)
    assert "WVR001" in rules_of(outcome, Severity.WARNING)


def test_the_last_day_counts(tmp_path: Path, wrong: str) -> None:
    assert wrong not in rules_of(checked(tmp_path, waivers=[waiver(wrong, TODAY)]))


@pytest.mark.parametrize("rule", ["ABC123", "SYS001", "TOP001", "INT007", "REN001"])
def test_a_rule_that_cannot_be_waived(tmp_path: Path, rule: str) -> None:
    outcome = checked(tmp_path, waivers=[waiver(rule)])
    assert "WVR003" in rules_of(outcome)


def test_a_waiver_hides_what_the_inventory_made_of_a_finding(tmp_path: Path, wrong: str) -> None:
    change = {wrong: {"level": "warning", "reason": "seen"}}
    outcome = checked(tmp_path, waivers=[waiver(wrong)], severity=change)
    assert [one.finding.severity for one in outcome.waived] == [Severity.WARNING]


@pytest.mark.parametrize("rule", ["TOP019", "TOP020", "TOP030", "SYS004"])
def test_a_rule_with_lesser_findings_can_be_waived(tmp_path: Path, rule: str) -> None:
    """Its errors stay: see `Decisions`."""
    assert "WVR003" not in rules_of(checked(tmp_path, waivers=[waiver(rule)]))
    assert (
        severities(())[rule] < Severity.ERROR <= {one.id: one for one in all_rules()}[rule].severity
    )


@pytest.mark.parametrize("rule", ["TOP014", "TOP013"])
def test_what_rendering_accepts_can_be_an_error(tmp_path: Path, rule: str) -> None:
    """A fabric with one spine, which is oversubscribed, can be rendered."""
    file = (
        inventory(tmp_path, severity={rule: {"level": "error", "reason": "ours"}}) / "fabric.yaml"
    )
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("spines: {count: 2", "spines: {count: 1"), encoding="utf-8")
    outcome = check(Project(tmp_path))
    assert rule in rules_of(outcome)
    assert "WVR003" not in rules_of(outcome)


@pytest.mark.parametrize("level", ["warning", "info"])
def test_another_severity(tmp_path: Path, wrong: str, level: str) -> None:
    outcome = checked(tmp_path, severity={wrong: {"level": level, "reason": "seen"}})
    assert wrong not in rules_of(outcome)
    assert {f.severity.word for f in outcome.findings if f.rule == wrong} == {level}


def test_ports_of_a_rendered_table_are_folded_after_the_waivers(tmp_path: Path) -> None:
    folder = inventory(tmp_path, waivers=[waiver("SON031", port="Ethernet0")])
    decisions = Decisions.of(load(folder))
    found = [
        Finding("SON031", Severity.ERROR, "too small", device="su1-rail0", port=f"Ethernet{number}")
        for number in (0, 8, 16)
    ]
    outcome = Outcome(tuple(found), (), (), ()).decided(decisions)
    (folded,) = by_port(outcome.findings)
    assert folded.port == "Ethernet8, Ethernet16"
    assert [one.finding.port for one in outcome.waived] == ["Ethernet0"]


@pytest.mark.parametrize("form", sorted(reports()))
def test_every_report_tells(tmp_path: Path, wrong: str, form: str) -> None:
    outcome = checked(tmp_path, waivers=[waiver(wrong)])
    text = reports()[form](Reported(outcome, all_rules()))
    if form in ("github", "gitlab"):  # notes on lines: the summary of the first counts them
        assert "1 waived" in text or form == "gitlab"
    else:
        assert "agreed with the owner" in text
    if form == "json":
        (one,) = json.loads(text)["waived"]
        assert (one["rule"], one["until"]) == (wrong, SOON.isoformat())


def test_like_waived_findings_are_one_line_for_people(tmp_path: Path) -> None:
    decisions = Decisions.of(load(inventory(tmp_path, waivers=[waiver("SON031")])))
    findings = tuple(
        Finding("SON031", Severity.ERROR, "too small", device=f"su1-rail{number}")
        for number in range(8)
    )
    outcome = Outcome(findings, (), (), ()).decided(decisions)
    for form in ("text", "markdown"):
        short, full = (
            reports()[form](Reported(outcome, all_rules(), full=full)) for full in (False, True)
        )
        assert (short.count("waived until"), full.count("waived until")) == (1, 8)
        assert "7 more that differ in names and numbers alone; all are on su1-rail" in short
    assert "8 findings in 1 group" in reports()["text"](Reported(outcome, (), full=False))


def test_a_waiver_needs_reason_and_day(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        Project(inventory(tmp_path, waivers=[{"rule": "qos1", "device": "; rm"}]))
    fields = {finding.field for finding in refused.value.findings}
    assert fields == {f"fabric.waivers[0].{name}" for name in ("rule", "device", "reason", "until")}
