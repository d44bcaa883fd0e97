"""What the plan for one host that leaves its tenant takes, of 1,024 hosts. Prints only."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.core import hostlist
from fabric.devices.connections import PASSWORD_VARIABLE
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs
from fabric.workflow.laboratory import connections_of
from fabric.workflow.project import Project
from tests.bench.process import run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.benchmark

INVENTORY = """\
name: tenants-8192
design: rail-optimised
rails: 8
units:
{units}
spines: {{count: 64, links_per_leaf: 1}}
platforms:
  leaf: {{sku: SN5600, host_ports: 64, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
  spine: {{sku: SN5600, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
speeds: {{host_gbps: 400, uplink_gbps: 400}}
cables: {{host_m: 5, uplink_m: 40}}
addressing:
  loopbacks: 10.255.0.0/20
  uplinks: 10.200.0.0/16
  hosts: 10.0.0.0/13
  vlan_per: none
bgp: {{leaf_asn_first: 4200000000, spine_asn: 64512}}
tenancy: {{form: evpn, unassigned: quarantine}}
tenants:
{tenants}
host:
  gpus: 8
  interfaces: eth[1-8]
  rdma_devices: mlx5_[1-8]
"""
HOSTS, HOSTS_PER_UNIT, TENANTS = 1024, 64, 100
MOVED = 7
LEAVES = [f"su01-rail{rail}" for rail in range(8)]
#: Seconds that the plan may take on an idle machine, where the inventory before was checked.
MOST_S = 5
ROUNDS = 3


def write(folder: Path, without: int = 0) -> Path:
    """Write the inventory: each tenant has hosts all over the fabric, and one host has none."""
    units = [
        f'  - {{name: su{unit + 1:02}, hosts: "gpu[{first:04}-{first + HOSTS_PER_UNIT - 1:04}]"}}'
        for unit, first in enumerate(range(1, HOSTS + 1, HOSTS_PER_UNIT))
    ]
    tenants = []
    for number in range(1, TENANTS + 1):
        mine = (host for host in range(number, HOSTS + 1, TENANTS) if host != without)
        hosts = hostlist.fold(f"gpu{host:04}" for host in mine)
        tenants.append(f'  - {{name: t{number:03}, id: {number}, hosts: "{hosts}"}}')
    text = INVENTORY.format(units="\n".join(units), tenants="\n".join(tenants))
    folder.mkdir(exist_ok=True)
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return folder


@contextmanager
def running(project: Project, names: list[str]) -> Iterator[Lab]:
    """Yield stand-ins of some devices alone; the leaves run what the inventory says."""
    files = project.switch_files(LEAVES)
    texts = {name: next(f.text for f in files[name] if f.kind == "nv-set") for name in LEAVES}
    every = specs(project.devices, project.hosts, "lab-password")
    mine = (one for one in every if one.name in names)
    with Lab([
        replace(one, running=(one.running or "") + texts.get(one.name, "")) for one in mine
    ]) as lab:
        yield lab


def test_one_host_of_1024_leaves_its_tenant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "lab-password")
    folder, host = tmp_path / "inventory", f"gpu{MOVED:04}"
    names, connections, out = [*LEAVES, host], tmp_path / "connections.json", tmp_path / "plan.json"
    chosen = ["--only", ",".join(names), "--connections", str(connections), "--out", str(out)]
    print(f"\n{HOSTS:,} hosts, {8 * HOSTS:,} NICs, {TENANTS} tenants; seconds of CPU")
    with running(Project(write(folder)), names) as lab:
        connections.touch(0o600)
        connections.write_text(json.dumps(connections_of(lab)), encoding="utf-8")
        for number in range(ROUNDS):
            cache = ["--cache", str(tmp_path / f"cache{number}")]
            checked = run(["check", str(write(folder)), *cache])
            taken = run(["plan", str(write(folder, MOVED)), *cache, *chosen])
            print(
                f"  check {checked.cpu_s:.1f}; plan for one host {taken.cpu_s:.1f}, elapsed "
                f"{taken.elapsed_s:.1f} (below {MOST_S} on an idle machine), peak "
                f"{taken.peak_mib:,.0f} MiB"
            )
            assert taken.code == 0, taken.error
    planned = json.loads(out.read_text(encoding="utf-8"))
    assert {*planned["devices"]} == {*names}
