"""What the page shows of a port has the addresses of both families."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from fabric.report.device import planned
from fabric.workflow.project import Project
from tests.cases import each
from tests.topology.fabrics import INVENTORY

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.device import PlannedPort


def port(project: Project, device: str) -> PlannedPort:
    """Return the first port of a device."""
    found = planned(project, device)
    assert found
    return found.ports[0]


@each(
    ("inventory", "device", "address", "ipv6"),
    [
        ("dual-stack", "su1-rail0", "10.64.0.0/31", "fd00:64::20/127"),
        ("dual-stack", "gpu001", "10.64.0.1/31", "fd00:64::21/127"),
        ("dual-stack", "spine01", "10.254.0.0/31", "fd00:65::2/127"),
        ("ipv6", "gpu001", "", "fd00:64::21/127"),
        ("demo", "gpu001", "10.64.0.2/24", ""),
    ],
)
def test_of_both_families(inventory: str, device: str, address: str, ipv6: str) -> None:
    shown = port(Project(INVENTORY / inventory), device)
    assert (shown.address, shown.ipv6) == (address, ipv6)


def test_of_a_nic_that_makes_its_address(tmp_path: Path) -> None:
    data = yaml.safe_load((INVENTORY / "ipv6/fabric.yaml").read_text())
    data["addressing"]["ipv6"]["assignment"] = "slaac"
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    shown = port(Project(tmp_path), "gpu001")
    assert (shown.address, shown.ipv6) == ("", "fd00:64::/64")
