"""show platforms: lists, single models with their sources, and the models of an inventory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.facts import FACTS, GRADES
from fabric.report.model_search import ADD_A_MODEL
from fabric.report.platforms import platforms
from fabric.report.table import Table
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import ROOT, run
from tests.intent.test_own_skus import FILES, MODEL, TABLE, write


def rows(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def facts_of(name: str, inventory: Path | None = None) -> dict[object, dict[str, object]]:
    return {row["fact"]: row for row in rows(platforms(name, inventory))}


def test_models() -> None:
    results = {row["sku"]: row for row in rows(platforms())}
    assert tuple(results) == sku_names()
    nvidia = results["ACS-SN5600"]
    assert (nvidia["law"], nvidia["buffer_mb"], nvidia["headroom_table"]) == (
        "spectrum",
        158.2,
        "24 rows",
    )
    assert nvidia["lossless_classes"] == "unknown"
    assert results["Dell-Z9864f-O64"]["lossless_classes"] == 6
    assert results["7060X6-64PE"]["headroom_table"] == "none published"


def test_families_with_marks_for_how_well_a_number_is_known() -> None:
    results = {row["asic"]: row for row in rows(platforms(asics=True))}
    assert tuple(results) == asic_names()
    assert results["tomahawk-5"]["cell_bytes"] == "254"
    assert results["tomahawk-4"]["cell_bytes"] == "~254"
    assert results["tomahawk-4"]["facts"] == "2 vendor, 9 deduced"
    assert results["nephos"]["cell_bytes"] == "unknown"


@pytest.mark.parametrize("name", ["ACS-SN5600", "spectrum-4", "spc4"])
def test_every_fact_stands_with_unit_grade_and_source(name: str) -> None:
    result = facts_of(name)
    for fact_name, fact in asic("spectrum-4").facts.items():
        row = result[fact_name]
        assert (row["value"], row["grade"], row["source"]) == (fact.value, fact.grade, fact.source)
        assert row["unit"] == FACTS[fact_name].unit


@each("name", sku_names())
def test_what_is_known_of_a_model_has_a_grade_and_a_source(name: str) -> None:
    for row in facts_of(name).values():
        if row["fact"] in ("asic", "law"):
            continue
        unknown = row["value"] in ("unknown", "none", "none published")
        assert bool(row["source"]) == (not unknown), row
        assert (row["grade"] in GRADES) == (not unknown), row


def test_pools_and_lengths_of_a_model() -> None:
    result = facts_of("DellEMC-Z9332f-O32")
    assert result["cable_lengths"]["value"] == "5,40,300,1000,2000"
    assert result["pool_shared_headroom_bytes"]["value"] == 27_200_352
    assert result["pool_ingress_lossy_bytes"]["value"] == "none"
    assert facts_of("NH-4010")["pools"]["value"] == "unknown"
    assert facts_of("ACS-MSN3800")["gearbox"]["value"] == 400


def test_a_model_that_cannot_be_rendered_is_listed_as_such(tmp_path: Path) -> None:
    table = platforms()
    column = table.headers.index("rendered")
    listed = {row[0]: row[column] for row in table.rows}
    lacking = {name for name in listed if sku(name).lacks}
    assert listed["NH-4010"] == "no: buffer pools unknown"
    assert {listed[name] for name in lacking} == {"no: buffer pools unknown"}
    assert {listed[name] for name in listed.keys() - lacking} == {"yes"}
    text = (ROOT / "inventory" / "demo" / "fabric.yaml").read_text()
    lists = "`rocefab show platforms` lists as rendered"
    same = f"{lists}: Arista-7060X6-64PE-O128 is the same switch"
    for model, fix in {"NH-4010": lists, "Arista-7060X6-64PE": same}.items():
        (tmp_path / "fabric.yaml").write_text(text.replace("ACS-MSN4700", model))
        finding = check(Project(tmp_path)).findings[0]
        assert f"buffer pools of {model} are not known" in finding.message
        assert finding.fix.endswith(fix)


def test_a_buffer_that_is_known_in_part_is_not_called_unknown() -> None:
    findings = check(Project(ROOT / "inventory" / "mixed")).findings
    (said,) = [one.message for one in findings if one.rule == "QOS002" and "QFX" in one.message]
    assert re.search(
        r"QFX\S+ is not known, only the lossless part of its buffer, [\d,]+ bytes", said
    )


def test_models_of_the_inventory(tmp_path: Path) -> None:
    folder = write(tmp_path, FILES)
    names = [row["sku"] for row in rows(platforms("", folder))]
    assert names == sorted([*sku_names(), "My-Switch"])
    result = facts_of("My-Switch", folder)
    assert result["ports"]["grade"] == "inventory"
    assert result["ports"]["source"] == f"{folder}/platforms/own.yaml"
    assert result["mac_entries"]["source"] == "data sheet of My-Switch"
    assert result["cell_bytes"]["grade"] == "vendor"


def test_an_unknown_name() -> None:
    fix = f"did you mean 'ACS-SN5600'? Else {ADD_A_MODEL}"
    with pytest.raises(InputError) as caught:
        platforms("ACS-SN560")
    assert [str(one) for one in caught.value.findings] == [
        f"unknown switch model or ASIC family 'ACS-SN560'; {fix} [INT026]"
    ]
    with pytest.raises(InputError, match="unknown model") as caught:
        platforms("My-Switch")
    fix = f"`rocefab show platforms` lists them; {ADD_A_MODEL} [INT026]"
    assert str(caught.value.findings[0]).endswith(fix)


def test_a_system_or_a_maker_lists_its_models_and_how_to_add_another() -> None:
    table = platforms("comware7")
    assert {row["nos"] for row in rows(table)} == {"comware7"}
    assert "docs/reference/models.md" in table.hint
    assert platforms("H3C").rows == table.rows
    assert {row["nos"] for row in rows(platforms("huawei"))} == {"vrp8"}
    assert {row["nos"] for row in rows(platforms("sonic"))} == {"sonic"}
    dell = {str(row["sku"]) for row in rows(platforms("dell"))}
    assert {"Dell-Z9864f-O64", "Z9664F-ON"} < dell
    assert not dell & {"ACS-SN5600", "SN5600", "7060X6-64PE"}
    ended = run("show", "platforms", "Comware 7")
    assert ended.code == 0
    assert table.hint in ended.err


def test_command_line(tmp_path: Path) -> None:
    """As JSON, with models of the inventory, and warnings apart from the data."""
    table = TABLE + "100000 5m 40000 19456 33792 0\n"
    files = FILES | {
        "platforms/own.yaml": MODEL.replace("asic: th5", "asic: spectrum-4"),
        "platforms/mine/pg_profile_lookup.ini": table,
    }
    folder = str(write(tmp_path, files))
    ended = run("show", "platforms", "My-Switch", "--inventory", folder, "--format", "json")
    assert ended.code == 0
    results = {row["fact"]: row["value"] for row in json.loads(ended.out)}
    assert results["headroom_rows"] == 4
    assert ended.err.count("\n") == ended.err.count("warning: ") > 0
    assert "pg_profile_lookup.ini:5:1: skus[0].headroom_table: size 40,000 is less" in ended.err
    assert run("show", "platforms", "none").code == 2
    assert run("show", "platforms", "--asics").out.startswith("asic ")


def test_check_looks_into_the_table_of_an_own_model(tmp_path: Path) -> None:
    """What is odd about it is a finding; the rendered configuration is held against it."""
    pools = {
        f"{way}_{kind}_pool": {"size": "40000000"}
        for way in ("ingress", "egress")
        for kind in ("lossless", "lossy")
    }
    lines = [
        f"{speed} {cable}m {size} 19456 {headroom} 0"
        for speed, cable, size, headroom in (
            (800_000, 5, 40_000, 400_000),
            (400_000, 5, 400_000, 380_000),
            (400_000, 40, 450_000, 430_000),
        )
    ]
    files = FILES | {
        "platforms/own.yaml": MODEL.replace("asic: th5", "asic: spectrum-4"),
        "platforms/mine/pg_profile_lookup.ini": "\n".join(lines),
        "platforms/mine/buffers.json": json.dumps({"BUFFER_POOL": pools}),
    }
    write(tmp_path, files)
    demo = Path(__file__).parents[2] / "inventory" / "demo" / "fabric.yaml"
    text = demo.read_text(encoding="utf-8").replace("sku: ACS-MSN4700", "sku: My-Switch")
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    outcome = check(Project(tmp_path))
    texts = {str(finding) for finding in outcome.findings}
    assert outcome.broken == ()
    (odd,) = [text for text in texts if "[INT025]" in text]
    assert "pg_profile_lookup.ini:1:1: skus[0].headroom_table: size 40,000 is less than" in odd
    assert not [text for text in texts if "[SON014]" in text]
    assert "SON014" in outcome.checked


@pytest.mark.parametrize(
    ("model", "lanes"),
    [
        ("7060X6-64PE", 8),
        (
            "CE8851-32CQ8DQ-P",
            "4 (100GE1/0/1 to 100GE1/0/32), 8 (400GE1/0/1 to 400GE1/0/8)",
        ),
    ],
)
def test_lanes_of_each_kind_of_port(model: str, lanes: object) -> None:
    (row,) = [row for row in platforms(model).rows if row[0] == "lanes_per_port"]
    assert row[1] == lanes
