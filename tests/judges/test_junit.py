"""Every JUnit output is put before the schema of Jenkins, which CI systems follow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from fabric.core.findings import Finding, Severity
from fabric.lab.faults import Fault
from fabric.report.accept import Acceptance, Record, Result, Step
from fabric.report.accept import junit as accepted
from fabric.validate.report import reports
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.cli.runs import DEMO, run
from tests.health.windows import Fabric
from tests.judges.conftest import missing_judge
from tests.workflow.test_judge import storm, written

#: As `make judges` unpacks it; jenkinsci/xunit-plugin has it as types/model/xsd/junit-10.xsd.
SCHEMA = Path("/var/cache/rocefab-schemas/junit-10.xsd")
HOSTILE = "]]> <failure/> \x1b[2J \x00 \ufffe \U0001f525"


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    if not SCHEMA.is_file():
        missing_judge("the JUnit schema of Jenkins")
    return etree.XMLSchema(etree.parse(SCHEMA))


def judged(schema: etree.XMLSchema, text: str) -> dict[str, str]:
    """Return the numbers of a suite that the schema takes."""
    suite = etree.fromstring(text.encode())
    schema.assertValid(suite)
    return dict(suite.attrib)


def test_the_schema_rejects_what_is_wrong(schema) -> None:
    with pytest.raises(etree.DocumentInvalid):
        judged(schema, '<testsuite name="x" tests="1" failures="0"/>')


@pytest.mark.parametrize("fail_on", ["error", "warning", "info"])
def test_check(schema, fail_on) -> None:
    ended = run("check", DEMO, "--format", "junit", "--fail-on", fail_on)
    assert int(judged(schema, ended.out)["tests"]) > 100


def test_check_of_an_inventory_that_cannot_be_read(schema, tmp_path) -> None:
    labs.write_inventory(tmp_path, labs.INVENTORY.replace("rails: 1", "rails: two"))
    ended = run("check", tmp_path, "--format", "junit")
    assert ended.code == 2
    assert judged(schema, ended.out)["failures"] == "1"


def test_hostile_text_and_a_rule_that_broke(schema) -> None:
    wrong = Finding("INT002", Severity.ERROR, HOSTILE, HOSTILE, device=HOSTILE)
    findings = (wrong, replace(wrong, rule="TOP001", severity=Severity.INFO))
    outcome = Outcome(findings, (), (), (("QOS012", HOSTILE),))
    suite = judged(schema, reports()["junit"](Reported(outcome, ())))
    assert (suite["tests"], suite["failures"], suite["errors"]) == ("3", "1", "1")


@pytest.mark.parametrize("fabric", [storm(), Fabric()])
def test_judge(schema, tmp_path, fabric) -> None:
    readings = written(tmp_path / "readings.jsonl", fabric)
    ended = run("judge", DEMO, "--readings", readings, "--format", "junit")
    suite = judged(schema, ended.out)
    assert (suite["failures"] == "0") == (ended.code == 0)


def test_observe_once(schema, tmp_path, monkeypatch) -> None:
    """The fabric of the lab, and then with a leaf that does not answer."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    inventory = labs.write_inventory(tmp_path / "inventory", labs.INVENTORY)
    words = ("observe", inventory, "--once", "--format", "junit", "--connections")
    with laboratory(Project(inventory), tmp_path / "lab") as lab:
        read = run(*words, tmp_path / "lab" / CONNECTIONS)
        lab[labs.LEAF].faults.add(Fault("cut_at_command", times=0))
        unread = run(*words, tmp_path / "lab" / CONNECTIONS)
    assert judged(schema, read.out)["name"] == "rocefab judge", read.err
    assert int(judged(schema, unread.out)["failures"]) > int(judged(schema, read.out)["failures"])


def test_accept(schema) -> None:
    results = {"ping": Result("failed", HOSTILE, (HOSTILE, HOSTILE)), "rdma": Result("passed")}
    steps = (Step("ping", "Ping"), Step("rdma", "RDMA"), Step("nccl", "NCCL"))
    suite = judged(schema, accepted(Acceptance(Record("demo", "0" * 64, results), steps)))
    assert (suite["tests"], suite["failures"], suite["errors"]) == ("3", "1", "0")
