"""Subnets of a fabric with two planes: kept as the source has them, and routed plane by plane."""

from __future__ import annotations

import shutil
from pathlib import Path

from fabric.exchange.network import plant
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.cli.runs import run

#: Planes that take turns in one range, one of them with another length.
OWN = """\
devices:
- {names: su1-rail0-a, subnets: [{network: 10.64.10.0/24}]}
- {names: su1-rail0-b, subnets: [{network: 10.64.11.0/24}]}
- {names: su1-rail1-a, subnets: [{network: 10.64.12.0/24, vlan: 300}]}
- {names: su1-rail1-b, subnets: [{network: 10.64.13.0/25, gateway: 10.64.13.126}]}
"""


def test_subnets_of_two_planes_are_kept(tmp_path: Path) -> None:
    source, output = tmp_path / "source", tmp_path / "output"
    shutil.copytree(example("dual-plane"), source)
    (source / "devices").mkdir()
    (source / "devices/own.yaml").write_text(OWN)
    file = tmp_path / "graph.json"
    file.write_text(run("export", "json", source).out)
    ended = run("import", "json", file, "--out", output)
    assert ended.code == 0, ended.err
    assert "cannot represent" not in ended.err
    first, second = (Project(folder) for folder in (source, output))
    assert plant(second.fabric).nics == plant(first.fabric).nics
    assert [cable.vlan for cable in plant(second.fabric).cables] == [
        cable.vlan for cable in plant(first.fabric).cables
    ]
    assert {nic.interface: nic.addresses[0].pools for nic in second.hosts["gpu01"].nics} == {
        "eth1": ("10.64.12.0/24",),
        "eth2": ("10.64.13.0/24",),
        "eth3": ("10.64.10.0/24",),
        "eth4": ("10.64.11.0/24", "10.64.13.0/24"),
    }
    assert run("check", output).code == 0
