"""IPv6 on running switches and hosts: over addresses and without, beside IPv4, and back."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from fabric.workflow.verify import verify
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
FABRICS = {
    "sonic under eos": labs.INVENTORY,
    "cumulus under sonic": labs.of_models({"ACS-MSN4700": "SN4700", "7060X6-64PE": "ACS-MSN4700"}),
    "esonic under eos": labs.of_models({"ACS-MSN4700": "Z9332F-ON"}),
    "junos": labs.JUNOS,
    "nxos": labs.NXOS,
    "vrp8": labs.VRP8,
    "comware7": labs.COMWARE7,
}
POOL = "hosts: 10.64.0.0/16"
ROUTED = f"{POOL}, vlan_per: none, routed_prefix_length: 30"
NUMBERED = f"{ROUTED}, ipv6: {{hosts: fd00:64::/48, uplinks: fd00:65::/64}}"
EVERYTHING = Selection()
PLAIN, UNNUMBERED = "bgp: {peering: numbered}", "bgp: {peering: unnumbered}"
STEPS = (
    (ROUTED, PLAIN),
    (NUMBERED, PLAIN),
    (NUMBERED.replace(", uplinks: fd00:65::/64", ""), UNNUMBERED),
    (POOL, PLAIN),
)


@pytest.mark.parametrize("name", FABRICS)
def test_there_and_back(name, tmp_path, monkeypatch):
    """Sessions of both families come up each time, and nothing is left to do."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    steps = [step for step in STEPS if name != "comware7" or step[1] == PLAIN]
    pool, peering = NUMBERED, PLAIN
    text = FABRICS[name].replace(POOL, NUMBERED)
    folder = labs.write_inventory(tmp_path / "inventory", f"{text}{PLAIN}\n")
    with laboratory(Project(folder), tmp_path / "lab"):
        connections = tmp_path / "lab" / CONNECTIONS
        for new_pool, new_peering in steps:
            labs.changed(folder, pool, new_pool)
            project = labs.changed(folder, peering, new_peering)
            pool, peering = new_pool, new_peering
            made = plan(project, connections, EVERYTHING, "rail", labs.silent)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert plan(project, connections, EVERYTHING, "rail", labs.silent).empty
            found = verify(project, connections, EVERYTHING, labs.silent, wait_s=10)
            assert [item for item in found if not item.ok] == []
