"""Boxes and lines of pictures: what is drawn as one, that nothing overlaps, and the states."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fabric.topology.clos import clos
from fabric.topology.drawing import Box, CableState, Comb, Frame, Line, Picture, cable_states
from fabric.topology.drawing_groups import Limits, even_bounds, label_of
from fabric.topology.drawing_layout import CHARACTER_PX, MOST_WIDTH, STACK_PX, picture
from fabric.topology.drawing_lines import COMB_PX
from fabric.topology.drawing_names import (
    LABEL_LENGTH,
    NOTHING_SHARED,
    Shared,
    shared_by,
    shortened,
    shorter_names,
)
from fabric.topology.model import Fabric
from tests.topology.fabrics import EXAMPLES, example, fabric

#: Pixels between a text and the border of its box, so that they do not touch.
LEAST_PAD = 3


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
            speed_gbps=400 * up, cable_m=up, enabled=up.astype(np.bool_), prefix_length=31 * up,
        ),
    )  # fmt: skip


def pods(count: int, **changes) -> Fabric:
    """Return a fabric of three tiers, whose units are in the pods in turn: two units in each."""
    units = [
        {"name": f"r{n}", "pod": f"pod{n % count:02}", "hosts": f"h{n}x[1-4]"}
        for n in range(2 * count)
    ]
    tops = {"count": 8, "groups": 2, "links_per_spine": 1, "spines_per_pod": 2}
    return fabric(
        units=units,
        speeds__core_gbps=400,
        platforms__super_spine={"sku": "ACS-MSN4700"},
        addressing__core_links="10.253.0.0/16",
        **{"design": "classic-tor", "super_spines": tops, **changes},
    )


#: Examples whose pictures have planes, pods, NICs of two ports, or many models.
MORE = ("three-tier", "dual-plane", "dual-tor", "mixed")
SIZES = {
    **{name: lambda name=name: example(name) for name in (*EXAMPLES, *MORE)},
    "planes of pods": lambda: pods(4, nic_ports=2, planes=2, design="rail-optimised"),
    "24 pods": lambda: pods(24),
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
    assert sum(total.cables or 0 for total in result.totals) == cables


def test_boxes_do_not_overlap_and_hold_their_text(sized) -> None:
    _, result = sized
    for box in result.boxes:
        assert len(box.label) <= LABEL_LENGTH
        assert max(len(box.label), len(box.detail)) * CHARACTER_PX + 2 * LEAST_PAD <= box.width
        assert box.x > 0
        assert box.x + box.width < result.width
        assert box.y + box.height < result.height
    for one, other in combinations(result.boxes, 2):
        assert _right(one) < other.x or _right(other) < one.x or one.y != other.y
    for frame, other in combinations(result.frames, 2):
        assert apart(frame, other) or inside(frame, other) or inside(other, frame)


def _right(box: Box) -> float:
    """Return where a box ends, with the second edge of several devices."""
    return box.x + box.width + STACK_PX * (len(box.members) > 1)


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


def test_no_picture_is_wider_than_the_window(sized) -> None:
    _, result = sized
    assert result.width <= MOST_WIDTH


def framed(result: Picture, kind: str) -> list[tuple[str, list[str]]]:
    """Return the frames of a kind: label and devices."""
    return [
        (frame.label, [name for box in result.boxes if inside(box, frame) for name in box.members])
        for frame in result.frames
        if frame.kind == kind
    ]


def test_each_pod_and_plane_has_a_frame_around_its_switches(sized) -> None:
    built, result = sized
    switches = built.switches
    pod_of = dict(zip(switches.names, switches.pod.tolist(), strict=True))
    plane_of = dict(zip(switches.names, switches.plane.tolist(), strict=True))
    for kind, places in (("pod", pod_of), ("plane", plane_of)):
        names = [name for _, some in framed(result, kind) for name in some]
        mine = [name for name in names if name in places]
        assert sorted(mine) == sorted(name for name, place in places.items() if place >= 0)
    for _, some in framed(result, "plane"):
        assert len({plane_of[name] for name in some}) == 1


def test_pods_of_the_example() -> None:
    east, west = framed(drawn(example("three-tier")), "pod")
    assert east[0] == "pod east"
    assert {"east-spine01", "east-spine02", "rack1-leaf", "rack2-leaf", "gpu08"} <= {*east[1]}
    assert west[0] == "pod west"
    assert len(west[1]) == len(east[1]) == 12


def test_pods_share_frames_where_there_are_too_many() -> None:
    labels = [label for label, _ in framed(drawn(pods(24)), "pod")]
    assert labels[0] == "pod[00-03]"  # not: pods pod[00-03]
    assert [label for label, _ in framed(drawn(pods(2)), "pod")] == ["pod00", "pod01"]
    assert len(labels) == 6


def test_planes_stand_apart_and_hosts_are_below_both() -> None:
    result = drawn(example("dual-plane"))
    planes = framed(result, "plane")
    assert planes == [
        ("plane a", ["su1-rail0-a", "su1-rail1-a", "spine-a01", "spine-a02"]),
        ("plane b", ["su1-rail0-b", "su1-rail1-b", "spine-b01", "spine-b02"]),
    ]
    bottom = max(frame.y + frame.height for frame in result.frames if frame.kind == "plane")
    assert min(box.y for box in result.boxes if box.kind == "host") > bottom


@pytest.mark.parametrize("name", ["dual-plane", "dual-tor"])
def test_nics_are_counted_and_their_ports_too(name: str) -> None:
    result = drawn(example(name))
    assert result.subtitle.endswith("8 hosts, 16 NICs, 32 ports")
    details = {box.detail for box in result.boxes if box.kind == "host"}
    assert details == {"2 NICs, 4 ports"}


def test_captions_have_speeds_and_oversubscription() -> None:
    texts = [caption.lines for caption in drawn(example("three-tier")).captions]
    assert ("64 cables", "200G, 5 m", "4 per line") in texts
    assert ("32 cables", "400G, 40 m", "4 per line", "oversubscription", "1:1") in texts
    assert ("16 cables", "400G, 300 m", "2 per line", "oversubscription", "2:1") in texts
    uneven = [caption.lines for caption in drawn(fabric(speeds__host_gbps=400)).captions]
    assert ("8 cables", "400G, 40 m", "oversubscription", "1:1 to 1.5:1") in uneven


@pytest.mark.parametrize("name", ["demo", "rail-512", "three-tier", "dual-plane", "dual-tor"])
def test_captions_count_the_cables_of_a_line_as_its_tooltip_does(name: str) -> None:
    result = drawn(example(name))
    expected = set()
    for kind in {box.kind for box in result.boxes}:
        counts = [line.cables for line in result.lines if result.boxes[line.lower[0]].kind == kind]
        ends = dict.fromkeys((min(counts), max(counts))) if counts else {}
        expected |= (
            {"-".join(f"{end:,}" for end in ends) + " per line"}
            if max(ends, default=1) > 1
            else set()
        )
    texts = " ".join(text for caption in result.captions for text in caption.lines)
    assert set(re.findall(r"[\d,-]+ per line", texts)) == expected


def uplines(result: Picture) -> list[Line]:
    return [line for line in result.lines if result.boxes[line.lower[0]].kind == "leaf"]


def test_uplinks_of_a_unit_that_are_alike_are_one_line() -> None:
    result = drawn(example("rail-512"))
    drawn_lines = uplines(result)
    assert len(drawn_lines) == 2 * 8
    assert {len(line.lower) for line in drawn_lines} == {8}
    assert {line.cables for line in drawn_lines} == {32}


def test_an_uplink_with_a_state_of_its_own_has_a_line_of_its_own() -> None:
    result = drawn(example("rail-512"), wrong={("su1-rail3", "Ethernet256")})
    own = [line for line in uplines(result) if line.state is CableState.WRONG]
    assert [[result.boxes[number].label for number in line.lower] for line in own] == [
        ["su1-rail3"]
    ]
    sizes = sorted(len(line.lower) for line in uplines(result))
    assert sizes == [1, 7, *[8] * 15]


def test_a_leaf_without_a_cable_to_a_switch_is_in_no_bundle_to_it() -> None:
    """Odd and even rails have spines of their own: a comb over all would say too much."""
    built = example("rail-512")
    links, switches = built.uplinks, built.switches
    spine = (links.upper - switches.leaf_count) // 2 * 2 + switches.rail[links.lower] % 2
    upper = switches.leaf_count + spine
    result = drawn(replace(built, uplinks=replace(links, upper=upper)))
    assert [len(line.lower) for line in uplines(result)] == [1] * 16 * 4
    assert {line.rail for line in uplines(result)} == {*range(8)}


def test_lines_and_boxes_know_their_rail() -> None:
    result = drawn(example("rail-512"))
    nics = [line for line in result.lines if result.boxes[line.lower[0]].kind == "host"]
    assert sorted(line.rail for line in nics) == sorted([*range(8), *range(8)])
    assert all(line.rail == result.boxes[line.upper].rail for line in nics)
    assert {line.rail for line in drawn(example("three-tier")).lines} == {-1}
    assert {line.rail for line in drawn(example("mixed")).lines} == {-1}


def test_lines_end_on_the_sides_of_their_boxes(sized) -> None:
    _, result = sized
    for line in result.lines:
        lower: Box | Comb = result.boxes[line.lower[0]]
        if len(line.lower) > 1:
            lower = next(comb for comb in result.combs if comb.lower == line.lower)
        upper = result.boxes[line.upper]
        assert lower.x < line.x1 < lower.x + lower.width
        assert upper.x < line.x2 < upper.x + upper.width
        assert (line.y1, line.y2) == (lower.y, upper.y + upper.height)


def test_a_comb_has_a_tooth_to_each_of_its_leaves_and_to_no_other(sized) -> None:
    _, result = sized
    bundles = {line.lower for line in result.lines if len(line.lower) > 1}
    assert {comb.lower for comb in result.combs} == bundles
    for comb in result.combs:
        boxes = [result.boxes[number] for number in comb.lower]
        for box, tooth in zip(boxes, comb.teeth, strict=True):
            assert box.x < tooth < box.x + box.width
        assert {box.y for box in boxes} == {comb.bottom}


def test_a_comb_stands_apart_from_boxes_and_frames(sized) -> None:
    """A bar on the edge of a frame, or next to the leaves, looks like neither's own."""
    _, result = sized
    for comb in result.combs:
        assert comb.bottom - comb.y >= COMB_PX
        first = result.boxes[comb.lower[0]]
        around = [one for one in result.frames if one.kind == "unit" and _is_in(first, one)]
        assert [frame.y <= comb.y - COMB_PX for frame in around] == [True]


