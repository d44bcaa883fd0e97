"""The length that the headroom of a port is set for: of its cable, a step, or of the longest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from fabric.validate.kinds import lossless_kinds
from fabric.workflow.init import example
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from pathlib import Path

#: System, model, host_m, uplink_m -> lengths that the headroom of a leaf is set for.
CASES: dict[str, tuple[str, int, int, tuple[int, int]]] = {
    "any length": ("7060X6-64PE", 3, 41, (3, 41)),
    "one for the switch": ("SN4700", 3, 41, (41, 41)),
    "one for the switch, of the hosts": ("SN4700", 41, 3, (41, 41)),
    "rows of a table": ("ACS-MSN4700", 3, 41, (5, 300)),
    "steps": ("Z9432F-ON", 3, 41, (5, 300)),
}


def project(folder: Path, model: str, host_m: int, uplink_m: int, devices: str = "") -> Project:
    (folder / "demo" / "devices").mkdir(parents=True)
    path = folder / "demo" / "fabric.yaml"
    data = yaml.safe_load((example("demo") / "fabric.yaml").read_text())
    data["platforms"] = {"leaf": {"sku": model}, "spine": {"sku": model}}
    data["cables"] = {"host_m": host_m, "uplink_m": uplink_m}
    path.write_text(yaml.safe_dump(data))
    if devices:
        (folder / "demo" / "devices" / "own.yaml").write_text(devices)
    return Project(folder / "demo")


@pytest.mark.parametrize("name", CASES)
def test_setting_of_host_ports_and_uplinks(tmp_path: Path, name: str) -> None:
    model, host_m, uplink_m, settings = CASES[name]
    ports = project(tmp_path, model, host_m, uplink_m).model.devices["su1-rail0"].ports
    first = {port.kind: port for port in reversed(ports) if port.headroom}
    groups = first["host"].headroom, first["uplink"].headroom
    assert [group and group.setting_m for group in groups] == list(settings)
    assert [group and group.cable_m for group in groups] == [host_m, uplink_m]


def test_headroom_is_kept_for_the_setting_and_judged_for_the_cable(tmp_path: Path) -> None:
    long = project(tmp_path / "long", "SN4700", 41, 41).model.devices["su1-rail0"].ports[0]
    short = project(tmp_path / "short", "SN4700", 3, 41).model.devices["su1-rail0"].ports[0]
    assert short.headroom
    assert long.headroom
    assert short.headroom.headroom_bytes == long.headroom.headroom_bytes
    assert short.headroom.judgement
    assert long.headroom.judgement
    assert short.headroom.judgement.floor_bytes < long.headroom.judgement.floor_bytes


def test_ports_of_switches_with_another_longest_cable_are_another_kind(tmp_path: Path) -> None:
    own = "devices:\n- names: su1-rail1\n  ports:\n    swp1: {cable_m: 200}\n"
    model = project(tmp_path, "SN4700", 3, 41, own).model
    kinds = lossless_kinds(model.fabric, model.devices)
    settings = {(kind.headroom.cable_m, kind.headroom.setting_m) for kind in kinds}
    assert settings >= {(3, 41), (3, 200), (200, 200)}
