"""How long the proof of tenants and an outage take on 131,072 NICs and 500 tenants. Prints only."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from fabric.prove.engine import Engine
from fabric.prove.tenancy import wrong_lines
from fabric.report.whatif import whatif
from fabric.workflow.project import Project
from tests.bench.test_scale import write
from tests.prove.tenants.synthetic import configured

pytestmark = pytest.mark.benchmark

PODS, HOSTS, TENANTS = 32, 16_384, 500
#: Target of the proof once files are read.
MOST_S = 60
#: Target of `whatif` without the rules of `check`.
MOST_WHATIF_S = 10


def _project(folder: Path, *, scattered: bool) -> Project:
    """Return the fabric with tenants of hosts side by side, or of hosts all over the fabric."""
    write(folder, PODS)
    file = folder / "fabric.yaml"
    text = file.read_text(encoding="utf-8").replace(
        "  host_prefix_length: 25\n", "  vlan_per: none\n"
    )
    rows = []
    for number in range(TENANTS):
        first, end = (edge * HOSTS // TENANTS for edge in (number, number + 1))
        names = f"{first + 1:05d}-{end:05d}"
        if scattered:
            names = ",".join(f"{host + 1:05d}" for host in range(number, HOSTS, TENANTS))
        rows.append(f'  - {{name: t{number:03}, id: {number + 1}, hosts: "gpu[{names}]"}}\n')
    tenancy = "tenancy: {form: evpn, unassigned: quarantine}\ntenants:\n"
    file.write_text(text + tenancy + "".join(rows), encoding="utf-8")
    return Project(folder)


@pytest.mark.parametrize("scattered", [False, True], ids=["side by side", "scattered"])
def test_131072_nics_of_500_tenants(tmp_path: Path, *, scattered: bool) -> None:
    project = _project(tmp_path / "fabric", scattered=scattered)
    devices = dict(project.devices.items())
    files = {name: configured(design) for name, design in devices.items()}
    engine = Engine(project.fabric, devices, {}, files)
    start, cpu = time.perf_counter(), time.process_time()
    proof = engine.isolation()
    counts = proof.counts
    middle = time.perf_counter()
    breaches = [*proof.breaches(), *proof.faults(devices)]
    network = engine._network(None, is_ipv6=False)
    breaches += wrong_lines(network, devices, project.fabric)
    end, cpu_s = time.perf_counter(), time.process_time() - cpu
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{len(project.fabric.nics):,} NICs, {len(files):,} switches, {counts}: "
        f"{middle - start:.1f} s, "
        f"lines {end - middle:.1f} s, {cpu_s:.1f} s of CPU, peak {peak_gib:.1f} GiB"
    )
    assert breaches == []
    assert counts.tenants == TENANTS
    assert counts.lost_nic_pairs == counts.leaking_pairs == 0
    assert cpu_s < MOST_S


@pytest.mark.parametrize("scattered", [False, True], ids=["side by side", "scattered"])
def test_what_a_leaf_takes_from_500_tenants(tmp_path: Path, *, scattered: bool) -> None:
    project = _project(tmp_path / "fabric", scattered=scattered)
    leaf = project.fabric.switches.names[0]
    start, cpu = time.perf_counter(), time.process_time()
    result = whatif(project, [f"switch:{leaf}"], rules=False)
    end, cpu_s = time.perf_counter(), time.process_time() - cpu
    print(
        f"whatif --fail switch:{leaf}: {len(result.tenants)} of {TENANTS} tenants hit, "
        f"{end - start:.1f} s, {cpu_s:.1f} s of CPU"
    )
    assert sum(tenant.nics_lost for tenant in result.tenants) == result.impact.rails_lost.shape[0]
    assert cpu_s < MOST_WHATIF_S
