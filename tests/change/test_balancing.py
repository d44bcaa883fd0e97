"""Other ways to share packets out, set and taken back on running switches."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
SYSTEMS = {
    "eos": ("7060X6-64PE", "flowlet"),
    "eos, flow placement": ("7060X6-64PE", "cluster"),
    "nxos": ("N9K-C9364D-GX2A", "flowlet"),
    "junos": ("QFX5240-64OD", "per-packet"),
    "cumulus": ("SN5400", "per-packet"),
    "vrp8": ("CE8855-32CQ4BQ", "per-packet"),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_there_and_back(system, tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    model, mode = SYSTEMS[system]
    text = labs.INVENTORY.replace("ACS-MSN4700", model).replace("7060X6-64PE", model)
    text = text.replace("lossless:\n", "lossless:\n  mtu: {port_bytes: 9216}\n  X\n")
    if system == "vrp8":
        text = text.replace("gbps: 400", "gbps: 100")
    own = "cnp_queue: 7\n  cnp_traffic_class: 7" if system == "nxos" else "cnp_queue: 6"
    text = text.replace("X\n", f"{own}\n")
    if system.startswith(("eos", "junos")):
        text = text.replace("9216", "9100")
    folder = labs.write_inventory(tmp_path / "inventory", text + "ecmp: {mode: hash}\n")
    project = Project(folder)
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        texts = []
        for old, new in (("hash", "hash"), ("hash", mode), (mode, "hash")):
            project = labs.changed(folder, f"mode: {old}", f"mode: {new}")
            made = planned(project, connections)
            assert not made.empty
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert planned(project, connections).empty
            texts.append(project.switch_artefacts[labs.LEAF][0].text)
        assert texts[0] == texts[2]
        said = [set(one.splitlines()) for one in texts]
        assert said[1] - said[0]
        assert lab.names()
