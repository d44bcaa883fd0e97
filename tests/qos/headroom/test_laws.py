"""Each law against figures worked out elsewhere, and what must hold for every law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.qos.headroom.deduced import (
    LinearSettings,
    TofinoSettings,
    XgsSettings,
    linear,
    plain,
    tofino,
    xgs,
)
from fabric.qos.headroom.laws import (
    DEDUCED,
    PortTraits,
    at_least_plain,
    headroom,
    laws,
    packing_factor,
)
from fabric.qos.headroom.mlx5 import nic_headroom_bytes
from fabric.qos.headroom.spectrum import SpectrumSettings, spectrum
from fabric.qos.headroom.terms import RESPONSE, Link, ceil_to
from fabric.qos.headroom.wire import RESPONSE_QUANTA, floor_bytes, plain_bytes
from tests.cases import each

KIB = 1024
#: 3.8 KiB for every speed and unrounded packing: how the older tables of NVIDIA were made.
OLD = {"peer_response_bytes": 3.8 * KIB, "whole_factor": False}
NEW = {"tile_ns": 120.0}
#: cell, speed, port MTU, settings -> headroom at 5, 40 and 300 m, lossless MTU 1024.
SPECTRUM = [
    (96, 100, 9100, OLD, (30720, 38912, 104448)),
    (144, 100, 9216, OLD, (33792, 44032, 117760)),
    (144, 400, 9216, OLD, (38912, 77824, 373760)),
    (192, 100, 9216, NEW, (113664, 126976, 225280)),
    (192, 400, 9216, NEW, (231424, 283648, 677888)),
    (192, 800, 9216, NEW, (257024, 362496, 1150976)),
]
#: Gb/s, m -> headroom for MTU 1500, 4200 and 9000 (mlx5 driver).
NIC = {
    (25, 7): (16720, 24064, 37120),
    (40, 7): (16720, 24064, 37120),
    (100, 7): (35680, 43024, 56080),
    (200, 7): (67280, 74624, 87680),
    (400, 7): (130480, 137824, 150880),
    (100, 100): (55780, 63124, 76180),
    (400, 100): (210880, 218224, 231280),
}
LIMITED = ("centec", "nephos", "tofino")
FAMILIES = [name for name in asic_names() if name not in LIMITED]
SPEEDS = st.sampled_from([speed for speed in RESPONSE_QUANTA if speed >= 10])
LENGTHS = st.integers(0, 80_000)
MTUS = st.integers(256, 9216)


def _settings(cell: int, **changes: object) -> SpectrumSettings:
    figures = {"pipeline_bytes": 19 * KIB, "mac_phy_bytes": 0.8 * KIB}
    return SpectrumSettings(cell_bytes=cell, **figures, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("cell", "speed", "mtu", "changes", "expected"), SPECTRUM)
def test_spectrum(cell, speed, mtu, changes, expected) -> None:
    result = spectrum(Link.of(speed, (5, 40, 300), mtu, 1024), _settings(cell, **changes))
    assert tuple(result.headroom_bytes.tolist()) == expected


@pytest.mark.parametrize(
    ("lanes", "xon", "size"),
    [(4, 19456, 231424 + 19456), (8, 38912, 231424 + 38912 + 9216)],
)
def test_spectrum_xon_and_size(lanes: int, xon: int, size: int) -> None:
    """Eight lanes double the pipeline and add a frame."""
    result = spectrum(Link.of(400, 5, 9216, 1024), _settings(192, **NEW), lanes=lanes)
    assert result.xon_threshold_bytes == xon
    assert result.size_bytes == size


def test_spectrum_with_a_shared_pool_keeps_the_xon_threshold_only() -> None:
    result = spectrum(Link.of(400, 5, 9216, 1024), _settings(192, shared_headroom=True))
    assert result.size_bytes == result.xon_threshold_bytes == 19456


def test_spectrum_6_adds_18_kib() -> None:
    link = Link.of(400, 40, 9216, 4096)
    added = spectrum(link, _settings(256, extra_bytes=18 * KIB)).headroom_bytes
    assert added - spectrum(link, _settings(256)).headroom_bytes == 18 * KIB


@pytest.mark.parametrize(
    ("percent", "shared", "added"), [(100, False, 0), (50, False, 2048), (50, True, 0)]
)
def test_spectrum_compensates_fewer_small_frames(percent: int, shared: bool, added: int) -> None:
    link = Link.of(400, 40, 9216, 4096)
    changes = {"small_packet_percent": percent, "shared_headroom": shared}
    with_it = spectrum(link, _settings(192, **changes)).headroom_bytes
    assert with_it - spectrum(link, _settings(192, **changes, compensate=False)).headroom_bytes == (
        added
    )


def test_spectrum_small_frames_in_the_script() -> None:
    """Half the packets of 64 bytes beside 4096 make 3.08 percent, by an expression without p."""
    factor = _settings(192, small_packet_percent=50).packing_factor(np.array(4096.0))
    assert factor == pytest.approx(1 + 0.0307692 * 2, abs=1e-6)


@pytest.mark.parametrize(
    ("speed", "cable", "expected"),
    [
        # by hand: 1024 + (9100 + cable + 819.2 + response) * 2.75, up to whole KiB; the cable is
        # 4,932.1 and 19,728.5 bytes, the response 25,216 and twice 57,920
        (100, 40, 111_616),
        (400, 40, 401_408),
    ],
)
def test_tofino_2(speed: int, cable: int, expected: int) -> None:
    result = tofino(Link.of(speed, cable, 9100, 1024), TofinoSettings(176, 68 * KIB, 0.8 * KIB))
    assert result.headroom_bytes == expected
    assert result.size_bytes == result.xon_threshold_bytes == 68 * KIB


def test_xgs_slope_is_cell_over_84() -> None:
    """4 cells a metre at 100G would be 1512 bytes at 400G: Tomahawk 4."""
    near, far = xgs(Link.of(400, (0, 300_000), 9428, 9428), XgsSettings(254, 2030)).headroom_bytes
    assert (far - near) / 300_000 == pytest.approx(1511.9, abs=0.01)


def test_xgs_charges_slow_ports_as_the_next_speed() -> None:
    ten, twenty_five, forty, fifty = xgs(
        Link.of((10, 25, 40, 50), 40, 9428, 9428), XgsSettings(254, 2030)
    ).headroom_bytes
    assert ten == twenty_five
    assert forty == fifty


def test_linear_takes_the_line_between_known_speeds() -> None:
    settings = LinearSettings(5.0, {100: 1000.0, 400: 4000.0})
    result = linear(Link.of((50, 100, 200, 800), 0, 9000, 9000), settings)
    assert result.headroom_bytes.tolist() == [500, 1000, 2000, 8000]


def test_linear_does_not_go_beyond_its_only_speed() -> None:
    with pytest.raises(ValueError, match="nothing above 100G"):
        linear(Link.of(400, 5, 9000, 9000), LinearSettings(20.0, {100: 15_900.0}))


def test_linear_floor() -> None:
    settings = LinearSettings(5.0, {100: 60_232.0, 400: 115_127.0}, 1.33, {100: 401_408.0}, 4096)
    near, far = linear(Link.of(100, (5, 10_000), 9000, 9000), settings).headroom_bytes
    assert near == 401_408
    assert far == ceil_to(60_232 + 1.33 * 2 * 10_000 * 5e-9 * 12.5e9, 4096)


@pytest.mark.parametrize(("speed", "cable"), NIC)
def test_nic(speed: int, cable: int) -> None:
    result = nic_headroom_bytes(speed * 1000, cable, (1500, 4200, 9000))
    assert tuple(result.tolist()) == NIC[speed, cable]


@pytest.mark.parametrize(
    ("speed", "cable", "mtu", "text"),
    [
        (100_000, 65_536, 1500, "0 to 65535"),
        (100_000, -1, 1500, "0 to 65535"),
        (0, 7, 1500, "above 0"),
        (100_000, 7, 0, "above 0"),
    ],
)
def test_nic_refuses(speed: int, cable: int, mtu: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        nic_headroom_bytes(speed, cable, mtu)


@pytest.mark.parametrize("name", LIMITED)
def test_families_known_at_100g_only(name: str) -> None:
    """Their tables say nothing, or the same as at 100G, which is too little at 400G."""
    assert headroom(asic(name), Link.of(100, 40, 9216, 9216)).headroom_bytes > 0
    with pytest.raises(ValueError, match="above 100G"):
        headroom(asic(name), Link.of(400, 40, 9216, 9216))


@pytest.mark.parametrize("field", ["speed_gbps", "cable_m", "port_mtu_bytes", "lossless_mtu_bytes"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_a_link_refuses_what_cannot_be(field: str, value: float) -> None:
    sizes = {"speed_gbps": 100, "cable_m": 5, "port_mtu_bytes": 9216, "lossless_mtu_bytes": 9000}
    with pytest.raises(ValueError, match=field):
        Link.of(**{**sizes, field: value})


def test_a_link_refuses_a_speed_of_zero() -> None:
    with pytest.raises(ValueError, match="speed_gbps must be above 0"):
        Link.of(0, 5, 9216, 9000)


def test_plain_in_cells() -> None:
    result = plain(Link.of(400, 40, 9216, 9216), packing_factor=3.0, cell_bytes=192)
    wire = plain_bytes(400, 40, 9216, 9216)
    assert result.headroom_bytes == ceil_to(3 * wire, 192)


@given(name=st.sampled_from(asic_names()), length=LENGTHS, port=MTUS, lossless=MTUS, speed=SPEEDS)
def test_a_deduced_law_is_never_below_the_sum(name, length, port, lossless, speed) -> None:
    """Whatever the tables were made for: lines of Teralynx, Tofino and Centec know no frames."""
    family = asic(name)
    if family.law not in DEDUCED or (name in LIMITED and speed > 100):
        return
    kept = headroom(family, Link.of(speed, length, port, lossless)).headroom_bytes
    assert kept >= plain_bytes(speed, length, port, lossless) - 1e-6


@pytest.mark.parametrize("name", ["teralynx-10", "teralynx-7", "tofino", "centec"])
def test_lines_that_were_below_the_sum(name: str) -> None:
    """At 10G the line of each family alone is too small for frames of 9,216 bytes."""
    link = Link.of(10, 5, 9216, 9216)
    family = asic(name)
    line, kept = laws[family.law](family, link, PortTraits()), headroom(family, link)
    assert line.headroom_bytes < plain_bytes(10, 5, 9216, 9216) <= kept.headroom_bytes
    assert kept.terms[-1].name == "up to the sum of IEEE 802.3"


@each("name", FAMILIES)
def test_1600g_has_one_answer(name: str) -> None:
    """Never below the sum for the slowest peer, nor below what is kept at 800G."""
    link = Link.of((800, 1600), 5, 9216, 9216)
    result = headroom(asic(name), link)
    assert result.headroom_bytes[1] >= plain_bytes(1600, 5, 9216, 9216)
    assert result.headroom_bytes[1] > result.headroom_bytes[0]
    if asic(name).law not in DEDUCED:
        assert result.least_bytes is not None
        assert result.least_bytes[0] == result.headroom_bytes[0]
        assert result.least_bytes[1] < result.headroom_bytes[1]


def test_a_line_is_lifted_to_the_interval_of_the_sum() -> None:
    link = Link.of(1600, 5, 9216, 9216)
    tiny = replace(headroom(asic("tomahawk-6"), link), terms=(), headroom_bytes=np.array(0))
    lifted = at_least_plain(tiny, link)
    most, floor = plain_bytes(1600, 5, 9216, 9216), floor_bytes(1600, 5, 9216, 9216)
    assert lifted.headroom_bytes == ceil_to(most, tiny.rounding_bytes)
    assert lifted.least_bytes == ceil_to(floor + 905 * 64, tiny.rounding_bytes)


def test_a_switch_that_computes_takes_its_default_where_there_are_no_quanta() -> None:
    """3.8 KiB of SONiC's ASIC table at 1600G, the quanta below."""
    family = asic("spectrum-6")
    for speed, least in ((800, 905 * 64), (1600, 3.8 * KIB)):
        link = Link.of(speed, 5, 9216, 4096)
        computed, asked = (headroom(family, link, PortTraits(computes=x)) for x in (True, False))
        response = next(term for term in computed.terms if term.name == RESPONSE)
        assert response.amount_bytes == pytest.approx(least)
        assert bool(computed.headroom_bytes < asked.headroom_bytes) is (speed == 1600)


