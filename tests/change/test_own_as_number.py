"""Leaves accept their own AS number, and no longer, on running switches."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
#: The spine of the first is EOS; its leaf changes who configures BGP.
SYSTEMS = {
    "sonic": labs.INVENTORY,
    "eos": labs.INVENTORY.replace("ACS-MSN4700", "7060X6-64PE"),
    "nxos": labs.NXOS,
    "junos": labs.INVENTORY.replace("ACS-MSN4700", "QFX5240-64OD").replace(
        "7060X6-64PE", "QFX5240-64OD"
    ),
    "cumulus": labs.INVENTORY.replace("ACS-MSN4700", "SN4700").replace("7060X6-64PE", "SN4700"),
    "vrp8": labs.VRP8,
    "comware7": labs.COMWARE7,
    "esonic": labs.ESONIC,
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_there_and_back(system, tmp_path, monkeypatch):
    """A plan sets and removes it; afterwards nothing is left to change."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    text = SYSTEMS[system] + "bgp: {allowas_in: 0}\n"
    folder = labs.write_inventory(tmp_path / "inventory", text)
    project = Project(folder)
    with laboratory(project, tmp_path / "lab"):
        connections = tmp_path / "lab" / CONNECTIONS
        texts = []
        for old, new in ((0, 0), (0, 2), (2, 0)):
            project = labs.changed(folder, f"allowas_in: {old}", f"allowas_in: {new}")
            made = planned(project, connections)
            assert not made.empty
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert planned(project, connections).empty
            texts.append(project.switch_artefacts[labs.LEAF][0].text)
        assert texts[0] == texts[2] != texts[1]
