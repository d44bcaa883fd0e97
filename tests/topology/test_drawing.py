"""Boxes and lines of pictures: what is drawn as one, that nothing overlaps, and the states."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fabric.topology.clos import clos
from fabric.topology.drawing import Box, CableState, Frame, Picture, cable_states
from fabric.topology.drawing_groups import LABEL_LENGTH, Limits, even_bounds, label_of, shortened
from fabric.topology.drawing_layout import CHARACTER_PX, MOST_WIDTH, picture
from fabric.topology.model import Fabric
from tests.topology.fabrics import EXAMPLES, example, fabric


def drawn(built: Fabric, **marks) -> Picture:
    network = clos(built)
    return picture(built, network, cable_states(built, network, **marks))


def wide(units: int, spines: int, cables: int = 4) -> Fabric:
    """Return a fabric of two leaves and two hosts in each unit; no switch has that many ports."""
    small = fabric()
    leaves, hosts = 2 * units, 2 * units
    unit = np.arange(units)
    ends = np.repeat(np.arange(leaves), cables)
    up = np.ones(len(ends), dtype=np.int64)
    nic_leaf = np.repeat(np.repeat(unit, 2) * 2, 2) + np.tile([0, 1], hosts)
    nic = np.ones(len(nic_leaf), dtype=np.int64)
    file = small.intent.fabric
    named = [file.units[0].model_copy(update={"name": f"su{n}"}) for n in unit.tolist()]
    intent = replace(small.intent, fabric=file.model_copy(update={"units": tuple(named)}))
    switches = replace(
        small.switches,
        names=tuple([f"leaf{n}" for n in range(leaves)] + [f"spine{n}" for n in range(spines)]),
        leaf_count=leaves,
        tier=np.repeat([0, 1], [leaves, spines]),
        pod=np.full(leaves + spines, -1),
        plane=np.full(leaves + spines, -1),
        unit=np.concatenate([np.repeat(unit, 2), np.full(spines, -1)]),
        rail=np.concatenate([np.tile([0, 1], units), np.full(spines, -1)]),
        asn=np.concatenate([10**6 + np.arange(leaves), np.full(spines, 65100)]),
        loopback=np.arange(leaves + spines),
        skus=small.switches.skus[:1] * (leaves + spines),
    )
    return replace(
        small,
        intent=intent,
        switches=switches,
        hosts=replace(
            small.hosts, names=tuple(f"n{n}" for n in range(hosts)), unit=np.repeat(unit, 2),
            slot=np.tile([0, 1], units),
        ),
        nics=replace(
            small.nics, host=np.repeat(np.arange(hosts), 2), rail=np.tile([0, 1], hosts),
            nic_port=0 * nic,
            leaf=nic_leaf, port=nic, subnet=nic, address=nic, speed_gbps=200 * nic,
            cable_m=nic, enabled=nic.astype(np.bool_),
        ),
        uplinks=replace(
            small.uplinks, lower=ends, lower_port=up,
            upper=leaves + np.arange(len(ends)) % spines, upper_port=up, upper_address=up,
            speed_gbps=400 * up, cable_m=up, enabled=up.astype(np.bool_),
        ),
    )  # fmt: skip


SIZES = {
    **{name: lambda name=name: example(name) for name in EXAMPLES},
    "34 leaves": lambda: wide(17, 4),
    "four thousand switches": lambda: wide(1000, 2000, 8),
}


@pytest.fixture(scope="module", params=SIZES)
def sized(request) -> tuple[Fabric, Picture]:
    built = SIZES[request.param]()
    return built, drawn(built)


def test_every_device_and_cable_is_there_once(sized) -> None:
    built, result = sized
    names = [name for box in result.boxes for name in box.members]
    assert sorted(names) == sorted([*built.switches.names, *built.hosts.names])
    cables = len(built.nics) + len(built.uplinks)
    assert sum(line.cables for line in result.lines) == cables
    assert sum(count for _, count in result.totals) == cables


def test_boxes_do_not_overlap_and_hold_their_text(sized) -> None:
    _, result = sized
    for box in result.boxes:
        assert len(box.label) <= LABEL_LENGTH
        assert max(len(box.label), len(box.detail)) * CHARACTER_PX < box.width
        assert box.x > 0
        assert box.x + box.width < result.width
        assert box.y + box.height < result.height
    for one, other in combinations(result.boxes, 2):
        beside = one.x + one.width < other.x or other.x + other.width < one.x
        assert beside or one.y != other.y
    for frame, other in combinations(result.frames, 2):
        assert apart(frame, other) or inside(frame, other) or inside(other, frame)


def apart(one: Frame, other: Frame) -> bool:
    """Return whether no point is in both."""
    beside = one.x + one.width < other.x or other.x + other.width < one.x
    return beside or one.y + one.height < other.y or other.y + other.height < one.y


def inside(one: Box | Frame, outer: Frame) -> bool:
    """Return whether the border of a frame is around all of a thing."""
    across = outer.x < one.x and one.x + one.width < outer.x + outer.width
    return across and outer.y < one.y and one.y + one.height < outer.y + outer.height


def test_a_page_has_a_bounded_number_of_boxes(sized) -> None:
    _, result = sized
    for kind in ("host", "leaf", "spine"):
        assert sum(box.kind == kind for box in result.boxes) <= Limits().leaves_alone


def test_lines_end_on_the_sides_of_their_boxes(sized) -> None:
    _, result = sized
    for line in result.lines:
        lower: Box | Frame = result.boxes[line.lower[0]]
        if len(line.lower) > 1:
            lower = next(frame for frame in result.frames if inside(lower, frame))
        upper = result.boxes[line.upper]
        assert lower.x < line.x1 < lower.x + lower.width
        assert upper.x < line.x2 < upper.x + upper.width
        assert (line.y1, line.y2) == (lower.y, upper.y + upper.height)


def test_states_of_the_demo() -> None:
    result = drawn(
        example("demo"),
        wrong={("su1-rail0", "Ethernet128"), ("gpu001", "eth1"), ("su1-rail0", "Ethernet9999")},
        missing={("spine02", "Ethernet1/1"), ("su1-rail0", "Ethernet128")},
        failing={("su2-rail1", "Ethernet0")},
    )
    states = {
        (result.boxes[line.lower[0]].label, result.boxes[line.upper].label): line.state
        for line in result.lines
        if line.state
    }
    assert states == {
        ("su1-rail0", "spine01"): CableState.WRONG,
        ("su1-rail0", "spine02"): CableState.DOWN,
        ("gpu003", "su2-rail1"): CableState.LOSSLESS,
    }
    assert dict(result.totals)[CableState.PLANNED] == 13


def test_over_subscription_and_what_is_switched_off() -> None:
    built = fabric(
        "devices:\n  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n",
        speeds__host_gbps=400,
    )
    totals = dict(drawn(built).totals)
    # 1200G of NICs at each leaf of su1, with one and with two uplinks; 800G at those of su2
    assert totals[CableState.DOWN] == 1
    assert totals[CableState.OVERSUBSCRIBED] == 3


def test_cables_between_groups_are_counted_by_state() -> None:
    built = wide(17, 4)
    off = built.uplinks.enabled.copy()
    off[:3] = False
    result = drawn(replace(built, uplinks=replace(built.uplinks, enabled=off)))
    first = next(line for line in result.lines if result.boxes[line.lower[0]].kind == "leaf")
    assert first.states == ((CableState.DOWN, 1), (CableState.PLANNED, 3))
    assert result.boxes[first.lower[0]].detail == "4 leaves"


def test_long_labels_lose_their_middle() -> None:
    assert shortened("a" * 24) == "a" * 24
    assert shortened("abcdefghijklmnopqrstuvwxyz") == "abcdefghijk…pqrstuvwxyz"


def test_a_leaf_of_no_unit_and_a_unit_without_leaves_are_drawn() -> None:
    built = fabric()
    unit = built.switches.unit.copy()
    unit[:2] = -1
    result = drawn(replace(built, switches=replace(built.switches, unit=unit)))
    assert [frame.label for frame in result.frames] == ["no unit", "su1", "su2"]
    names = [name for box in result.boxes for name in box.members]
    assert sorted(names) == sorted([*built.switches.names, *built.hosts.names])


@pytest.mark.parametrize(
    ("count", "most", "bounds"),
    [
        (16, 12, list(range(0, 17, 2))),
        (17, 12, [*range(0, 17, 2), 17]),
        (1000, 12, list(range(0, 1001, 100))),
        (32, 8, list(range(0, 33, 4))),
        (13, 12, [*range(0, 13, 2), 13]),
    ],
)
def test_parts_are_as_equal_as_they_can_be(count: int, most: int, bounds: list[int]) -> None:
    assert even_bounds(count, most) == bounds
    assert len(bounds) - 1 <= most


def test_labels_of_many_names() -> None:
    assert label_of(["gpu01", "gpu02"]) == "gpu[01-02]"
    leaves = [f"su{unit}-rail{rail}" for unit in (2, 3) for rail in range(8)]
    assert label_of(leaves) == "su2-rail0 … su3-rail7"
    assert len(label_of([f"a-very-long-name-{n}" for n in "abc"])) == LABEL_LENGTH - 1