@each("name", FAMILIES)
def test_a_late_peer_needs_more_of_every_family(name: str) -> None:
    usual, late = (
        headroom(asic(name), Link.of(100, 40, 9216, 9216, ns)).headroom_bytes
        for ns in (None, 40_000)
    )
    assert late > usual
    assert late >= floor_bytes(100, 40, 9216, 9216) + 40_000 * 12.5


def test_every_law_is_in_use() -> None:
    assert {asic(name).law for name in asic_names()} | {"plain"} == set(laws)


@given(st.sampled_from(FAMILIES), SPEEDS, LENGTHS, MTUS, MTUS, st.sampled_from([1, 8]))
def test_the_terms_give_the_sum(name, speed, length, port, lossless, lanes) -> None:
    """Packed, rounded up, and never wrapped."""
    result = headroom(asic(name), Link.of(speed, length, port, lossless), PortTraits(lanes))
    packed = sum(term.amount_bytes for term in result.terms if term.packed)
    others = sum(term.amount_bytes for term in result.terms if not term.packed)
    exact = result.packing_factor * packed + others
    assert result.headroom_bytes == ceil_to(exact, result.rounding_bytes)
    assert result.headroom_bytes >= exact - 1e-6
    assert all(np.all(np.asarray(term.amount_bytes) >= 0) for term in result.terms)


