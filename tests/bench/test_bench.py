"""How long the stages take, and how much memory they need. Prints only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.topology.fabrics import INVENTORY, REPOSITORY

pytestmark = pytest.mark.benchmark

SKUS = REPOSITORY / "fabric" / "systems" / "sonic" / "skus"
#: 4,096 NICs need 64 leaves of 64 host ports, or more leaves than a spine of 64 ports takes: so the
#: spines are SN5600 with twice the ports. Leaves: 32 hosts below, 32 spines above.
LARGE = """\
name: rail-4096
design: rail-optimised
rails: 8
units:
{units}
spines: {{count: 32, links_per_leaf: 1}}
platforms:
  leaf: {{sku: ACS-SN5600, host_ports: 32}}
  spine: {{sku: BENCH-128}}
speeds: {{host_gbps: 400, uplink_gbps: 400}}
addressing:
  loopbacks: 10.255.0.0/22
  uplinks: 10.128.0.0/16
  hosts: 10.64.0.0/15
  host_prefix_length: 24
bgp: {{leaf_asn_first: 4200000000}}
host:
  gpus: 8
  interfaces: eth[1-8]
  rdma_devices: mlx5_[1-8]
"""


def _large(folder: Path, hosts: int = 512, unit: int = 32) -> tuple[Path, Path]:
    """Write an inventory of so many hosts in units of a size, and the models that it needs."""
    inventory, models = folder / f"rail-{8 * hosts}", folder / "models"
    inventory.mkdir()
    units = "\n".join(
        f'  - {{name: su{number:02d}, hosts: "gpu[{first:04d}-{first + unit - 1:04d}]"}}'
        for number, first in enumerate(range(1, hosts, unit), 1)
    )
    text = LARGE.format(units=units)
    if unit > 32:
        text = text.replace("sku: ACS-SN5600, host_ports: 32", "sku: BENCH-128, host_ports: 64")
        text = text.replace("count: 32", "count: 64").replace("sku: BENCH-128}", "sku: BENCH-512}")
        text = text.replace("10.64.0.0/15", "10.32.0.0/12").replace("_length: 24", "_length: 25")
        text = text.replace("10.255.0.0/22", "10.255.0.0/20")
    (inventory / "fabric.yaml").write_text(text, encoding="utf-8")
    shutil.copytree(SKUS, models)
    text = (models / "ACS-SN5600.toml").read_text(encoding="utf-8")
    for ports, lanes in ((128, 4), (512, 1)):
        model = text.replace("count = 64", f"count = {ports}")
        model = model.replace("lanes = 8", f"lanes = {lanes}")
        (models / f"BENCH-{ports}.toml").write_text(model, encoding="utf-8")
    return inventory, models


def _measure(*words: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.worker", *map(str, words)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _print(title: str, result: dict[str, Any]) -> None:
    print(
        f"\n{title}: {result['switches']} switches, {result['hosts']} hosts, "
        f"{result['cables']:,} cables, {result['findings']} findings"
    )
    for stage, seconds in result["stages"].items():
        print(f"  {stage:<18}{seconds:>9.2f} s")
    print(f"  {'all':<18}{sum(result['stages'].values()):>9.2f} s")
    print(f"  {'output':<18}{result['bytes'] / 2**20:>9.1f} MiB")
    print(f"  {'peak memory':<18}{result['peak_mib']:>9.1f} MiB")


def test_stages_of_512_gpus() -> None:
    """The largest example."""
    result = _measure(INVENTORY / "rail-512")
    assert result["broken"] == []
    _print("rail-512", result)


def test_stages_of_4096_gpus(tmp_path: Path) -> None:
    """512 hosts of 8 rails."""
    result = _measure(*_large(tmp_path))
    assert (result["hosts"], result["switches"], result["broken"]) == (512, 160, [])
    _print("rail-4096 (spines of 128 ports)", result)


def test_stages_of_32768_gpus(tmp_path: Path) -> None:
    """4,096 hosts of 8 rails, in one process and in two; then once more, after one line."""
    folders = _large(tmp_path, 4096, 64)
    for words in ((), ("2",)):
        result = _measure(*folders, *words)
        assert (result["hosts"], result["switches"], result["broken"]) == (4096, 576, [])
        _print(f"rail-32768, {words[0] if words else '1'} process(es)", result)


def test_one_line_changes(tmp_path: Path) -> None:
    """Check and render of 512 GPUs: at first, again, and after one line."""
    copy, cache = tmp_path / "rail-512", tmp_path / "cache"
    shutil.copytree(INVENTORY / "rail-512", copy)
    print("\nrail-512, check and render, each a command of its own, and what was rendered:")
    for title in ("at first", "again", "after one line"):
        if title == "after one line":
            (copy / "devices").mkdir()
            (copy / "devices" / "one.yaml").write_text(
                "devices:\n  - {names: su1-rail0, ports: {Ethernet0: {description: spare}}}\n"
            )
        seconds = []
        for words in (("check", copy), ("render", copy, "--out", tmp_path / "out")):
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "fabric", *words, "--cache", cache],
                cwd=REPOSITORY,
                env={**os.environ, "ROCEFAB_FRESH": "", "PYTHONDONTWRITEBYTECODE": ""},
                capture_output=True,
                text=True,
                check=True,
            )
            seconds.append(time.perf_counter() - start)
        told = done.stderr.splitlines()[-1]
        print(f"  {title:<18}{seconds[0]:>6.2f} s {seconds[1]:>6.2f} s  {told}")
