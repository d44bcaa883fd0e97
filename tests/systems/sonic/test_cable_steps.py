"""Cables whose length is no row of the vendor's table: the switch sees the next one everywhere."""

from __future__ import annotations

import json
from shutil import copytree

import pytest
import yaml

from fabric.workflow.init import example
from fabric.workflow.project import Project


def project(folder, devices="", **cables):
    """Return the demo with other cables."""
    copytree(example("demo"), folder / "demo")
    path = folder / "demo" / "fabric.yaml"
    data = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**data, "cables": cables}))
    (folder / "demo" / "devices" / "more.yaml").write_text(devices or "devices: []\n")
    if not devices:
        (folder / "demo" / "devices" / "more.yaml").unlink()
    return Project(folder / "demo")


def config(fabric):
    artefacts = fabric.switch_artefacts["su1-rail0"]
    (file,) = [file for file in artefacts if file.path.endswith("config_db.json")]
    return json.loads(file.text)


@pytest.mark.parametrize(
    ("cable_m", "step"), [(1, 5), (3, 5), (5, 5), (6, 40), (40, 40), (41, 300), (300, 300)]
)
def test_every_row_has_the_step(cable_m, step, tmp_path):
    data = config(project(tmp_path, host_m=5, uplink_m=cable_m))
    name = f"pg_lossless_400000_{step}m_profile"
    assert data["CABLE_LENGTH"]["AZURE"]["Ethernet128"] == f"{step}m"
    assert data["BUFFER_PG"]["Ethernet128|3"] == {"profile": name}
    assert name in data["BUFFER_PROFILE"]


def test_lengths_of_one_step_share_a_profile(tmp_path):
    own = "devices:\n  - names: su1-rail0\n    ports: {Ethernet8: {cable_m: 3}}\n"
    data = config(project(tmp_path, own, host_m=5, uplink_m=4))
    lossless = [name for name in data["BUFFER_PROFILE"] if name.startswith("pg_lossless")]
    ports = ("Ethernet0", "Ethernet8", "Ethernet128")
    assert {data["CABLE_LENGTH"]["AZURE"][port] for port in ports} == {"5m"}
    assert {data["BUFFER_PG"][f"{port}|3"]["profile"] for port in ports} == {
        "pg_lossless_400000_5m_profile"
    }
    assert lossless == ["pg_lossless_400000_5m_profile"]


def test_two_thresholds_at_one_step_have_two_names(tmp_path):
    own = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet8: {cable_m: 3, lossless: {dynamic_th: -2}}\n"
    )
    data = config(project(tmp_path, own, host_m=5, uplink_m=40))
    assert data["BUFFER_PG"]["Ethernet8|3"]["profile"] == "pg_lossless_400000_5m_th-2_profile"
    assert data["BUFFER_PG"]["Ethernet0|3"]["profile"] == "pg_lossless_400000_5m_profile"


def test_the_design_keeps_the_length_of_the_cable(tmp_path):
    (port,) = [
        port
        for port in project(tmp_path, host_m=3, uplink_m=40).model.devices["su1-rail0"].ports
        if port.name == "Ethernet0"
    ]
    assert (port.cable_m, port.headroom.cable_m, port.headroom.setting_m) == (3, 3, 5)
    assert port.headroom.link.cable_m == 3


def test_a_cable_without_pause_and_one_that_is_computed_keep_their_length(tmp_path):
    own = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet8: {cable_m: 3, lossless: {pfc: false}}\n"
    )
    data = config(project(tmp_path, own, host_m=5, uplink_m=40))
    assert data["CABLE_LENGTH"]["AZURE"]["Ethernet8"] == "3m"
    own = "devices:\n  - names: su1-rail0\n    buffer_model: dynamic\n"
    data = config(project(tmp_path / "computed", own, host_m=3, uplink_m=40))
    assert data["CABLE_LENGTH"]["AZURE"]["Ethernet8"] == "3m"
