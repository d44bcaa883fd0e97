"""Roll-outs that take EVPN sessions between loopbacks down and up again, wave by wave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import verify
from tests.change.labs import silent
from tests.systems.tenant_fabrics import SYSTEMS, project

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
SWITCHES = Selection(hosts=False)
MODELS: dict[str, dict[str, Any]] = {
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "junos": {"platforms": {"leaf": {"sku": "QFX5130-32CD"}, "spine": {"sku": "QFX5220-32CD"}}},
}
#: What the inventory says, one after the other; how many sessions of a spine wait for later waves.
STEPS: list[tuple[dict[str, Any], int]] = [
    ({}, 8),
    ({"bgp": {"spine_asn": 65200, "leaf_asn_first": 65101}}, 8),
    ({"addressing": {"uplinks": "10.251.0.0/21"}}, 8),
    ({"addressing": {"uplinks": "10.251.0.0/21", "loopbacks": "10.252.0.0/24"}}, 4),
]


@pytest.mark.parametrize("system", MODELS)
def test_waves_pass_and_the_fabric_is_as_planned(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    monkeypatch.setitem(SYSTEMS, system, MODELS[system])
    connections = tmp_path / "lab" / CONNECTIONS
    with laboratory(project(tmp_path / "first", system, "evpn"), tmp_path / "lab"):
        for number, (change, waiting) in enumerate(STEPS):
            planned = project(tmp_path / str(number), system, "evpn", **change)
            draft = plan(planned, connections, SWITCHES, "rail", silent)
            assert len(draft.devices["spine01"].later) == waiting, change
            result = apply(draft, tmp_path / "state", connections, OPTIONS, silent)
            assert result.ok, (change, result.reasons)
            health = verify(planned, connections, SWITCHES, silent, wait_s=10)
            assert [item for item in health if not item.ok] == [], change
