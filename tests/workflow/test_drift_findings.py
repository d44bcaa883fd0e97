"""A look at a device as findings: one for each setting, by which it is known in later looks."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from fabric.change.model import Change, Risk
from fabric.workflow.drift_findings import findings_of, report
from fabric.workflow.verify import Health

PLANNED = Change("interface Ethernet1/1: mtu 9214", "", "mtu 9214", Risk.BRIEF_LOSS)


def _looked(mtu: str) -> Health:
    line = f"mtu {mtu}"
    runs = Change(f"interface Ethernet1/1: {line}", line, "", Risk.BRIEF_LOSS)
    return Health("leaf1", "eos", (runs, PLANNED))


def test_a_value_that_changes_again_is_the_same_finding() -> None:
    (first,), (second,) = findings_of(_looked("1500")), findings_of(_looked("1600"))
    assert first.field == second.field == "interface Ethernet1/1: mtu"
    assert (first.message, second.running) == ("runs 1500, planned 9214", "1600")


def test_junit_fails_what_differs_and_skips_what_was_not_read() -> None:
    unread = Health("leaf2", "eos", error="timed out")
    for health, failed, skipped in (
        ([Health("leaf1", "eos")], [], []),
        ([_looked("1500")], ["DRF001"], []),
        ([_looked("1500"), unread], ["DRF001", "DRF004"], ["DRF002", "DRF003", "DRF006"]),
        ([Health("leaf1", "eos", uncompared=("no release",))], [], ["DRF006"]),
    ):
        suite = ET.fromstring(report(health, "junit", Path("inventory")))
        cases = {case.attrib["name"].split()[0]: case for case in suite.iter("testcase")}
        for word, rules in (("failure", failed), ("skipped", skipped)):
            assert [rule for rule, case in cases.items() if case.find(word) is not None] == rules


def test_sarif_has_a_result_for_each_setting() -> None:
    log = json.loads(report([_looked("1500")], "sarif", Path("inventory")))
    (result,) = log["runs"][0]["results"]
    assert "Ethernet1/1: mtu: leaf1: runs 1500, planned 9214" in result["message"]["text"]
