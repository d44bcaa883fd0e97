"""drift names switches that are off their planned release; nothing is upgraded."""

from __future__ import annotations

import pytest

from fabric.change.expectation import Deviation
from fabric.report.drifts import RELEASE, SETTING
from fabric.systems.cumulus import parsers as cumulus
from fabric.workflow.drift_findings import findings_of, is_judged_by
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.planned_release import OFF_RELEASE
from fabric.workflow.project import Project
from fabric.workflow.verify import Health, drift
from tests.change import labs


def planned(leaf: str, spine: str, text: str = labs.INVENTORY) -> str:
    """Return the inventory with releases; an empty one plans none."""
    for sku, release in (("ACS-MSN4700", leaf), ("7060X6-64PE", spine)):
        own = f"{{sku: {sku}, release: '{release}'}}" if release else f"{{sku: {sku}}}"
        text = text.replace(f"{{sku: {sku}}}", own)
    return text


def looks(project, folder):
    seen = drift(project, folder / "lab" / CONNECTIONS, labs.ALL, labs.silent)
    return {item.device: item for item in seen}


def off(item):
    return [one.message for one in item.deviations if one.subject == OFF_RELEASE]


def test_switches_off_their_release(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    folder = tmp_path / "inventory"
    with laboratory(Project(labs.write_inventory(folder)), tmp_path / "lab"):
        labs.write_inventory(folder, planned("202505", "4.33"))
        seen = looks(Project(folder), tmp_path)
        assert off(seen[labs.LEAF]) == ["runs release 202405.0, planned 202505"]
        assert off(seen[labs.SPINE]) == ["runs release 4.32.2F, planned 4.33"]
        rules = {finding.rule for finding in findings_of(seen[labs.SPINE])}
        assert RELEASE in rules
        assert not seen[labs.SPINE].ok
        labs.write_inventory(folder, planned("202405", "4.32.2F"))
        seen = looks(Project(folder), tmp_path)
        assert not any(off(item) or item.uncompared for item in seen.values())
        labs.write_inventory(folder, planned("202405.7", "best-of-all"))
        seen = looks(Project(folder), tmp_path)
        assert off(seen[labs.LEAF]) == ["runs release 202405.0, planned 202405.7"]
        assert seen[labs.SPINE].uncompared == ("release best-of-all: it says '4.32.2F'",)
        assert not off(seen[labs.SPINE])


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        (labs.NXOS, "N9K-C9364D-GX2A", "10.5(1)F", "runs release 10.4(3), planned 10.5(1)F"),
        (labs.JUNOS, "QFX5230-64CD", "24.4R1-EVO", "planned 24.4R1-EVO"),
        (labs.VRP8, "CE8851-32CQ8DQ-P", "V300R024C00", "planned V300R024C00"),
        (labs.CUMULUS, "spine: {sku: SN5600", "5.15", "runs release 5.14, planned 5.15"),
        (labs.COMWARE7, "spine: {sku: S9820-64H", "R6710", "runs release R6555P01, planned R6710"),
        (
            labs.ESONIC,
            "Z9664F-ON",
            "4.5.1",
            "runs release SONiC-OS-4.4.0-Enterprise_Base, planned 4.5.1",
        ),
    ],
    ids=["nxos", "junos", "vrp8", "cumulus", "comware7", "esonic"],
)
def test_what_each_system_says(text, old, new, expected, tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    folder = tmp_path / "inventory"
    with laboratory(Project(labs.write_inventory(folder, text)), tmp_path / "lab"):
        labs.write_inventory(folder, text.replace(f"{old}}}", f"{old}, release: '{new}'}}"))
        (message,) = off(looks(Project(folder), tmp_path)[labs.SPINE])
        assert message.endswith(expected)


def test_a_release_that_is_not_read_is_information(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    folder = tmp_path / "inventory"
    monkeypatch.setattr(cumulus, "release", lambda _text: "")
    with laboratory(Project(labs.write_inventory(folder, labs.CUMULUS)), tmp_path / "lab"):
        text = labs.CUMULUS.replace("sku: SN5600}", "sku: SN5600, release: '5.14.0'}")
        labs.write_inventory(folder, text)
        seen = looks(Project(folder), tmp_path)
        assert seen[labs.SPINE].uncompared == ("release 5.14.0: its version is not read",)
        assert not off(seen[labs.SPINE])


def test_a_finding_of_a_release_lasts_while_the_version_is_unknown():
    (finding,) = findings_of(
        Health("a", "eos", deviations=(Deviation("a", OFF_RELEASE, "system", "runs 1"),))
    )
    assert finding.rule == RELEASE != SETTING
    assert is_judged_by(Health("a", "eos"))(finding)
    assert not is_judged_by(Health("a", "eos", uncompared=("release 2: not read",)))(finding)
    assert not is_judged_by(Health("a", "eos", error="gone"))(finding)
