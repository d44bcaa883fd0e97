"""Cages are broken out and made whole again on running switches of every system that can."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


@dataclass(frozen=True)
class Case:
    """A leaf and how it is broken out; how the port of the host's first NIC is named then.

    ``whole_gbps`` is the speed of the host where the cage is whole, ``part_gbps`` that of a part.
    """

    leaf: str
    mode: str
    whole: str
    part: str
    spine: str = "7060X6-64PE"
    whole_gbps: int = 400
    part_gbps: int = 400
    uplink_gbps: int = 400

    def platforms(self, *, split: bool) -> str:
        """Return the lines of the inventory that say so."""
        breakouts = f', breakouts: [{{cages: "1-2", mode: {self.mode}}}]' if split else ""
        gbps = self.part_gbps if split else self.whole_gbps
        return (
            f"platforms: {{leaf: {{sku: {self.leaf}, host_ports: {6 if split else 4}{breakouts}}}, "
            f"spine: {{sku: {self.spine}}}}}\n"
            f"speeds: {{host_gbps: {gbps}, uplink_gbps: {self.uplink_gbps}}}\n"
        )


CASES = {
    "sonic": Case("ACS-SN5600", "2x400G", "Ethernet0", "Ethernet0"),
    "eos": Case("7060X6-64PE", "2x400G", "Ethernet1/1", "Ethernet1/1"),
    "cumulus": Case("SN5600", "2x400G", "swp1", "swp1s0"),
    "junos": Case("QFX5240-64OD", "2x400G", "et-0/0/0", "et-0/0/0:0"),
    "esonic": Case(
        "Z9332F-ON",
        "2x200G",
        "Ethernet0",
        "Ethernet0",
        spine="Z9664F-ON",
        part_gbps=200,
    ),
    "vrp8": Case(
        "CE8851-32CQ8DQ-P",
        "2x50G",
        "100GE1/0/1",
        "100GE1/0/1:1",
        spine="CE8851-32CQ8DQ-P",
        whole_gbps=100,
        part_gbps=50,
        uplink_gbps=100,
    ),
}
OLD = (
    "platforms: {leaf: {sku: ACS-MSN4700}, spine: {sku: 7060X6-64PE}}\n"
    "speeds: {host_gbps: 400, uplink_gbps: 400}\n"
)


@pytest.mark.parametrize("system", CASES)
def test_there_and_back(system, tmp_path, monkeypatch):
    """The lab is cabled for the parts, so that only they have their neighbours."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    case = CASES[system]
    assert OLD in labs.INVENTORY
    text = labs.INVENTORY.replace(OLD, case.platforms(split=True))
    project = Project(labs.write_inventory(tmp_path / "inventory", text))
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        for before, split in ((True, True), (True, False), (False, True)):
            lines = [case.platforms(split=state) for state in (before, split)]
            project = labs.changed(tmp_path / "inventory", *lines)
            assert project.fabric.switches.skus[0].port(1) == (case.part if split else case.whole)
            made = planned(project, connections)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert planned(project, connections).empty
            if split:
                assert labs.unhealthy(project, connections) == []
        assert labs.LEAF in lab.names()
