"""Thresholds over cables between sites."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.report.ecn import recommendations
from fabric.report.long_haul import deep_models
from fabric.workflow.project import Project

INVENTORY = Path(__file__).parents[2] / "inventory"


def rows(tmp_path: Path, core_m: int) -> list[tuple]:
    folder = shutil.copytree(INVENTORY / "three-tier", tmp_path / "long")
    text = (folder / "fabric.yaml").read_text().replace("core_m: 300", f"core_m: {core_m}")
    (folder / "fabric.yaml").write_text(text)
    return [row for row in recommendations(Project(folder)).rows if row[0] == "rocefab"]


@pytest.mark.parametrize("core_m", [25_000, 80_000])
def test_every_port_has_an_answer(tmp_path, core_m):
    result = rows(tmp_path, core_m)
    assert [row[1:4] for row in result] == [
        ("leaf", "host", 200),
        ("leaf", "uplink", 400),
        ("spine", "uplink", 400),  # to leaves
        ("spine", "uplink", 400),  # to super-spines, over the long cable
        ("super-spine", "uplink", 400),
    ]
    for row in result[:3]:
        assert isinstance(row[5], int)
        assert "This is for paths without the long cables." in row[7]
    for row in result[3:]:
        assert row[4:7] == ("-", "-", "-")
        assert "use switches with deep buffers (7280CR3-32D4" in row[7]
        assert "set lossless.pfc to false on both ends of the cable" in row[7]
        assert "MB with 16" in row[7]


def test_slow_timers_fit_a_slow_port(tmp_path):
    """At 10 km, a port of 200 Gb/s has the buffer that slower timers need."""
    host, *_ = rows(tmp_path, 10_000)
    assert host[5] < 10_313_728
    assert "The timers are 2 times the paper's" in host[7]


def test_longer_cables_lose_more(tmp_path):
    losses = []
    for core_m in (10_000, 25_000):
        last = rows(tmp_path / str(core_m), core_m)[-1]
        losses.append(int(last[7].rpartition("at most ")[2].partition(" MB")[0].replace(",", "")))
    assert losses[0] < losses[1]


def test_short_cables_are_as_before(tmp_path):
    result = rows(tmp_path, 300)
    assert len(result) == 4
    assert all("long cables" not in row[7] for row in result)


def test_deep_models_have_memory_beside_the_asic():
    assert "7280DR3AK-36S" in deep_models()
    assert "ACS-SN5600" not in deep_models()
