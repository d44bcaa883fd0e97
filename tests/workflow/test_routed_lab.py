"""A fabric of all systems goes from VLANs to routed NIC ports in the lab, and back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from fabric.workflow.apply import Options, apply, status
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from tests.change import labs
from tests.change.labs import changed, planned, unhealthy
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

OPTIONS = Options(timer_s=120, verify_s=10.0, poll_s=0.1)
PLAN = "hosts: 10.64.0.0/16\n  vlan_per: none\n  routed_prefix_length: 30"


def applied(project: Project, connections: Path, state: Path) -> None:
    result = apply(planned(project, connections), state, connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons


def test_every_system_moves_and_comes_back(tmp_path: Path, monkeypatch: Any) -> None:
    """What runs is proved; nothing of the VLANs is left on a leaf until the way back."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    folder, state = tmp_path / "mixed", tmp_path / "state"
    shutil.copytree(INVENTORY / "mixed", folder)
    before = Project(folder)
    with laboratory(before, tmp_path / "lab"):
        connections = tmp_path / "lab" / CONNECTIONS
        applied(before, connections, state)
        after = changed(folder, "hosts: 10.64.0.0/16", PLAN)
        applied(after, connections, state)
        assert unhealthy(after, connections) == []
        assert planned(after, connections).devices == {}
        words = ("--running", "--snapshot", tmp_path / "read", "--connections", connections)
        proved = run("prove", folder, *words)
        assert proved.code == 0, proved.out + proved.err
        assert "56 of 56 pairs of NICs that the design connects" in proved.err
        assert rollback(status(state)[-1]["run"], state, connections, labs.silent).ok
        changed(folder, PLAN, "hosts: 10.64.0.0/16")
        assert unhealthy(Project(folder), connections) == []
