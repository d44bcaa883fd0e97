"""Every fact about a known defect against its cases: it strikes, and a clean twin is left alone."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from fabric.core.findings import Severity
from fabric.defects.book import fact_files, facts
from fabric.devices.candidate import SonicStep
from fabric.platforms.catalogue import Skus
from fabric.systems.sonic.defect_steps import warnings_of
from fabric.validate.defects import aged
from fabric.validate.rule import rules
from fabric.validate.runner import run
from fabric.validate.world import World
from fabric.workflow.audit import audit
from fabric.workflow.check import check_sonic_files
from tests.cases import each
from tests.validate.worlds import build, edited, sample

CASES = Path(__file__).parent / "cases"
#: Where a fact can come from that everybody can read.
PUBLIC = (
    *("sonic-net/", "project-arlo/", "CumulusNetworks/"),
    *("juniper.net", "arista.com", "Cisco Nexus"),
)
FILES = {path.stem: path for path in sorted(CASES.glob("*.yaml"))}


def cases_of(fact: str) -> list[dict[str, Any]]:
    return yaml.safe_load(FILES[fact].read_text())


def findings_of(fact: str, case: dict[str, Any], folder: Path) -> Any:
    """Return what a fact says: of an inventory, of a CONFIG_DB, or of a text that an audit reads.

    ``sonic_asic`` and ``sonic_model`` put leaves on what no model of the catalogue is with such
    ports.
    """
    if "text" in case:
        file = folder / f"leaf1.{case['system']}"
        file.parent.mkdir()
        file.write_text(case["text"])
        found = audit([file], case["system"]).outcome.findings
        return [finding for finding in found if finding.rule == fact]
    world = build(case, folder, is_rendered=False)
    asic, name_of_model = case.get("sonic_asic"), case.get("sonic_model")
    if asic or name_of_model:
        model = world.model
        assert model is not None
        devices = {
            name: _renamed(device, asic, name_of_model) if "rail" in name else device
            for name, device in model.devices.items()
        }
        world = World(replace(model, devices=devices))
    outcome = run(world, rules=[rules[fact](fact)])
    assert outcome.broken == ()
    return outcome.findings


def _renamed(device: Any, asic: str | None, model: str | None) -> Any:
    sku = replace(device.sku, asic=asic or device.sku.asic, name=model or device.sku.name)
    return replace(device, sku=sku)


def notes_of(fact: str, case: dict[str, Any]) -> list[str]:
    """Return what a plan says of its steps."""
    steps = [SonicStep(step["kind"], json.dumps(step["content"])) for step in case["steps"]]
    chosen, today = [facts()[fact]], date(2026, 11, 29)
    return list(warnings_of(case["running"], steps, chosen, "", Skus(), today))


@pytest.mark.parametrize("fact", [name for name in facts() if facts()[name].plan])
def test_a_step_sets_it_off_and_another_does_not(fact: str, subtests: Any) -> None:
    cases = cases_of(fact)
    assert {"expect" in case for case in cases} == {True, False}
    for case in cases:
        with subtests.test(case["name"]):
            notes = notes_of(fact, case)
            assert len(notes) == ("expect" in case)
            for note in notes:
                assert note.startswith(case["expect"])
                assert f"{facts()[fact].title}; " in note
                assert note.endswith(f"[{fact}]")


@pytest.mark.parametrize("fact", [name for name in facts() if facts()[name].is_judged])
def test_it_strikes_and_leaves_its_twin_alone(fact: str, tmp_path: Path, subtests: Any) -> None:
    cases = cases_of(fact)
    assert any("expect" in case for case in cases)
    assert any("expect" not in case for case in cases)
    for number, case in enumerate(cases):
        with subtests.test(case["name"]):
            found = findings_of(fact, case, tmp_path / str(number))
            expected = [case["expect"]] if "expect" in case else []
            assert [finding.severity.word for finding in found] == expected
            for finding in found:
                assert facts()[fact].title in finding.message
                if "line" in case:
                    assert finding.position.line == case["line"]
                if "at" in case:
                    place = finding.position
                    line = Path(place.file).read_text().splitlines()[place.line - 1]
                    assert case["at"] in line


def test_each_fact_has_cases_and_no_case_is_left_over() -> None:
    assert set(FILES) == set(facts()) == {file.name.removesuffix(".toml") for file in fact_files()}


@each("fact", facts().values())
def test_a_fact_has_a_public_source(fact: Any) -> None:
    assert any(word in fact.source for word in PUBLIC)
    assert not fact.title.endswith(".")
    assert not fact.workaround.endswith(".")
    assert fact.effect.endswith(".")


def test_a_fact_that_nobody_confirmed_for_a_year_says_so(tmp_path: Path) -> None:
    found = findings_of("DEF003", cases_of("DEF003")[0], tmp_path / "case")
    last = facts()["DEF003"].checked.last
    for days, says in ((365, False), (366, True)):
        [finding] = aged(found, facts(), last + timedelta(days))
        assert (f"not confirmed since {last}" in finding.message) is says


@each("fact", [("DEF004", "; last seen in 202512"), ("DEF036", "; fixed in 202211")])
def test_a_finding_says_where_the_range_of_its_fact_ends(fact: tuple[str, str]) -> None:
    name, end = fact
    with TemporaryDirectory() as folder:
        [finding] = findings_of(name, cases_of(name)[0], Path(folder) / "case")
    assert finding.fix.endswith(end)


def test_an_expiry_counts_before_the_year() -> None:
    fact = facts()["DEF003"].model_copy(update={"expires": date(2026, 12, 24)})
    assert not fact.is_stale(date(2026, 12, 24))
    assert fact.is_stale(date(2026, 12, 25))


def test_no_fact_is_an_error() -> None:
    """An error would stop every plan of a switch for what its owner may know and accept."""
    assert all(fact.level < Severity.ERROR for fact in facts().values())


def test_a_finding_about_a_file_names_its_line(tmp_path: Path) -> None:
    pools = [["size", "258035400"], ["xoff", "81553920"]]
    edits = [["BUFFER_POOL", "ingress_lossless_pool", *pool] for pool in pools]
    model = ["DEVICE_METADATA", "localhost", "hwsku", "NH-4210-F-O256"]
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(edited(sample(), [model, *edits]), indent=2))
    [finding] = [f for f in check_sonic_files([file]).findings if f.rule == "DEF001"]
    assert finding.position.file == str(file)
    assert "258035400" in file.read_text().splitlines()[finding.position.line - 1]
