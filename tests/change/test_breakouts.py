"""Cages are broken out and made whole again on running switches of every system that can."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
ALL = Selection()
LEAVES = {
    "sonic": "ACS-SN5600",
    "eos": "7060X6-64PE",
    "cumulus": "SN5600",
    "junos": "QFX5240-64OD",
}
WHOLE = "host_ports: 4"
SPLIT = 'host_ports: 6, breakouts: [{cages: "1-2", mode: 2x400G}]'
#: How the port of the host's first NIC is named, whole and as a part.
FIRST = {
    "sonic": ("Ethernet0", "Ethernet0"),
    "eos": ("Ethernet1/1", "Ethernet1/1"),
    "cumulus": ("swp1", "swp1s0"),
    "junos": ("et-0/0/0", "et-0/0/0:0"),
}


def planned(project, connections):
    return plan(project, connections, ALL, "rail", labs.silent)


@pytest.mark.parametrize("system", LEAVES)
def test_there_and_back(system, tmp_path, monkeypatch):
    """The lab is cabled for the parts, so that only they have their neighbours."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    leaf = f"leaf: {{sku: {LEAVES[system]}, {SPLIT}}}"
    text = labs.INVENTORY.replace("leaf: {sku: ACS-MSN4700}", leaf)
    project = Project(labs.write_inventory(tmp_path / "inventory", text))
    whole, part = FIRST[system]
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        for port, old, new in ((part, SPLIT, SPLIT), (whole, SPLIT, WHOLE), (part, WHOLE, SPLIT)):
            project = labs.changed(tmp_path / "inventory", old, new)
            assert project.fabric.switches.skus[0].port(1) == port
            made = planned(project, connections)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert planned(project, connections).empty
            if new == SPLIT:
                assert labs.unhealthy(project, connections) == []
        assert labs.LEAF in lab.names()
