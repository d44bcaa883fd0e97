"""How long exports and imports take: 16,384 NICs, 49,152 cables."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fabric.core.exports import export, exporters
from fabric.exchange.forms import Settings, importers
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.roles import complete

pytestmark = pytest.mark.benchmark
HOSTS, RAILS, UNIT, SPINES = 2048, 8, 32, 64


@pytest.fixture(scope="module")
def plant() -> Plant:
    units = range(HOSTS // UNIT)
    devices = [
        Device(f"su{unit}-rail{rail}", "switch", "leaf", f"su{unit}", rail=rail)
        for unit in units
        for rail in range(RAILS)
    ]
    devices += [Device(f"spine{number}", "switch", "spine") for number in range(SPINES)]
    devices += [Device(f"gpu{host}", "host", unit=f"su{host // UNIT}") for host in range(HOSTS)]
    ends = [(host, rail) for host in range(HOSTS) for rail in range(RAILS)]
    cables = [
        Cable.between(
            (f"gpu{host}", f"eth{rail}"),
            (f"su{host // UNIT}-rail{rail}", f"Ethernet{host % UNIT * 8}"),
            400,
            5,
        )
        for host, rail in ends
    ]
    cables += [
        Cable.between(
            (f"su{unit}-rail{rail}", f"Ethernet{256 + number * 4}"),
            (f"spine{number}", f"Ethernet{unit * RAILS + rail}"),
            400,
            40,
        )
        for unit in units
        for rail in range(RAILS)
        for number in range(SPINES)
    ]
    nics = [Nic(f"gpu{host}", f"eth{rail}", rail) for host, rail in ends]
    return Plant("bench", tuple(devices), tuple(cables), tuple(nics))


@pytest.mark.parametrize("form", ["csv", "dot", "graphml", "json", "netbox", "nornir"])
def test_there_and_back(plant: Plant, form: str, tmp_path: Path) -> None:
    exporter = exporters[form]
    started = time.perf_counter()
    files = export(plant, exporter).files
    wrote = time.perf_counter()
    for file in files:
        (tmp_path / file.path).write_bytes(file.content)
    source = tmp_path / files[0].path if len(files) == 1 else tmp_path
    ready = time.perf_counter()
    back = importers[form].read(source, Settings()).plant
    size_mb = sum(len(file.content) for file in files) / 1e6
    print(
        f"{form}: {size_mb:.1f} MB, written in {wrote - started:.2f} s, "
        f"read in {time.perf_counter() - ready:.2f} s"
    )
    assert len(back.cables) == len(plant.cables)


def test_roles_of_bare_cables(plant: Plant) -> None:
    bare = plant.without({"device.role", "device.unit", "device.rail", "nics"})
    started = time.perf_counter()
    found, _ = complete(bare, "bench")
    print(f"roles, units and rails: {time.perf_counter() - started:.2f} s")
    assert found.device["su3-rail5"].rail == 5
