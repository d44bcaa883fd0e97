"""Round trips of paths, and what RoCEv2 leaves of the line rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.path import (
    Hop,
    line_rate_efficiency,
    longest_path,
    one_way_s,
    round_trip_s,
)
from tests.topology.fabrics import example

PATH = (Hop(400, 5), Hop(400, 40), Hop(400, 40), Hop(400, 5))
HOPS = st.lists(
    st.builds(Hop, st.sampled_from([25.0, 100.0, 400.0]), st.floats(0, 2000)),
    min_size=1,
    max_size=6,
).map(tuple)


def test_one_way_by_hand() -> None:
    """Four hops of 1 us, 90 m of cable at 5 ns, 9,104 bytes four times at 50 bytes a ns."""
    assert one_way_s(PATH, 9104) == pytest.approx(4e-6 + 90 * 5e-9 + 4 * 9104 / 50e9)


def test_round_trip_by_hand() -> None:
    far, back = one_way_s(PATH, 9104), 4e-6 + 450e-9 + 4 * 84 / 50e9
    assert round_trip_s(PATH, 9104) == pytest.approx(far + back)


@pytest.mark.parametrize(
    ("name", "lengths_m"),
    [
        ("rail-only", [5, 5]),
        ("dual-plane", [5, 40, 40, 5]),
        ("three-tier", [5, 40, 300, 300, 40, 5]),
        ("explicit", [5, 40, 300, 5]),
    ],
)
def test_longest_path_of_each_design(name: str, lengths_m: list[int]) -> None:
    """Explicit: one of its uplinks has 300 m, and no path has it twice."""
    assert sorted(hop.cable_m for hop in longest_path(example(name))) == sorted(lengths_m)


@pytest.mark.parametrize(("cable_m", "slowest_gbps"), [(20, 100), (45, 400)])
def test_the_longest_path_is_the_slowest(cable_m: int, slowest_gbps: int) -> None:
    """A frame and its notice take 341 ns at 100G and 85 ns at 400G: as 25.6 m there and back."""
    built = example("demo")
    speed_gbps, length_m = np.full(len(built.nics), 400), np.full(len(built.nics), 5)
    speed_gbps[:2], length_m[2:] = 100, cable_m
    nics = replace(built.nics, speed_gbps=speed_gbps, cable_m=length_m)
    path = longest_path(replace(built, nics=nics))
    assert min(path[0].speed_gbps, path[-1].speed_gbps) == slowest_gbps


@given(HOPS, st.integers(64, 9216))
def test_a_path_and_its_way_back_are_alike(path: tuple[Hop, ...], frame: int) -> None:
    assert round_trip_s(path, frame) == pytest.approx(round_trip_s(path[::-1], frame))


@given(HOPS, st.integers(64, 9216), st.floats(0, 1000))
def test_longer_is_slower(path: tuple[Hop, ...], frame: int, more: float) -> None:
    longer = (Hop(path[0].speed_gbps, path[0].cable_m + more), *path[1:])
    assert round_trip_s(longer, frame) >= round_trip_s(path, frame)


@pytest.mark.parametrize(("mtu", "percent"), [(1024, 92.59), (2048, 96.15), (4096, 98.04)])
def test_efficiency(mtu: int, percent: float) -> None:
    assert line_rate_efficiency(mtu) * 100 == pytest.approx(percent, abs=0.005)


def test_efficiency_of_tagged_and_ipv6() -> None:
    assert line_rate_efficiency(4096, vlan=True, ipv6=True) == pytest.approx(4096 / (4096 + 106))
