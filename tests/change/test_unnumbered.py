"""BGP without addresses and with BFD, on running switches of every system that has it."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
PAIRS = {
    "sonic under eos": ("ACS-MSN4700", "7060X6-64PE"),
    "cumulus under sonic": ("SN4700", "ACS-MSN4700"),
    "esonic under eos": ("Z9332F-ON", "7060X6-64PE"),
}
STYLES = ("{max_paths: 64}", "{bfd: true}", "{peering: unnumbered}", "{max_paths: 64}")


@pytest.mark.parametrize("name", PAIRS)
def test_there_and_back(name, tmp_path, monkeypatch):
    """Plain, with BFD, without addresses, and plain again: sessions come up each time."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    leaf, spine = PAIRS[name]
    text = labs.INVENTORY.replace("ACS-MSN4700", "LEAF").replace("7060X6-64PE", spine)
    text = text.replace("LEAF", leaf) + f"bgp: {STYLES[0]}\n"
    folder = labs.write_inventory(tmp_path / "inventory", text)
    project = Project(folder)
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        old = STYLES[0]
        for style in STYLES:
            project = labs.changed(folder, f"bgp: {old}", f"bgp: {style}")
            old = style
            made = planned(project, connections)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert planned(project, connections).empty
            assert labs.unhealthy(project, connections) == []
        assert lab.names()
