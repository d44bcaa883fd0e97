"""The smallest whole fabric on NX-OS: a spine, a leaf and a host, and a lab for it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs

LEAF, SPINE, HOST = labs.LEAF, labs.SPINE, labs.HOST
INVENTORY = (
    labs.INVENTORY
    .replace("ACS-MSN4700", "N9K-C9332D-GX2B")
    .replace("7060X6-64PE", "N9K-C9364D-GX2A")
    .replace(
        "lossless:\n",
        "lossless:\n  cnp_traffic_class: 7\n  cnp_queue: 7\n  mtu: {port_bytes: 9216}\n",
    )
)


@contextmanager
def running_lab(folder: Path, monkeypatch, text: str = INVENTORY):
    """Yield (lab, project, connections file), fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(folder / "inventory", text))
    with laboratory(project, folder / "lab") as lab:
        yield lab, project, folder / "lab" / CONNECTIONS
