"""Running rules: broken ones, ignored ones, merging."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.systems.sonic.config_db import SonicConfig, configs_of
from fabric.systems.sonic.rule import SonicRule
from fabric.validate import runner
from fabric.validate.defects import DefectRule
from fabric.validate.report.plain_json import as_json
from fabric.validate.report.text import text
from fabric.validate.reported import Reported
from fabric.validate.rule import ModelRule, Rule, SiteRule
from fabric.validate.world import World
from tests.validate.worlds import build, edited, sample


class Raises(Rule):
    """A rule with a mistake."""

    why = "For tests."
    source = "none"

    def subjects(self, world: World) -> Any:
        del world
        return [()]

    def check(self) -> Any:
        yield self.finding("before the mistake", "")
        raise ZeroDivisionError("numbers")


class Speaks(Rule):
    """A rule that says what it is told."""

    why = "For tests."
    source = "none"

    def __init__(self, rule_id: str, findings: list[Finding]) -> None:
        super().__init__(rule_id)
        self._findings = findings

    def subjects(self, world: World) -> Any:
        del world
        return [()]

    def check(self) -> Any:
        return iter(self._findings)


def _run(monkeypatch: pytest.MonkeyPatch, *rules: Rule) -> runner.Outcome:
    monkeypatch.setattr(runner, "all_rules", lambda: list(rules))
    return runner.run(World())


def test_exception_is_a_broken_rule_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Speaks("TST002", [Finding("TST002", Severity.INFO, "said")])
    outcome = _run(monkeypatch, Raises("TST001"), other)
    assert outcome.broken == (("TST001", "ZeroDivisionError: numbers"),)
    assert outcome.checked == ("TST002",)
    assert [finding.message for finding in outcome.findings] == ["said"]


class Older(Rule):
    """A rule of a plug-in for an older release."""

    why = source = "For tests."
    guards = ()

    def run(self, world: World) -> Any:
        del world
        return iter(())


def test_a_rule_that_says_not_what_it_judges_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "registry", {"TST001": Older})
    lacks = "the rule tests.validate.test_runner.Older lacks check and subjects; see docs/add"
    with pytest.raises(InputError, match=lacks):
        runner.run(World())


def test_same_cause_is_one_finding_with_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Position("fabric.yaml", 3, 1)
    same = [
        Finding("TST001", Severity.ERROR, "bad", position=place, device=f"leaf{number}")
        for number in range(3)
    ]
    elsewhere = Finding("TST001", Severity.ERROR, "bad", position=Position("fabric.yaml", 4, 1))
    nowhere = [Finding("TST001", Severity.ERROR, "bad", device=name) for name in ("a", "b")]
    outcome = _run(monkeypatch, Speaks("TST001", [*same, elsewhere, *nowhere]))
    assert [(f.message, f.device, f.also) for f in outcome.findings] == [
        ("bad (and in 2 more places)", "leaf0", ("leaf1", "leaf2")),
        ("bad", "", ()),
        ("bad", "a", ()),
        ("bad", "b", ()),
    ]
    reported = Reported(outcome, ())
    assert "\n    also: leaf[1-2]\n" in text(reported)
    assert "also" not in text(replace(reported, full=False))
    assert json.loads(as_json(reported))["findings"][0]["also"] == ["leaf1", "leaf2"]


def test_worst_first(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("TST001", severity, severity.word) for severity in sorted(Severity)]
    outcome = _run(monkeypatch, Speaks("TST001", findings))
    assert [finding.message for finding in outcome.findings] == ["error", "warning", "info"]
    assert len(outcome.at_least(Severity.WARNING)) == 2


def test_ignored_and_unfit_rules_are_skipped() -> None:
    outcome = runner.run(World(configurations=configs_of({"leaf": sample()})), ["SON001"])
    models = {
        rule.id
        for rule in runner.all_rules()
        if isinstance(rule, (ModelRule, SiteRule)) and not isinstance(rule, DefectRule)
    }
    assert set(outcome.skipped) == {"SON001", "SON040"} | models  # no models at hand
    assert set(outcome.checked).isdisjoint(outcome.skipped)


def test_model_alone_and_without_sonic_skips_site_and_config_rules(tmp_path: Any) -> None:
    outcome = runner.run(build({"base": "a100-pcie"}, tmp_path))
    configs = {rule.id for rule in runner.all_rules() if isinstance(rule, (SonicRule, SiteRule))}
    assert set(outcome.skipped) == configs


def test_ports_of_one_switch_are_one_finding() -> None:
    edits = [["PORT", f"Ethernet{8 * number}", "pfc_asym", "on"] for number in range(10)]
    found = runner.run(World(configurations=configs_of({"leaf": edited(sample(), edits)}))).findings
    assert [finding.port for finding in found] == [
        "Ethernet0, Ethernet8, Ethernet16, Ethernet24 and 6 more"
    ]


def test_config_reads_old_reference_form() -> None:
    edits = [
        ["BUFFER_PG", "Ethernet0|3", "profile", "[BUFFER_PROFILE|pg_lossless_400000_5m_profile]"]
    ]
    assert (
        runner.run(World(configurations=configs_of({"leaf": edited(sample(), edits)}))).findings
        == ()
    )


def test_config_reads_ranges_and_lists_of_ports() -> None:
    config = SonicConfig("leaf", {"QUEUE": {"Ethernet0,Ethernet8|3-4": {"wred_profile": "W"}}})
    assert set(config.queues) == {(f"Ethernet{p}", q) for p in (0, 8) for q in (3, 4)}
