"""Parts lists and labels as the command writes them."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree

import pytest

from fabric.workflow.export import Request, export
from fabric.workflow.init import example
from fabric.workflow.project import Project

EVIL = "<script>alert(1)</script> & \"'|`"


@pytest.fixture
def racks(tmp_path: Path) -> Project:
    folder = tmp_path / "demo"
    copytree(example("demo"), folder)
    places = f"""devices:
  - names: su1-rail0
    rack: DC.C03
    rack_unit: 14
  - names: spine01
    rack: {json.dumps(EVIL)}
"""
    (folder / "devices" / "racks.yaml").write_text(places)
    (folder / "hosts").mkdir(exist_ok=True)
    hosts = "hosts:\n  - names: gpu001\n    rack: 4BK01\n    rack_unit: 55\n"
    (folder / "hosts" / "racks.yaml").write_text(hosts)
    return Project(folder)


def rows(project: Project, form: str, **request) -> list[dict[str, str]]:
    text, _ = export(project, form, Request(**request))
    return list(csv.DictReader(text.splitlines()))


def test_both_ends_of_each_cable_have_a_label(racks):
    labels = rows(racks, "labels")
    assert len(labels) == 2 * 16
    assert len({row["label"] for row in labels}) == len(labels)
    assert all(
        "/".join(row["label"].split("/")[::-1]) in {other["label"] for other in labels}
        for row in labels
        if "script" not in row["label"]
    )
    own = next(row for row in labels if row["device"] == "gpu001" and row["port"] == "eth1")
    assert own["label"] == "4BK01-55:eth1/DC.C03-14:1"
    assert (own["far_port"], own["far_panel"], own["panel"]) == ("Ethernet0", "1", "")
    assert (own["cable_m"], own["cable_type"]) == ("5", "unknown")


class Tags(HTMLParser):
    """Collects the elements of a page and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.texts = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_an_inventory_adds_no_markup_to_the_page(racks):
    text, _ = export(racks, "labels", Request(parts=("html",)))
    page = Tags()
    page.feed(text)
    assert page.tags == set("html head meta title style body ul li b span".split())
    assert any(EVIL in part for part in page.texts)
    assert text.count("<li>") == 2 * 16
    assert "size: A4" in text


def test_cells_are_no_formulas(racks, tmp_path):
    (tmp_path / "demo" / "devices" / "racks.yaml").write_text(
        "devices:\n  - names: spine01\n    rack: '=1+1'\n"
    )
    labels = rows(Project(tmp_path / "demo"), "labels")
    racked = [row for row in labels if row["device"] == "spine01"]
    assert {row["rack"] for row in racked} == {"'=1+1"}
    assert all(row["label"].startswith("'=") for row in racked)


def test_the_rack_is_in_other_exports(racks):
    graph = json.loads(export(racks, "json", Request())[0])
    assert {node["id"]: node.get("rack") for node in graph["nodes"]}["gpu001"] == "4BK01"
    assert any(row["rack"] == "4BK01" for row in rows(racks, "csv"))


def test_a_classic_fabric_is_labelled_by_its_racks():
    labels = rows(Project(example("a100-pcie")), "labels")
    own = next(row for row in labels if row["device"] == "rack1-leaf")
    assert own["label"].startswith("rack1:")


def test_parts_in_three_forms():
    project = Project(example("rail-512-split"))
    listed = rows(project, "bom", spare_percent=3)
    data = json.loads(export(project, "bom", Request(parts=("json",), spare_percent=3))[0])
    page = export(project, "bom", Request(parts=("markdown",), spare_percent=3))[0]
    assert data["spare_percent"] == 3
    assert [str(part["total"]) for part in data["parts"]] == [row["total"] for row in listed]
    assert [line.split("|")[10].strip() for line in page.splitlines()[6:]] == [
        row["total"] for row in listed
    ]
    nics = next(row for row in listed if row["kind"] == "NIC")
    assert (nics["part"], nics["count"], nics["spare"]) == ("unknown", "512", "16")
