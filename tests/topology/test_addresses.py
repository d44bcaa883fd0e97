"""Addresses: each one once, each in its subnet, each /31 with two ends."""

from __future__ import annotations

import ipaddress
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.core.units import ipv4_text
from fabric.topology import Fabric
from tests.topology.fabrics import EXAMPLES, example
from tests.topology.test_growth import DESIGNS, VLANS, small


def check(built: Fabric) -> None:
    """Assert all that must hold of the addresses of a fabric."""
    file, subnets, nics, up = built.intent.fabric, built.subnets, built.nics, built.uplinks
    used = set(nics.subnet.tolist())
    addresses = [
        *built.switches.loopback.tolist(),
        *nics.address.tolist(),
        *(int(subnets.gateway[row]) for row in used),
        *up.lower_address.tolist(),
        *up.upper_address.tolist(),
    ]
    assert [ipv4_text(item) for item, count in Counter(addresses).items() if count > 1] == []
    for row in range(len(subnets)):
        network = ipaddress.ip_network((int(subnets.network[row]), subnets.prefix_length))
        assert network.subnet_of(file.addressing.hosts)
        assert int(subnets.gateway[row]) in map(int, (network[1], network[-2]))
    for row in range(len(nics)):
        subnet = int(nics.subnet[row])
        network = ipaddress.ip_network((int(subnets.network[subnet]), subnets.prefix_length))
        assert ipaddress.ip_address(int(nics.address[row])) in network
        assert int(nics.address[row]) not in map(int, (network[0], network[-1]))
        assert subnets.leaf[subnet] == nics.leaf[row]
        assert subnets.rail[subnet] == nics.rail[row]
    for row in range(len(up)):
        low, high = int(up.upper_address[row]), int(up.lower_address[row])
        assert low % 2 == 0
        assert high == low + 1
        assert ipaddress.ip_address(low) in file.addressing.uplinks
    pool = file.addressing.loopbacks
    assert all(ipaddress.ip_address(item) in pool for item in built.switches.loopback.tolist())
    keys = [(int(leaf), int(vlan)) for leaf, vlan in zip(subnets.leaf, subnets.vlan, strict=True)]
    assert len(set(keys)) == len(keys)
    assert len({int(network) for network in subnets.network}) == len(subnets)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """The examples of the repository."""
    check(example(name))


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    spines=st.integers(1, 4),
    links=st.integers(1, 2),
    rails=st.integers(1, 3),
    design=DESIGNS,
    vlan_per=VLANS,
)
def test_any_fabric(
    sizes: list[int], spines: int, links: int, rails: int, design: str, vlan_per: str
) -> None:
    """Whatever the shape."""
    check(small(sizes, spines, links, rails, design, vlan_per))


def test_positions_of_the_demo() -> None:
    """Some addresses worked out by hand."""
    built = example("demo")
    row = built.host_row["gpu004"] * built.rails + 1
    assert ipv4_text(int(built.nics.address[row])) == "10.64.3.3"
    assert ipv4_text(int(built.subnets.gateway[built.nics.subnet[row]])) == "10.64.3.1"
    spine, leaf = built.switch_row["spine02"], built.switch_row["su2-rail1"]
    assert ipv4_text(int(built.switches.loopback[spine])) == "10.255.0.2"
    assert ipv4_text(int(built.switches.loopback[leaf])) == "10.255.0.132"
    link = int(built.uplinks_of(leaf)[1])
    assert built.uplinks.upper[link] == spine
    assert ipv4_text(int(built.uplinks.lower_address[link])) == "10.254.1.131"
