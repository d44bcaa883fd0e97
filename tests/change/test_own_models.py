"""Switch models of the user's own in the lab: planned, applied, and as planned afterwards."""

from __future__ import annotations

import pytest
import yaml

from fabric.platforms.catalogue import sku
from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.change import labs
from tests.render.test_own_models import own_name, written

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
ALL = Selection()
#: Model that the own one is like, and the inventory that it stands in.
CASES = {
    "eos": ("7280DR3AK-36S", labs.INVENTORY.replace("ACS-MSN4700", "7280DR3AK-36S")),
    "vrp8": ("", labs.VRP8),
}


@pytest.mark.parametrize("system", CASES)
def test_whole_run(system, tmp_path, monkeypatch):
    """The stand-in takes the lines of the ASIC, since nobody knows the model by its name."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    name, text = CASES[system]
    name = name or yaml.safe_load(text)["platforms"]["leaf"]["sku"]
    folder = labs.write_inventory(
        tmp_path / "inventory", text.replace(name, own_name(sku(name)), 1)
    )
    (folder / "platforms").mkdir()
    own = yaml.safe_dump({"skus": [written(sku(name))]})
    (folder / "platforms" / "own.yaml").write_text(own, encoding="utf-8")
    project = Project(folder)
    assert project.devices[labs.LEAF].sku.name == own_name(sku(name))
    with laboratory(project, tmp_path / "lab"):
        connections = tmp_path / "lab" / CONNECTIONS
        made = plan(project, connections, ALL, "rail", labs.silent)
        result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
        assert result.ok, result.reasons
        assert plan(project, connections, ALL, "rail", labs.silent).empty