@given(st.sampled_from(FAMILIES), SPEEDS, LENGTHS, MTUS, MTUS, LENGTHS)
def test_never_falls_as_the_cable_grows(name, speed, length, port, lossless, more) -> None:
    link = Link.of(speed, (length, length + more), port, lossless)
    short, long = headroom(asic(name), link).headroom_bytes
    assert long >= short


@each("name", FAMILIES)
def test_every_metre_counts(name) -> None:
    """Where sums come out a hair above a whole cell too."""
    result = headroom(asic(name), Link.of(200, tuple(range(1000)), 256, 256)).headroom_bytes
    assert (np.diff(result) >= 0).all()


@given(st.sampled_from(FAMILIES), LENGTHS, MTUS, MTUS)
def test_never_falls_as_the_speed_grows(name, length, port, lossless) -> None:
    # the doubled response of Tofino-2 at 400G alone makes its 800G smaller for short cables
    speeds = [
        speed for speed in RESPONSE_QUANTA if 10 <= speed <= (400 if "tofino" in name else 800)
    ]
    result = headroom(asic(name), Link.of(speeds, length, port, lossless)).headroom_bytes
    assert (np.diff(result) >= 0).all()


@given(st.sampled_from(FAMILIES), SPEEDS, LENGTHS, MTUS, MTUS, st.integers(0, 9000))
def test_never_falls_as_a_frame_grows(name, speed, length, port, lossless, more) -> None:
    family = asic(name)
    base = headroom(family, Link.of(speed, length, port, lossless)).headroom_bytes
    assert headroom(family, Link.of(speed, length, port + more, lossless)).headroom_bytes >= base
    assert headroom(family, Link.of(speed, length, port, lossless + more)).headroom_bytes >= base


@given(st.sampled_from(FAMILIES), SPEEDS, LENGTHS, MTUS, MTUS)
def test_xon_lies_below_the_pause_of_a_group_that_has_room(
    name, speed, length, port, lossless
) -> None:
    """The size of NVIDIA's profile leaves XON and headroom apart."""
    result = headroom(asic(name), Link.of(speed, length, port, lossless))
    if result.size_bytes is not None and asic(name).law == "spectrum":
        assert result.xon_threshold_bytes <= result.size_bytes - result.headroom_bytes


@each("name", FAMILIES)
def test_packing_factor_is_at_least_one(name: str) -> None:
    assert packing_factor(asic(name)) >= 1.0


def test_the_wire_is_linear_in_one_array() -> None:
    """One call for all cables of a large fabric."""
    link = Link.of(np.full(130_000, 400), np.arange(130_000) % 300, 9216, 9022)
    result = headroom(asic("spectrum-4"), link).headroom_bytes
    assert result.shape == (130_000,)
    assert result[299] == headroom(asic("spectrum-4"), Link.of(400, 299, 9216, 9022)).headroom_bytes
