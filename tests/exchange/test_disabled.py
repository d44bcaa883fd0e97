"""Cables that are switched off: exported in every form, and off again in the new inventory."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fabric.core.exports import export, exporters
from fabric.exchange.forms import importers
from fabric.exchange.plant import Plant
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.project import Project
from tests.exchange.plants import FABRIC_FORMS, plant, put, written
from tests.topology.fabrics import INVENTORY

#: A NIC, an uplink that its leaf switches off, and one that its spine does.
DEVICES = """\
devices:
  - {names: su1-rail0, ports: {Ethernet0: {enabled: false}, Ethernet128: {enabled: false}}}
  - {names: spine02, ports: {Ethernet1/1: {enabled: false}}}
"""
ENDS = {("su1-rail0", "Ethernet0"), ("su1-rail0", "Ethernet128"), ("spine02", "Ethernet1/1")}


@cache
def project() -> Project:
    with TemporaryDirectory() as folder:
        shutil.copytree(INVENTORY / "demo", folder, dirs_exist_ok=True)
        (Path(folder) / "devices" / "off.yaml").write_text(DEVICES, encoding="utf-8")
        made = Project(Path(folder))
        assert made.fabric.switch_row
        return made


def is_off(built: Plant) -> None:
    """See that those cables are off, and no others."""
    ends = [{cable.near, cable.far} for cable in built.disabled]
    assert len(ends) == len(ENDS)
    assert all(any(end in pair for pair in ends) for end in ENDS)


def imported(form: str, source: Path, folder: Path) -> Plant:
    request = Request(
        base=INVENTORY / "demo",
        models=("leaf=ACS-MSN4700", "spine=7060X6-64PE"),
        hosts="gpu[001-004]" if form in {"csv", "configs"} else "",
    )
    import_inventory(form, str(source), folder, request, lambda *_: None)
    return plant(Project(folder).fabric)


@pytest.mark.parametrize("form", sorted({*FABRIC_FORMS} & {*importers}))
def test_there_and_back(form: str, tmp_path: Path) -> None:
    built = plant(project().fabric)
    is_off(built)
    back = imported(form, written(built, form, tmp_path / "out"), tmp_path / "new")
    is_off(back)
    assert len(back.cables) == len(built.cables)


def test_cabling_of_an_inventory_says_what_it_lacks() -> None:
    (note,) = export(plant(project().fabric), exporters["csv"], ("cabling",)).notes
    assert note.message == "cabling.csv cannot say that cables are disabled, which 3 are"


def test_configurations_with_ports_that_are_shut_down(tmp_path: Path) -> None:
    artefacts = project().switch_artefacts.values()
    put(tmp_path / "configs", {one.path: one.content for mine in artefacts for one in mine})
    is_off(imported("configs", tmp_path / "configs", tmp_path / "new"))
