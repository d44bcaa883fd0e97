"""The commands on a fabric of real switches with 131,072 NICs, each as a process. Prints only."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.topology.fabrics import REPOSITORY

pytestmark = pytest.mark.benchmark

#: SN5600 with every cage split into two ports of 400G: leaves have 64 host ports and 64 uplinks,
#: spines 64 ports down and 64 up, super-spines 128 ports.
INVENTORY = """\
name: rail-{nics}
design: rail-optimised
rails: 8
units:
{units}
spines: {{count: 64, links_per_leaf: 1}}
super_spines: {{count: 1024, groups: 64, links_per_spine: 4, spines_per_pod: 64}}
platforms:
  leaf: {{sku: ACS-SN5600, host_ports: 64, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
  spine: {{sku: ACS-SN5600, down_ports: 64, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
  super_spine: {{sku: ACS-SN5600, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
speeds: {{host_gbps: 400, uplink_gbps: 400, core_gbps: 400}}
cables: {{host_m: 5, uplink_m: 40, core_m: 300}}
addressing:
  loopbacks: 10.255.0.0/16
  uplinks: 10.200.0.0/13
  core_links: 10.208.0.0/13
  core_links_per_spine: 64
  hosts: 10.0.0.0/9
  host_prefix_length: 25
bgp: {{leaf_asn_first: 4200000000, pod_asn_first: 64600, super_spine_asn: 64512}}
host:
  gpus: 8
  interfaces: eth[1-8]
  rdma_devices: mlx5_[1-8]
"""
UNITS_PER_POD, HOSTS_PER_UNIT = 8, 64
SMALL, LARGE = 8, 32
COMMANDS = {
    "check": "check {folder} --fresh",
    "whatif, all links and switches": "whatif {folder} --all-links --all-switches",
    "show capacity": "show capacity {folder}",
    "show paths": "show paths {folder}",
    "show deadlock": "show deadlock {folder}",
    "draw": "draw {folder} --out {out}/drawing.svg",
    "render": "render {folder} --fresh --out {out}/files",
}


def write(folder: Path, pods: int) -> Path:
    """Write the inventory of so many pods of 512 hosts; at most 32."""
    units, first = [], 1
    for pod in range(1, pods + 1):
        for unit in range(1, UNITS_PER_POD + 1):
            hosts = f"gpu[{first:05d}-{first + HOSTS_PER_UNIT - 1:05d}]"
            units.append(f'  - {{name: p{pod:02d}u{unit}, pod: p{pod:02d}, hosts: "{hosts}"}}')
            first += HOSTS_PER_UNIT
    folder.mkdir(parents=True)
    text = INVENTORY.format(nics=8 * (first - 1), units="\n".join(units))
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("pods", [SMALL, LARGE])
def test_commands(tmp_path: Path, pods: int) -> None:
    folder = write(tmp_path / "inventory", pods)
    hosts = pods * UNITS_PER_POD * HOSTS_PER_UNIT
    print(f"\n{hosts:,} hosts, {8 * hosts:,} NICs of real switches; {os.cpu_count()} processors")
    print(f"  {'':<34}{'elapsed s':>10}{'CPU s':>10}{'peak MiB':>10}")
    for name, words in COMMANDS.items():
        elapsed_s, cpu_s, peak_mib = _run(words.format(folder=folder, out=tmp_path).split())
        print(f"  {name:<34}{elapsed_s:>10.1f}{cpu_s:>10.1f}{peak_mib:>10.0f}")
    shutil.rmtree(tmp_path / "files", ignore_errors=True)


def _run(words: list[str]) -> tuple[float, float, float]:
    """Return elapsed and processor seconds of a command, and the peak of its largest process."""
    code = (
        "import resource, runpy, sys\n"
        "sys.argv = ['rocefab', *sys.argv[1:]]\n"
        "try:\n"
        "    runpy.run_module('fabric', run_name='__main__', alter_sys=True)\n"
        "finally:\n"
        "    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "    print('\\npeak', max(own, others), file=sys.stderr)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    elapsed_s = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 4), done.stderr
    peak_kib = int(done.stderr.rpartition("peak ")[2])
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed_s, cpu_s, peak_kib / 1024
