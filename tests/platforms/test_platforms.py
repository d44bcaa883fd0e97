"""What is known of systems and switch models holds together."""

from __future__ import annotations

import os
import pkgutil
from pathlib import Path

import pytest

from fabric import platforms as package
from fabric.platforms import load_platforms, platforms
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.model import Sku

REPOSITORY = Path(__file__).parents[2]
SUPPORT = {"asic", "asics", "catalogue", "facts", "model", "skus"}


def test_each_platform_module_has_registered() -> None:
    """Under its own name, and nothing else has."""
    load_platforms()
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)} - SUPPORT
    assert modules == set(platforms)
    for name, platform in platforms.items():
        assert platform.name == name
        assert platform.source
        assert platform.title
        low, high = platform.port_mtu_bytes
        assert 0 < low < high
        assert set(platform.watchdog_ms) == {"detection", "restoration", "poll"}
        assert all(0 < low < high for low, high in platform.watchdog_ms.values())
        assert platform.default_mac_ageing_s > 0
        assert platform.default_arp_timeout_s > 0


@pytest.mark.parametrize("name", sku_names())
def test_models(name: str) -> None:
    """Source, positive numbers, ports that are told apart, a table that can be right."""
    model = sku(name)
    load_platforms()
    assert model is sku(name)
    assert model.source
    assert model.asic
    assert model.nos in platforms
    assert model.port_count > 0
    assert model.lanes_per_port > 0
    assert list(model.speeds_gbps) == sorted(set(model.speeds_gbps))
    assert min(model.speeds_gbps) > 0
    ports = model.port_numbers()
    assert len(ports) == model.port_count
    assert list(ports.values()) == list(range(1, model.port_count + 1))
    assert len({model.alias(number) for number in ports.values()}) == model.port_count
    lanes = [lane for number in ports.values() for lane in model.lanes(number)]
    assert lanes == list(range(model.port_count * model.lanes_per_port))
    assert set(model.speed_tokens) <= set(model.speeds_gbps)
    if model.nos == "eos":
        assert set(model.speed_tokens) == set(model.speeds_gbps)
        assert model.queue_submode


def _rows(model: Sku) -> dict[int, list[tuple[int, int, int]]]:
    found: dict[int, list[tuple[int, int, int]]] = {}
    for (speed, cable), row in sorted(model.headroom.items()):
        found.setdefault(cable, []).append((speed, row.headroom_bytes, row.size_bytes))
    return found


@pytest.mark.parametrize("name", [name for name in sku_names() if sku(name).headroom])
def test_headroom_tables(name: str) -> None:
    """Complete, and never falling as the speed or the cable grows."""
    model = sku(name)
    speeds = {speed * 1000 for speed in model.speeds_gbps}
    assert {speed for speed, _ in model.headroom} == speeds
    for row in model.headroom.values():
        assert row.headroom_bytes > 0
        assert row.xon_threshold_bytes > 0
        # the vendor rounds each of the three to KiB by itself
        assert row.size_bytes + 1024 >= row.headroom_bytes + row.xon_threshold_bytes
        assert -8 <= row.dynamic_th <= 7
        assert row.headroom_bytes % 1024 == row.size_bytes % 1024 == 0
    for rows in _rows(model).values():
        for column in (1, 2):
            values = [row[column] for row in rows]
            assert values == sorted(values)
    for speed in speeds:
        lengths = model.cable_lengths_m(speed)
        assert lengths == (5, 40, 300)
        values = [model.headroom[speed, length].headroom_bytes for length in lengths]
        assert values == sorted(values)


@pytest.mark.parametrize(
    ("name", "file"),
    [("ACS-MSN4700", "mellanox-sn4700.ini"), ("ACS-SN5600", "nvidia-sn5600.ini")],
)
def test_tables_are_those_of_the_vendor(name: str, file: str) -> None:
    """Row by row."""
    folder = Path(os.environ.get("ROCEFAB_REFERENCE", REPOSITORY.parent / "shared"))
    path = folder / "fixtures" / "sonic" / "pg_profile_lookup" / file
    if not path.is_file():
        pytest.skip(f"no vendor tables in {folder}; set ROCEFAB_REFERENCE to the reference data")
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = {
        (int(words[0]), int(words[1].removesuffix("m"))): [int(word) for word in words[2:6]]
        for words in lines
        if words and not words[0].startswith("#")
    }
    found = {
        key: [row.size_bytes, row.xon_threshold_bytes, row.headroom_bytes, row.dynamic_th]
        for key, row in sku(name).headroom.items()
    }
    assert found == wanted


@pytest.mark.parametrize("name", [name for name in sku_names() if sku(name).pools])
def test_pools(name: str) -> None:
    """Positive; the lossless egress pool holds what the ingress pool may let in."""
    pools = sku(name).pools
    assert pools is not None
    assert min(pools.ingress_lossless_bytes, pools.ingress_lossy_bytes) > 0
    assert pools.egress_lossy_bytes > 0
    assert pools.egress_lossless_bytes > pools.ingress_lossless_bytes


def test_an_unknown_model_is_named() -> None:
    """With those that are known."""
    with pytest.raises(KeyError) as caught:
        sku("../skus/ACS-SN5600")
    assert caught.value.args[0] == (
        f"unknown SKU '../skus/ACS-SN5600'; known: {', '.join(sku_names())}"
    )
