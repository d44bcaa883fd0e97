"""How long the stages take, how much memory they need, and how pyavd compares. Prints only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from fabric.design.model import DeviceDesign
from fabric.platforms import platforms
from fabric.render import render_device
from fabric.render.engine import environment, template_folders
from fabric.workflow.project import Project
from tests.design.test_examples import _switches
from tests.judges.avd_model import structured
from tests.judges.conftest import missing_judge
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.designs import variant
from tests.systems.cumulus import test_render as test_cumulus
from tests.topology.fabrics import INVENTORY, REPOSITORY, fabric

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


def test_pyavd() -> None:
    """The same EOS switches, rendered by us and by pyavd, in one process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import pyavd
        except ImportError:
            missing_judge("pyavd (dependency group dev)")
    model = {"sku": "7060X6-64PE"}
    units = [{"name": f"su{number}", "hosts": f"gpu{number}[01-32]"} for number in range(1, 3)]
    made = fabric(
        units=units,
        rails=8,
        spines={"count": 8, "links_per_leaf": 4},
        platforms={"leaf": model, "spine": dict(model)},
        speeds={"host_gbps": 400, "uplink_gbps": 400},
        host__gpus=8,
    )
    devices = list(_switches(made).values())
    render_device(devices[0])
    configs = [structured(device) for device in devices]
    pyavd.get_device_config(configs[0])
    start = time.perf_counter()
    ours = [render_device(device)[0].text for device in devices]
    middle = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = [pyavd.get_device_config(config) for config in configs]
    end = time.perf_counter()
    mine_ms, avd_ms = (1000 * seconds / len(devices) for seconds in (middle - start, end - middle))
    print(f"\n{len(devices)} EOS switches, warm:")
    print(f"  {'rocefab':<18}{mine_ms:>9.1f} ms each, {len(ours[0].splitlines())} lines")
    print(f"  {'pyavd':<18}{avd_ms:>9.1f} ms each, {len(theirs[0].splitlines())} lines")
    print(f"  {'ratio':<18}{avd_ms / mine_ms:>9.1f}")


#: Leaf of 64 ports (VRP8: 32, its models have no more) by system.
LEAVES = {
    "comware7": comware7_designs.designs,
    "cumulus": test_cumulus.designs,
    "esonic": esonic_designs.designs,
    "junos": junos_designs.designs,
    "nxos": nxos_designs.designs,
    "vrp8": vrp8_designs.designs,
}


def _leaf(system: str, folder: Path) -> DeviceDesign:
    if system == "sonic":
        return Project(INVENTORY / "rail-512").devices["su1-rail0"]
    if system == "eos":
        return variant(folder / "eos", "rail-512", {"ACS-SN5600": "7060X6-64PE"})["su1-rail0"]
    return LEAVES[system]("rail-512")["su1-rail0"]


def test_rendering_against_bare_jinja(tmp_path: Path) -> None:
    """A leaf of every system: sandbox, view and checks against the templates alone."""
    bare = Environment(
        loader=FileSystemLoader(template_folders()),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    bare.filters.update(environment().filters)
    print("\none leaf, ms: rocefab with checks and all files; bare Jinja2, the templates alone")
    print(f"  {'system':<10}{'ports':>7}{'rocefab':>9}{'bare':>8}{'ratio':>7}{'2,000, s':>10}")
    for system in sorted(platforms):
        device = _leaf(system, tmp_path)
        module = import_module(f"fabric.render.{system}")
        values = {
            "view": import_module(f"fabric.render.{system}_view").view(device),
            "device": device,
        }
        templates = [bare.get_template(f"{system}/{name}.j2") for name in module.FEATURES]
        render_device(device)
        ours = _each_ms(partial(render_device, device))
        raw = _each_ms(partial(_all_of, templates, values))
        print(
            f"  {system:<10}{len(device.ports):>7}{ours:>9.2f}{raw:>8.2f}"
            f"{ours / raw:>7.2f}{2 * ours:>10.1f}"
        )
    print("  Junos comes in two forms, of which the templates print one.")


def _all_of(templates: list[Template], values: dict[str, Any]) -> None:
    for template in templates:
        template.render(values)


def _each_ms(job: Callable[[], object], times: int = 40) -> float:
    """Return the best of some runs: what the machine does beside is not the matter."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - start)
    return 1000 * best
