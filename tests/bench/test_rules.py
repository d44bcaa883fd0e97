"""How long the rules take. Prints only."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from fabric.platforms import catalogue
from fabric.platforms.catalogue import sku
from fabric.validate.runner import Outcome, run
from fabric.validate.world import World
from fabric.workflow.project import Project
from tests.validate.worlds import ROOT, build

pytestmark = pytest.mark.benchmark

UNITS = [
    {"name": f"su{number:02d}", "hosts": f"gpu[{32 * number:04d}-{32 * number + 31:04d}]"}
    for number in range(16)
]
#: 16 units x 32 hosts x 8 rails; each of 128 leaves has 32 NICs and 32 uplinks.
LARGE = {
    "units": UNITS,
    "spines": {"count": 32, "links_per_leaf": 1},
    "platforms.spine.sku": "7060X6-64PE",
    "addressing.loopbacks": "10.255.0.0/22",
    "addressing.hosts": "10.64.0.0/15",
    "cables": {"host_m": 5, "uplink_m": 40},
}


@pytest.fixture
def wide_spine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the EOS spine 128 ports: no known model has as many as this fabric needs."""
    wide = replace(sku("7060X6-64PE"), port_count=128)
    monkeypatch.setattr(catalogue, "sku", lambda name: wide if name == wide.name else sku(name))


def _timed(world: World) -> tuple[Outcome, float]:
    start = time.perf_counter()
    return run(world), time.perf_counter() - start


def test_512_gpus_with_rendered_configurations() -> None:
    world = Project(ROOT / "inventory" / "rail-512").world
    outcome, seconds = _timed(world)
    print(f"512 GPUs, {len(world.sonic)} CONFIG_DBs: {seconds:.3f} s")
    assert len(world.sonic) == 24
    assert outcome.broken == ()


@pytest.mark.usefixtures("wide_spine")
def test_4096_gpus(tmp_path: Any) -> None:
    world = build({"base": "rail-512", "set": LARGE}, tmp_path)
    assert world.model is not None
    assert len(world.model.fabric.nics) == 4096
    outcome, seconds = _timed(world)
    print(f"4,096 GPUs, {len(world.sonic)} CONFIG_DBs: {seconds:.3f} s")
    whole = World(world.model)
    _, seconds_model = _timed(whole)
    print(f"4,096 GPUs, model rules only: {seconds_model:.3f} s")
    assert outcome.broken == ()
    assert {finding.rule for finding in outcome.findings} == {
        "QOS002",
        "QOS024",
        "QOS029",
        "QOS038",
    }


@pytest.mark.usefixtures("wide_spine")
def test_4096_gpus_with_every_host_cable_wrong(tmp_path: Any) -> None:
    change = {**LARGE, "cables": {"host_m": 301, "uplink_m": 40}}
    world = World(build({"base": "rail-512", "set": change}, tmp_path).model)
    outcome, seconds = _timed(world)
    print(f"4,096 GPUs, every host cable wrong: {seconds:.3f} s")
    (wrong,) = [finding for finding in outcome.findings if finding.rule == "QOS020"]
    assert wrong.message.endswith("(and in 4,095 more places)")
