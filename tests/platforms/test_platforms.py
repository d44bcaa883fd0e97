"""What is known of systems and switch models holds together."""

from __future__ import annotations

import re

import pytest

from fabric.platforms import platforms
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.breakout import parse_mode
from fabric.platforms.catalogue import sku, sku_aliases, sku_names
from fabric.platforms.model import Sku
from tests.cases import each
from tests.reference import reference


def test_every_platform_says_what_it_is() -> None:
    """Under its own name."""
    for name, platform in platforms.items():
        assert platform.name == name
        assert platform.source
        assert platform.title
        low, high = platform.port_mtu_bytes
        assert 0 < low < high
        assert {*platform.watchdog_ms, "poll"} == {"detection", "restoration", "poll"}
        assert platform.polls is (name not in {"comware7", "nxos", "vrp8"})
        assert all(0 < low < high for low, high in platform.watchdog_ms.values())
        assert platform.default_mac_ageing_s > 0
        refresh = platform.neighbour_refresh
        assert refresh.mechanism
        assert refresh.source
        assert refresh.longest_s(240) >= 240


@each("name", sku_names())
def test_models(name: str) -> None:
    """Source, positive numbers, ports that are told apart, a table that can be right."""
    model = sku(name)
    assert model is sku(name)
    assert model.source
    assert model.asic
    assert model.nos in platforms
    assert model.port_count > 0
    for kind, _ in model.cages():
        assert list(kind.speeds_gbps) == sorted(set(kind.speeds_gbps))
        assert min(kind.speeds_gbps) > 0
        assert kind.lanes > 0
        parts = {gbps for mode in map(parse_mode, kind.breakouts) for gbps in mode.speeds_gbps}
        assert set(kind.speed_tokens) <= {*kind.speeds_gbps, *parts}
        assert len(set(kind.breakouts)) == len(kind.breakouts)
        if model.nos == "eos":
            assert set(kind.speed_tokens) >= set(kind.speeds_gbps)
    ports = model.port_numbers()
    assert len(ports) == model.port_count
    assert list(ports.values()) == list(range(1, model.port_count + 1))
    assert len({model.alias(number) for number in ports.values()}) == model.port_count
    lanes = [lane for number in ports.values() for lane in model.lanes(number)]
    each = [kind.count * kind.lanes for kind, _ in model.cages()]
    assert len(lanes) == len(set(lanes)) == sum(each)
    assert len(model.first_lanes) in (0, model.port_count)
    assert model.gearbox_ns >= 0
    assert model.queue_submode or model.nos != "eos"


def _rows(model: Sku) -> dict[int, list[tuple[int, int, int]]]:
    found: dict[int, list[tuple[int, int, int]]] = {}
    for (speed, cable), row in sorted(model.headroom.items()):
        found.setdefault(cable, []).append((speed, row.headroom_bytes, row.size_bytes))
    return found


@each("name", sku_names())
def test_headroom_tables(name: str) -> None:
    """Rows for the speeds of the ports, in whole cells, never falling with speed or cable."""
    model = sku(name)
    if not model.headroom:
        return
    speeds = {speed for speed, _ in model.headroom}
    modes = [parse_mode(mode) for mode in model.all_breakouts]
    parts = {speed for mode in modes if mode.parts > 1 for speed in mode.speeds_gbps}
    assert speeds & {gbps * 1000 for gbps in (max(model.all_speeds_gbps), *parts)}
    assert min(length for _, length in model.headroom) == 5
    for row in model.headroom.values():
        assert row.headroom_bytes > 0
        assert row.size_bytes > 0
        assert row.xon_threshold_bytes >= 0
        assert row.xon_threshold_bytes or row.xon_offset_bytes, "nothing ends the pause"
        assert -8 <= row.dynamic_th <= 7
    for rows in _rows(model).values():
        values = [row[1] for row in rows]
        assert values == sorted(values) or name in NOT_BY_SPEED
    for speed in speeds:
        lengths = model.cable_lengths_m(speed)
        assert lengths
        values = [model.headroom[speed, length].headroom_bytes for length in lengths]
        assert values == sorted(values)


#: Nokia's table for Tomahawk 6 gives 50G a little more than 100G.
NOT_BY_SPEED = {"Nokia-IXR7220-H6-P128"}


