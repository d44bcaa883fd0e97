"""BGP without addresses and with BFD, on running switches of every system that has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.lab.spec import Neighbour
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


def test_a_wrong_cable_stops_a_run_and_a_verify_though_its_session_is_up(tmp_path, monkeypatch):
    """The change is of other lines than those of the port."""
    text = f"{labs.INVENTORY}bgp: {{peering: unnumbered}}\n"
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        state = tmp_path / "state"
        assert apply(planned(project, connections), state, connections, OPTIONS, labs.silent).ok
        leaf = lab[labs.LEAF]
        port, right = next(
            (port, seen[0])
            for port, seen in leaf.neighbours.items()
            if seen[0].system_name == labs.SPINE
        )
        leaf.neighbours[port] = [Neighbour(port, labs.SPINE, "Ethernet9/1")]
        (health,) = labs.unhealthy(project, connections)
        (found,) = health.deviations
        assert f"{found.subject} {found.item}: {found.message}" == (
            f"lldp {port}: {labs.SPINE} Ethernet9/1, expected {labs.SPINE} {right.port_id}"
        )
        after = labs.changed(tmp_path / "inventory", "192.0.2.10", "192.0.2.11")
        made = planned(after, connections)
        result = apply(made, state, connections, OPTIONS, labs.silent)
        assert f"{port} is cabled to {labs.SPINE} Ethernet9/1" in " ".join(result.reasons)
        despite = replace(OPTIONS, despite_cabling=True)
        assert apply(made, state, connections, despite, labs.silent).ok
        leaf.neighbours[port] = [right]
        assert labs.unhealthy(after, connections) == []
