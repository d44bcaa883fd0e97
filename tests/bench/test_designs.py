"""Load and realise at 16,384 hosts of 8 NICs, 512 leaves: seconds and memory. Prints only.

No known switch model has that many ports, so one is made here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.topology.fabrics import REPOSITORY

pytestmark = pytest.mark.benchmark

SN5600 = REPOSITORY / "fabric" / "systems" / "sonic" / "skus" / "ACS-SN5600.toml"
PORTS, UNITS, HOSTS = 1024, 64, 256
PODS = 8


def document(**changes: Any) -> dict[str, Any]:
    """Return fabric.yaml of 64 units of 256 hosts."""
    units = [
        {
            "name": f"su{unit:02d}",
            "hosts": f"gpu[{HOSTS * unit + 1:05d}-{HOSTS * unit + HOSTS:05d}]",
        }
        for unit in range(UNITS)
    ]
    return {
        "name": "large",
        "design": "rail-optimised",
        "rails": 8,
        "units": units,
        "spines": {"count": 512},
        "platforms": {"leaf": {"sku": "WIDE", "host_ports": HOSTS}, "spine": {"sku": "WIDE"}},
        "speeds": {"host_gbps": 400, "uplink_gbps": 400},
        "addressing": {
            "loopbacks": "10.0.0.0/16",
            "uplinks": "10.128.0.0/12",
            "uplinks_per_leaf": 512,
            "core_links": "10.160.0.0/12",
            "hosts": "10.64.0.0/14",
            "host_prefix_length": 23,
        },
        "bgp": {"leaf_asn_first": 4200000000},
        "host": {"interfaces": "eth[1-8]", "rdma_devices": "mlx5_[1-8]"},
        **changes,
    }


def three_tiers() -> dict[str, Any]:
    """Return 8 pods of 64 spines, and 512 super-spines in 64 groups."""
    data = document(
        spines={"count": 64, "links_per_leaf": 4},
        super_spines={"count": 512, "groups": 64, "links_per_spine": 4, "spines_per_pod": 64},
    )
    for number, unit in enumerate(data["units"]):
        unit["pod"] = f"pod{number * PODS // UNITS + 1}"
    data["platforms"]["super_spine"] = {"sku": "WIDE"}
    return data


def rows(spines: int) -> str:
    """Return cabling.csv of every NIC, and one cable from each leaf to each spine."""
    lines = ["device,port,peer_device,peer_port"]
    for unit in range(UNITS):
        for slot in range(HOSTS):
            host = f"gpu{HOSTS * unit + slot + 1:05d}"
            lines += [
                f"{host},eth{r + 1},su{unit:02d}-rail{r},Ethernet{8 * slot}" for r in range(8)
            ]
        for rail in range(8):
            leaf, number = f"su{unit:02d}-rail{rail}", 8 * unit + rail
            lines += [
                f"{leaf},Ethernet{8 * (HOSTS + s)},spine{s + 1:02d},Ethernet{8 * number}"
                for s in range(spines)
            ]
    return "\n".join(lines) + "\n"


def written(folder: Path, data: dict[str, Any], cabling: str = "") -> tuple[Path, Path]:
    """Write an inventory and the model that it needs; return both folders."""
    inventory, models = folder / "inventory", folder / "models"
    for path in (inventory, models):
        path.mkdir()
    (inventory / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    if cabling:
        (inventory / "cabling.csv").write_text(cabling, encoding="utf-8")
    text = SN5600.read_text(encoding="utf-8").replace("count = 64", f"count = {PORTS}")
    (models / "WIDE.toml").write_text(text, encoding="utf-8")
    return inventory, models


def measured(folder: Path, data: dict[str, Any], cabling: str = "") -> dict[str, Any]:
    """Return what the worker found out about an inventory."""
    inventory, models = written(folder, data, cabling)
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.realise_worker", inventory, models],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("case", ["two tiers", "three tiers", "147,456 cables one by one"])
def test_load_and_realise(case: str, tmp_path: Path) -> None:
    """Generated with 512 spines, with 512 super-spines above them, and from cabling.csv."""
    if case == "two tiers":
        found = measured(tmp_path, document())
    elif case == "three tiers":
        found = measured(tmp_path, three_tiers())
    else:
        few = document(spines={"count": 32}, cabling="explicit")
        found = measured(tmp_path, few, rows(32))
    assert found["nics"] == 8 * HOSTS * UNITS
    print(
        f"\n{case}: {found['switches']:,} switches, {found['nics']:,} NICs, "
        f"{found['cables']:,} cables: load {found['load']:.2f} s, "
        f"realise {found['realise']:.2f} s, peak {found['peak_mib']:,.0f} MiB"
    )
