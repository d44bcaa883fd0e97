"""The smallest whole fabric on VRP8: a spine and a leaf of both families, a host, and a lab."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs

LEAF, SPINE, HOST = labs.LEAF, labs.SPINE, labs.HOST
INVENTORY = (
    labs.INVENTORY
    .replace("ACS-MSN4700", "CE8855-32CQ4BQ")
    .replace("7060X6-64PE", "CE8851-32CQ8DQ-P")
    .replace("host_gbps: 400, uplink_gbps: 400", "host_gbps: 100, uplink_gbps: 100")
)


@contextmanager
def running_lab(folder: Path, monkeypatch, text: str = INVENTORY):
    """Yield (lab, project, connections file), fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(folder / "inventory", text))
    with laboratory(project, folder / "lab") as lab:
        yield lab, project, folder / "lab" / CONNECTIONS
