"""BGP without addresses and with BFD, on running switches of every system that has it."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
_SONIC_OVER_CUMULUS = {"ACS-MSN4700": "SN4700", "7060X6-64PE": "ACS-MSN4700"}
FABRICS = {
    "sonic under eos": labs.INVENTORY,
    "cumulus under sonic": labs.of_models(_SONIC_OVER_CUMULUS),
    "esonic under eos": labs.of_models({"ACS-MSN4700": "Z9332F-ON"}),
    "junos": labs.JUNOS,
    "nxos": labs.NXOS,
    "vrp8": labs.VRP8,
}
STYLES = ("{max_paths: 64}", "{bfd: true}", "{peering: unnumbered}", "{max_paths: 64}")


@pytest.mark.parametrize("name", FABRICS)
def test_there_and_back(name, tmp_path, monkeypatch):
    """Plain, with BFD, without addresses, and plain again: sessions come up each time."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    text = f"{FABRICS[name]}bgp: {STYLES[0]}\n"
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
