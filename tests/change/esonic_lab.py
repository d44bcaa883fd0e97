"""The smallest whole fabric on Enterprise SONiC: a spine, a leaf and a host, and a lab for it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs

LEAF, SPINE, HOST = labs.LEAF, labs.SPINE, labs.HOST
INVENTORY = labs.INVENTORY.replace("ACS-MSN4700", "Z9332F-ON").replace("7060X6-64PE", "Z9664F-ON")


@contextmanager
def running_lab(folder: Path, monkeypatch, text: str = INVENTORY):
    """Yield (lab, project, connections file), fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(folder / "inventory", text))
    with laboratory(project, folder / "lab") as lab:
        yield lab, project, folder / "lab" / CONNECTIONS
