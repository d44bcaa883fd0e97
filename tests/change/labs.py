"""The smallest whole fabric: one EOS spine, one SONiC leaf, one host, and a lab for it."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from fabric.workflow.verify import verify

if TYPE_CHECKING:
    from fabric.change.model import Plan
    from fabric.workflow.verify import Health

ALL = Selection()
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


def of_models(models: dict[str, str]) -> str:
    """Return the inventory with other switch models: the new one of each old one."""
    return re.sub("|".join(models), lambda old: models[old[0]], INVENTORY)


#: The same on systems of lines below lines.
NXOS = (
    INVENTORY
    .replace("ACS-MSN4700", "N9K-C9332D-GX2B")
    .replace("7060X6-64PE", "N9K-C9364D-GX2A")
    .replace(
        "lossless:\n",
        "lossless:\n  cnp_traffic_class: 7\n  cnp_queue: 7\n  mtu: {port_bytes: 9216}\n",
    )
)
#: Both families of switches.
VRP8 = (
    INVENTORY
    .replace("ACS-MSN4700", "CE8855-32CQ4BQ, host_ports: 16")
    .replace("7060X6-64PE", "CE8851-32CQ8DQ-P")
    .replace("host_gbps: 400, uplink_gbps: 400", "host_gbps: 100, uplink_gbps: 100")
)
COMWARE7 = (
    INVENTORY
    .replace("ACS-MSN4700", "S9820-64H")
    .replace("7060X6-64PE", "S9820-64H")
    .replace("host_gbps: 400, uplink_gbps: 400", "host_gbps: 100, uplink_gbps: 100")
)
JUNOS = (
    INVENTORY
    .replace("ACS-MSN4700", "QFX5240-64OD")
    .replace("7060X6-64PE", "QFX5230-64CD")
    .replace("kmin_bytes: 150000, kmax_bytes: 1500000", "kmin_bytes: 750000, kmax_bytes: 7500000")
)
CUMULUS = INVENTORY.replace("ACS-MSN4700", "SN4700").replace("7060X6-64PE", "SN5600")
ESONIC = INVENTORY.replace("ACS-MSN4700", "Z9332F-ON").replace("7060X6-64PE", "Z9664F-ON")
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
def running_lab(folder: Path, monkeypatch, text: str = INVENTORY):
    """Yield (lab, project, connections file) of a tiny fabric, fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(write_inventory(folder / "inventory", text))
    with laboratory(project, folder / "lab") as lab:
        yield lab, project, folder / "lab" / CONNECTIONS


def unhealthy(project: Project, connections: Path) -> list[Health]:
    """Return what is not as planned, once sessions that were just changed have come up."""
    found = verify(project, connections, ALL, silent, wait_s=10)
    return [item for item in found if not item.ok]


def silent(_device: str, _text: str) -> None:
    """Say nothing."""


def planned(project: Project, connections: Path) -> Plan:
    """Return a plan of everything, by rails."""
    return plan(project, connections, ALL, "rail", silent)
