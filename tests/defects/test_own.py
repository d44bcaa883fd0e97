"""Facts of an inventory: read with it, judged like ours, rejected whole where they are wrong."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from fabric.report.defects import defect_details, defects
from fabric.workflow.check import check
from fabric.workflow.project import Project
from fabric.workflow.prove import Request, prove
from tests.validate.worlds import ROOT

FACT = """\
id = "OWN001"
title = "the watchdog of our image drops too late"
systems = ["sonic"]
severity = "warning"
effect = "A storm lasts a second."
workaround = "use image 7"
source = "ticket 1234 of our network team"
design = {watchdog = true, watchdog_detection_ms = {at_least = 400}}

[checked]
first = 2026-01-10
last = 2026-01-10
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    copytree(ROOT / "inventory" / "demo", folder)
    (folder / "defects").mkdir()
    return folder


def write(folder: Path, text: str, name: str = "OWN001.toml") -> None:
    (folder / "defects" / name).write_text(text)


def mine(folder: Path, ignore: tuple[str, ...] = ()) -> list[Any]:
    outcome = check(Project(folder), ignore)
    return [finding for finding in outcome.findings if finding.rule.startswith("OWN")]


def test_it_is_judged(inventory: Path) -> None:
    write(inventory, FACT)
    [finding] = mine(inventory)
    assert "drops too late" in finding.message
    assert finding.severity.word == "warning"
    assert finding.position.file == str(inventory / "fabric.yaml")


def test_it_is_silent_where_it_does_not_hold(inventory: Path) -> None:
    write(inventory, FACT.replace("at_least = 400", "at_least = 401"))
    assert mine(inventory) == []


def test_it_can_be_ignored(inventory: Path) -> None:
    write(inventory, FACT)
    assert mine(inventory, ("OWN001",)) == []


def test_prove_says_the_same_of_the_design(inventory: Path) -> None:
    write(inventory, FACT)
    found = [f for f in prove(Project(inventory), Request()).outcome.findings if f.rule == "OWN001"]
    assert found == mine(inventory)
    assert found
    ignoring = prove(Project(inventory), Request(ignore=("OWN001", "DEF003")))
    assert [f for f in ignoring.outcome.findings if f.rule == "OWN001"] == []
    assert "DEF002" in ignoring.outcome.checked
    assert "DEF003" not in ignoring.outcome.checked


def test_it_can_be_waived(inventory: Path) -> None:
    write(inventory, FACT)
    with (inventory / "fabric.yaml").open("a") as file:
        file.write('waivers:\n  - {rule: OWN001, reason: accepted, until: "2099-01-01"}\n')
    outcome = check(Project(inventory))
    assert [item.finding.rule for item in outcome.waived if item.finding.rule == "OWN001"]
    assert not [item for item in outcome.findings if item.rule in ("OWN001", "WVR002", "WVR003")]


def test_it_is_listed_and_explained(inventory: Path) -> None:
    write(inventory, FACT)
    assert "OWN001" in [row[0] for row in defects(inventory=inventory).rows]
    assert dict(defect_details("OWN001", inventory).rows)["what to do"] == "use image 7"
    with pytest.raises(InputError):
        defect_details("OWN001")


#: By what is wrong: the text that becomes another, the line and the field that are named.
WRONG = {
    "an unknown field": ("severity =", "severty =", 4, "severty", "unknown field"),
    "an unknown system": ('["sonic"]', '["sonix"]', 3, "systems[0]", "unknown system 'sonix'"),
    "an unknown chip": (
        "severity",
        'asics = ["tomahawk-9"]\nseverity',
        4,
        "asics[0]",
        "unknown ASIC family 'tomahawk-9'",
    ),
    "an empty range": (
        "[checked]",
        '[[releases]]\nfirst = "202511"\nfixed = "202505"\n[checked]',
        11,
        "releases[0].first",
        "no release of sonic is from 202511 before 202505",
    ),
    "no release": (
        "[checked]",
        '[[releases]]\nfirst = "5.14"\n[checked]',
        11,
        "releases[0].first",
        "'5.14' is no release of sonic",
    ),
    "no condition": (
        "design = {watchdog = true, watchdog_detection_ms = {at_least = 400}}",
        "",
        0,
        "design",
        "no condition",
    ),
    "an unknown trait": ("watchdog = true", "wachdog = true", 8, "design.wachdog", "unknown field"),
    "an empty interval": (
        "at_least = 400",
        "at_least = 400, at_most = 1",
        8,
        "design.watchdog_detection_ms",
        "no number is from 400.0 to 1.0",
    ),
    "days in a wrong order": ("last = 2026-01-10", "last = 2026-01-09", 10, "checked", "before"),
    "no TOML": ("title =", "title", 2, "", "Expected '='"),
    "an id of ours": ('"OWN001"', '"DEF001"', 1, "id", "does not start with OWN"),
    "an id that is not the name": ('"OWN001"', '"OWN002"', 1, "id", "the file has the name"),
    "a text that is too long": ("use image 7", "x" * 601, 6, "workaround", "at most 600"),
    "row and line at once": (
        "[checked]",
        '[[config]]\ntable = "PORT"\nline = "x"\n[checked]',
        10,
        "config[0]",
        "set either table or line",
    ),
    "code instead of a value": ("true", "{{ 1 }}", 8, "", "Invalid"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_fact_is_named_with_line_and_field(wrong: str, inventory: Path) -> None:
    old, new, line, field, message = WRONG[wrong]
    assert old in FACT
    write(inventory, FACT.replace(old, new))
    with pytest.raises(InputError) as error:
        load(inventory)
    found = [f for f in error.value.findings if f.field == field]
    assert found, [str(f) for f in error.value.findings]
    assert message in found[0].message
    assert found[0].position.file == str(inventory / "defects" / "OWN001.toml")
    assert found[0].position.line == line
    assert found[0].fix


def test_a_file_that_is_too_large_is_rejected(inventory: Path) -> None:
    write(inventory, "#" * (65 << 10))
    with pytest.raises(InputError, match="1 error"):
        load(inventory)


def test_a_link_out_of_the_inventory_is_rejected(inventory: Path, tmp_path: Path) -> None:
    (tmp_path / "OWN001.toml").write_text(FACT)
    (inventory / "defects" / "OWN001.toml").symlink_to(tmp_path / "OWN001.toml")
    with pytest.raises(InputError, match="1 error"):
        load(inventory)


def test_facts_are_no_yaml(inventory: Path) -> None:
    write(inventory, "a: 1\n", "OWN001.yaml")
    with pytest.raises(InputError) as error:
        load(inventory)
    assert "TOML" in error.value.findings[0].fix
