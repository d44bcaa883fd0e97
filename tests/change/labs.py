"""The smallest whole fabric: one EOS spine, one SONiC leaf, one host, and a lab for it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection
from fabric.workflow.project import Project
from fabric.workflow.verify import verify

if TYPE_CHECKING:
    from fabric.workflow.verify import Health

INVENTORY = """\
name: tiny
design: rail-optimised
rails: 1
units: [{name: su1, hosts: gpu1}]
spines: {count: 1}
platforms: {leaf: {sku: ACS-MSN4700}, spine: {sku: 7060X6-64PE}}
speeds: {host_gbps: 400, uplink_gbps: 400}
addressing: {loopbacks: 10.255.0.0/24, uplinks: 10.254.0.0/24, hosts: 10.64.0.0/16}
lossless:
  ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}
arp: {timeout_s: 240}
host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}
management: {ntp_servers: [192.0.2.10]}
"""
LEAF, SPINE, HOST = "su1-rail0", "spine01", "gpu1"


def write_inventory(folder: Path, text: str = INVENTORY) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "fabric.yaml").write_text(text)
    return folder


def changed(folder: Path, old: str, new: str) -> Project:
    """Return the project after a change of its inventory."""
    file = folder / "fabric.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    return Project(folder)


@contextmanager
def running_lab(folder: Path, monkeypatch):
    """Yield (lab, project, connections file) of the tiny fabric, fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(write_inventory(folder / "inventory"))
    with laboratory(project, folder / "lab") as lab:
        yield lab, project, folder / "lab" / CONNECTIONS


def unhealthy(project: Project, connections: Path) -> list[Health]:
    """Return what is not as planned, once sessions that were just changed have come up."""
    found = verify(project, connections, Selection(), silent, wait_s=10)
    return [item for item in found if not item.ok]


def silent(_device: str, _text: str) -> None:
    """Say nothing."""