def _is_in(box: Box, frame: Frame) -> bool:
    is_beside = frame.x <= box.x <= frame.x + frame.width
    return is_beside and frame.y <= box.y <= frame.y + frame.height


def test_leaves_without_a_cable_of_their_own_state_are_not_under_its_comb() -> None:
    result = drawn(example("rail-512"), wrong={("su1-rail3", "Ethernet256")})
    combs = sorted(result.combs, key=lambda comb: (comb.y, comb.x))
    assert [len(comb.lower) for comb in combs] == [7, 8, 8]
    assert combs[0].y < combs[1].y == combs[2].y
    assert not {*combs[0].teeth} & {*combs[1].teeth}


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
    assert result.totals[CableState.PLANNED].cables == 13


def test_over_subscription_and_what_is_switched_off() -> None:
    built = fabric(
        "devices:\n  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n",
        speeds__host_gbps=400,
    )
    totals = {total.state: total.cables for total in drawn(built).totals}
    # 1200G of NICs at each leaf of su1, with one and with two uplinks; 800G at those of su2
    assert totals[CableState.DOWN] == 1
    assert totals[CableState.OVERSUBSCRIBED] == 3


@pytest.mark.parametrize("lanes", [2, 4, 16])
def test_super_spines_of_a_lane_are_side_by_side(lanes: int) -> None:
    """A box has switches of one lane, or whole lanes: more of these than boxes have room."""
    tops = {"count": 32, "groups": lanes, "links_per_spine": 1, "spines_per_pod": 16}
    result = drawn(pods(2, spines={"count": 16, "links_per_leaf": 1}, super_spines=tops))
    boxes = [box.members for box in result.boxes if box.kind == "super-spine"]
    of_boxes = [[(int(name.removeprefix("core")) - 1) % lanes for name in box] for box in boxes]
    assert 1 < len(boxes) <= Limits().upper_boxes
    if lanes == 16:
        assert {len(box) for box in boxes} == {len({*box}) * 2 for box in of_boxes}
    else:
        assert [len({*box}) for box in of_boxes] == [1] * len(boxes)
    assert [lane for box in of_boxes for lane in sorted(box)] == sorted(
        [*range(lanes)] * (32 // lanes)
    )


def test_a_label_of_every_other_switch_has_the_second_too() -> None:
    assert label_of([f"core{number:02}" for number in range(1, 33, 2)]) == "core01, core03 … core31"
    gaps = [number for number in range(1, 33) if number % 5]
    assert label_of([f"core{number:02}" for number in gaps]) == "core01 … core32"


def test_a_border_is_of_the_tenants() -> None:
    borders = {
        ((), False): "plain",
        ((), True): "plain",
        ((("red", 1),), False): "tenant",
        ((("red", 1),), True): "mixed",
        ((("red", 1), ("blue", 2)), False): "shared",
        ((("red", 1), ("blue", 2)), True): "shared",
    }
    place = ("leaf", "leaf1", "", ("leaf1",), 0, 0, 0, 0, 0)
    assert borders == {of: Box(*place, *of).border for of in borders}


def test_quarantine_is_planned_and_hidden_by_cables_in_use() -> None:
    """One cable of gpu004 is in it: no fault, and not among cables that nobody looked at."""
    built = example("tenants")
    result = drawn(built)
    totals = {total.state: (total.cables, total.unread) for total in result.totals}
    assert totals[CableState.QUARANTINE] == (1, 0)
    assert totals[CableState.DOWN] == (None, len(built.nics) + len(built.uplinks) - 1)
    states = [(line.state, line.cables) for line in result.lines]
    assert states.count((CableState.QUARANTINE, 1)) == 1
    assert [box.name for box in result.boxes if box.is_mixed] == ["su2-rail1", "gpu004"]
    assert [total.state for total in drawn(example("demo")).totals][:2] == [
        CableState.PLANNED,
        CableState.OVERSUBSCRIBED,
    ]
    rows = np.array([CableState.QUARANTINE, CableState.PLANNED])
    assert max(CableState(row) for row in rows.tolist()) is CableState.PLANNED


def test_cables_between_groups_are_counted_by_state() -> None:
    built = wide(17, 4)
    off = built.uplinks.enabled.copy()
    off[:3] = False
    result = drawn(replace(built, uplinks=replace(built.uplinks, enabled=off)))
    first = next(line for line in result.lines if result.boxes[line.lower[0]].kind == "leaf")
    assert first.states == ((CableState.DOWN, 1), (CableState.PLANNED, 3))
    assert result.boxes[first.lower[0]].detail == "4 leaves"


def renamed(built: Fabric, prefix: str, suffix: str = "") -> Fabric:
    switches = tuple(f"{prefix}{name}{suffix}" for name in built.switches.names)
    hosts = tuple(f"{prefix}{name}{suffix}" for name in built.hosts.names)
    return replace(
        built,
        switches=replace(built.switches, names=switches),
        hosts=replace(built.hosts, names=hosts),
    )


def test_leaves_with_long_names_keep_their_rails() -> None:
    """What all names of a unit share is left out before leaves become one box."""
    for built, label, hosts in (
        (renamed(example("rail-512"), "dc1-hall3-row07-"), "…rail0", "…gpu[001-032]"),
        (renamed(example("rail-512"), "", "-row07.hall3.dc1"), "…rail0…", "gpu[001-032]…"),
        (renamed(example("rail-512"), "dc1hall3row07"), "…rail0", "dc1hall3row07gpu[001-032]"),
    ):
        result = drawn(built)
        leaves = [box for box in result.boxes if box.kind == "leaf"]
        assert [box.rail for box in leaves] == [*range(8), *range(8)]
        assert leaves[0].label == label
        assert leaves[0].name == built.switches.names[0]
        assert shortened(hosts) == next(box.label for box in result.boxes if box.kind == "host")
        assert result.width <= MOST_WIDTH


def test_leaves_of_three_units_keep_their_rails() -> None:
    """24 leaves fit with the number of their name and their rail; each is a box of its own."""
    units = [
        {"name": f"su{n + 1}", "hosts": f"gpu[{32 * n + 1:02}-{32 * n + 32}]"} for n in range(3)
    ]
    host = {"interfaces": "eth[1-8]", "rdma_devices": "mlx5_[1-8]"}
    platforms = {"leaf": {"sku": "ACS-SN5600", "host_ports": 48}, "spine": {"sku": "ACS-SN5600"}}
    built = fabric(
        rails=8,
        units=units,
        host=host,
        platforms=platforms,
        spines={"count": 8, "links_per_leaf": 2},
    )
    boxes = [box for box in drawn(built).boxes if box.kind == "leaf"]
    assert [(box.label, box.detail, box.rail) for box in boxes] == [
        (f"\N{HORIZONTAL ELLIPSIS}{rail}", f"rail{rail}", rail) for rail in range(8)
    ] * 3


def test_names_are_cut_at_whole_parts_alone() -> None:
    assert shared_by(["dc1-a-x", "dc1-b-x"]) == Shared("dc1-", "-x")
    assert shared_by(["rail1", "rail2"]) == NOTHING_SHARED
    assert shared_by(["rail-1"]) == NOTHING_SHARED
    names = [("leaf", 0, f"abcdefghijklmnopqrstuvwxyz{n}") for n in range(2)]
    assert [labels[0] for labels in shorter_names(names)] == ["abcdef…vwxyz0", "abc…yz0"]


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
    assert label_of(leaves) == "su[2-3]-rail[0-7]"
    assert label_of([f"n{number}" for number in range(1001)]) == "n0 … n1000"
    assert len(label_of([f"a-very-long-name-{n}" for n in "abc"])) == LABEL_LENGTH - 1