@each("name", [name for name in sku_names() if name.startswith("ACS-")])
def test_tables_of_nvidia(name: str) -> None:
    """In KiB, complete for three lengths; the size holds XON and headroom."""
    model = sku(name)
    if not model.headroom:
        return
    offered = {speed * 1000 for speed in model.speeds_gbps}
    assert {speed for speed, _ in model.headroom} >= offered
    for speed in offered:
        assert model.cable_lengths_m(speed) == (5, 40, 300)
    for row in model.headroom.values():
        # the vendor rounds each of the three to KiB by itself
        assert row.size_bytes + 1024 >= row.headroom_bytes + row.xon_threshold_bytes
        assert row.headroom_bytes % 1024 == row.size_bytes % 1024 == 0


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("ACS-MSN4700", "mellanox-sn4700.ini"),
        ("ACS-SN5600", "nvidia-sn5600.ini"),
        ("DellEMC-Z9332f-O32", "dell-z9332f-o32-th3.ini"),
        ("Nokia-IXR7220-H4-64D", "nokia-h4-64d-th4.ini"),
        ("Nokia-IXR7220-H5-64D", "nokia-h5-64d-th5.ini"),
    ],
)
def test_tables_are_those_of_the_vendor(name: str, file: str) -> None:
    """Row by row."""
    path = reference("fixtures", "sonic", "pg_profile_lookup", file)
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


@each("name", sku_names())
def test_pools(name: str) -> None:
    """Positive, and none is larger than the buffer; what shares a pool has none of its own."""
    model = sku(name)
    pools = model.pools
    if pools is None:
        return
    assert model.packet_buffer_bytes is not None
    sizes = [pools.ingress_lossless_bytes, pools.egress_lossless_bytes]
    sizes += [size for size in (pools.ingress_lossy_bytes, pools.egress_lossy_bytes) if size]
    assert min(sizes) > 0
    assert max(sizes) <= model.packet_buffer_bytes
    assert 0 <= pools.shared_headroom_bytes < pools.ingress_lossless_bytes
    if pools.ingress_lossy_bytes:
        assert model.asic_facts.law == "spectrum"
        assert pools.ingress_lossy_bytes == pools.ingress_lossless_bytes
        assert pools.egress_lossless_bytes > pools.ingress_lossless_bytes
    else:
        assert not name.startswith("ACS-")


def test_own_facts_stand_before_those_of_the_family() -> None:
    """Arista's switch has the larger variant of Trident 4; a switch without own facts has none."""
    model = sku("7050DX4-32S")
    assert asic("trident-4").integer("buffer_bytes") == 84_219_120
    assert model.asic_facts.integer("buffer_bytes") == 132_000_000
    assert model.buffer_bytes == model.packet_buffer_bytes == 132_000_000
    assert model.asic_facts.integer("cell_bytes") == asic("trident-4").integer("cell_bytes")
    assert sku("ACS-SN5600").asic_facts is asic("spectrum-4")
    assert sku("ACS-SN5600").buffer_bytes is None
    assert sku("ACS-SN5600").packet_buffer_bytes == asic("spectrum-4").integer("buffer_bytes")


def test_table_sizes() -> None:
    """Of the model's configuration file, else of the family, else unknown."""
    dell = sku("DellEMC-S5232f-C32")
    assert (dell.mac_entries, dell.host_entries, dell.route_entries) == (32_768, 16_384, None)
    assert sku("ACS-MSN4700").host_entries == 41_000


def test_lanes_that_are_not_in_order() -> None:
    """As in port_config.ini of the vendors."""
    assert sku("ACS-MSN4600C").lanes(2) == range(8, 12)
    assert sku("NH-4210-F-P128").lanes(1) == range(121, 129)
    assert sku("NH-4210-F-P128").port(128) == "Ethernet1016"
    assert sku("DellEMC-Z9664f-O64").alias(3) == "fourhundredGigE1/3"
    assert sku("ACS-MSN3800").gearbox_ns == 400


def test_an_unknown_model_is_named() -> None:
    """With those that are known."""
    with pytest.raises(KeyError) as caught:
        sku("../skus/ACS-SN5600")
    assert caught.value.args[0] == (
        f"unknown SKU '../skus/ACS-SN5600'; known: {', '.join(sku_names())}"
    )


def test_other_names_of_models() -> None:
    """As orders and NetBox have them; none means two models, nor a name that differs in hyphens."""
    aliases = sku_aliases()
    assert aliases["DCS-7060DX5-64S-F"] == "7060DX5-64S"
    assert aliases["Nexus 9336C-FX2"] == "N9K-C9336C-FX2"
    assert {*aliases.values()} <= {*sku_names()}
    words = [*aliases, *sku_names()]
    assert len({re.sub(r"[ _-]", "", word).lower() for word in words}) == len(words)
