"""Sizes of fabrics: every switch has the ports, and no smaller fabric does as well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.sizing import Need, sized
from fabric.topology.sizing_pods import MOST_GROUPS, MOST_LINKS, MOST_SUPER_SPINES, sized_pods

#: Hosts, room, rails, a leaf for each rail, ports of leaf and spine, spines: what is expected.
CASES = [
    ("2x400G of 64 cages", Need(256, 512, 8, True, 128, 128, 4), (64, 4, 2, 32, 8.0)),
    ("spines are free", Need(256, 512, 8, True, 128, 128), (64, 32, 2, 32, 1.0)),
    ("whole ports", Need(64, 64, 8, True, 64, 64), (32, 8, 4, 16, 1.0)),
    ("racks", Need(16, 16, 4, False, 32, 32), (4, 2, 8, 4, 1.0)),
]


@pytest.mark.parametrize(("need", "expected"), [case[1:] for case in CASES], ids=lambda _: "")
def test_sizes(need: Need, expected: tuple[float, ...]) -> None:
    size = sized(need)
    assert size is not None
    leaves = size.leaves(need.hosts)
    found = (size.hosts_per_unit, size.spines, size.links_per_leaf, leaves, size.over_subscription)
    assert found == expected


def test_what_does_not_fit_has_no_size() -> None:
    assert sized(Need(5000, 5000, 8, True, 64, 64)) is None
    assert sized(Need(16, 16, 8, True, 32, 32, 64)) is None


@given(
    hosts=st.integers(1, 200),
    more=st.integers(0, 300),
    rails=st.integers(1, 8),
    rail_leaves=st.booleans(),
    leaf=st.sampled_from([8, 32, 64, 128]),
    spine=st.sampled_from([32, 64, 128]),
    spines=st.one_of(st.none(), st.integers(1, 16)),
)
def test_every_switch_has_the_ports(
    hosts: int, more: int, rails: int, rail_leaves: bool, leaf: int, spine: int, spines: int | None
) -> None:
    need = Need(hosts, hosts + more, rails, rail_leaves, leaf, spine, spines)
    size = sized(need)
    if size is None:
        return
    assert size.used_host_ports <= size.host_ports
    assert size.host_ports + size.uplinks == leaf
    assert 0 <= size.spare_spine_ports(need.room_for) <= size.spare_spine_ports(hosts)
    assert size.units(need.room_for) * size.hosts_per_unit >= need.room_for
    assert size.spines == (spines or size.spines)
    less = sized(Need(hosts, hosts, rails, rail_leaves, leaf, spine, spines))
    assert less is not None
    assert max(1.0, less.over_subscription) <= max(1.0, size.over_subscription)


#: Pods, units of each, hosts of a unit, spines of a pod, super-spines, links, oversubscription.
PODS = [
    ("131,072 NICs", Need(16384, 16384, 8, True, 128, 128), (32, 8, 64, 64, 1024, 4, 1.0)),
    ("room for more", Need(2048, 4096, 8, True, 128, 128), (8, 8, 64, 64, 256, 16, 1.0)),
    ("most of 64 ports", Need(8192, 8192, 8, True, 64, 64), (64, 4, 32, 32, 1024, 1, 1.0)),
    ("two spines a pod", Need(300, 300, 4, True, 32, 32, 2), (30, 1, 10, 2, 32, 1, 1.25)),
]


@pytest.mark.parametrize(("need", "expected"), [case[1:] for case in PODS], ids=lambda _: "")
def test_sizes_of_pods(need: Need, expected: tuple[float, ...]) -> None:
    size = sized_pods(need)
    assert size is not None
    pod = size.pod
    parts = (size.pods, size.units_per_pod, pod.hosts_per_unit, pod.spines)
    assert (*parts, size.super_spines, size.links_per_spine, pod.over_subscription) == expected


@given(
    hosts=st.integers(1, 3000),
    more=st.integers(0, 3000),
    rails=st.integers(1, 8),
    rail_leaves=st.booleans(),
    ports=st.sampled_from([32, 64, 128]),
    spines=st.one_of(st.none(), st.integers(1, 16)),
)
def test_pods_and_super_spines_have_the_ports(
    hosts: int, more: int, rails: int, rail_leaves: bool, ports: int, spines: int | None
) -> None:
    need = Need(hosts, hosts + more, rails, rail_leaves, ports, ports, spines)
    size = sized_pods(need)
    if size is None:
        return
    assert 0 <= size.spare_core_ports(need.room_for) <= size.spare_core_ports(hosts)
    assert size.pods * size.units_per_pod >= size.units(need.room_for)
    assert size.pod.spare_spine_ports(size.pod.need.hosts) >= 0
    assert size.down_ports + size.core_links == ports
    assert size.super_spines * size.links_per_spine == size.core_links * size.pod.spines
    assert size.super_spines <= MOST_SUPER_SPINES
    assert size.pod.spines <= MOST_GROUPS
    assert 1 <= size.links_per_spine <= MOST_LINKS
    assert size.pod.spines == (spines or size.pod.spines)


def test_more_hosts_than_super_spines_have_ports_for() -> None:
    assert sized_pods(Need(60_000, 60_000, 8, True, 64, 64)) is None
