"""Addresses of the management network: by position, by override, and what is wrong with them."""

from __future__ import annotations

import pytest

from fabric.core.errors import CapacityError, InputError
from fabric.core.units import ipv4_text
from tests.topology.fabrics import fabric

NETWORK = {
    "subnet": "192.168.0.0/22",
    "switches": "192.168.0.128/25",
    "hosts": "192.168.1.0/24",
    "bmcs": "192.168.2.0/24",
}


def with_network(devices="", hosts="", /, **changes):
    network = {key: value for key, value in {**NETWORK, **changes}.items() if value is not None}
    return fabric(devices, hosts, management={"network": network})


def without(*pools):
    return {"network": {key: value for key, value in NETWORK.items() if key not in pools}}


def said(devices="", hosts="", /, **changes):
    """Return what is wrong with a network."""
    with pytest.raises(InputError) as caught:
        with_network(devices, hosts, **changes)
    assert {one.rule for one in caught.value.findings} == {"TOP008"}
    assert all(one.position for one in caught.value.findings)
    return [f"{one.field.rpartition('.')[2]}: {one.message}" for one in caught.value.findings]


def texts(values):
    return [ipv4_text(value) for value in values.tolist()]


def test_addresses_follow_from_positions():
    built = with_network()
    ends = built.management
    assert str(ends.gateway) == "192.168.0.1"
    leaves = built.switches.leaf_count
    assert texts(ends.switches[:2]) == ["192.168.0.193", "192.168.0.194"]
    assert texts(ends.switches[leaves:][:1]) == ["192.168.0.129"]
    assert texts(ends.hosts[:2]) == ["192.168.1.1", "192.168.1.2"]
    assert texts(ends.bmcs[:2]) == ["192.168.2.1", "192.168.2.2"]


def test_hosts_need_no_addresses():
    ends = with_network(hosts=None, bmcs=None).management
    assert (len(ends.hosts), len(ends.bmcs)) == (0, 0)
    assert fabric().management is None


def test_an_override_counts():
    names = with_network().switches.names, with_network().hosts.names
    devices = f"devices: [{{names: {names[0][0]}, management_address: 192.168.3.9}}]"
    hosts = f"hosts: [{{names: {names[1][1]}, bmc_address: 192.168.3.8}}]"
    ends = with_network(devices, hosts).management
    assert texts(ends.switches[:1]) == ["192.168.3.9"]
    assert texts(ends.bmcs[:2]) == ["192.168.2.1", "192.168.3.8"]


WRONG = {
    "outside": ({"hosts": "10.0.0.0/24"}, "hosts: 10.0.0.0/24 is not in the subnet 192.168.0.0/22"),
    "over each other": (
        {"bmcs": "192.168.1.0/25"},
        "bmcs: 192.168.1.0/25 overlaps hosts 192.168.1.0/24",
    ),
    "the gateway inside": (
        {"gateway": "192.168.1.7"},
        "hosts: 192.168.1.0/24 contains the gateway 192.168.1.7",
    ),
    "the gateway outside": (
        {"gateway": "192.168.9.1"},
        "gateway: 192.168.9.1 is not in the subnet 192.168.0.0/22",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_network_that_cannot_be(name):
    changes, message = WRONG[name]
    assert said(**changes) == [message]


def test_the_network_is_apart_from_pools_with_traffic():
    pools = {"subnet": "10.0.0.0/8", "switches": "10.0.4.0/24", "hosts": None, "bmcs": None}
    assert "subnet: 10.0.0.0/8 overlaps addressing.hosts 10.64.0.0/12" in said(**pools)


def test_a_pool_that_is_too_small():
    with pytest.raises(CapacityError) as caught:
        with_network(switches="192.168.0.128/30", hosts="192.168.1.0/30")
    assert [one.field for one in caught.value.findings] == [
        "fabric.management.network.switches",
        "fabric.management.network.hosts",
    ]


def test_an_address_that_another_device_has():
    name = with_network().switches.names[0]
    for address, message in (
        ("192.168.1.1", "192.168.1.1 is the address of another device too"),
        ("192.168.0.1", "192.168.0.1 is the gateway, or outside the subnet 192.168.0.0/22"),
    ):
        devices = f"devices: [{{names: {name}, management_address: {address}}}]"
        assert said(devices) == [f"management_address: {message}"]


def test_an_address_without_a_network():
    hosts = f"hosts: [{{names: {fabric().hosts.names[0]}, bmc_address: 192.168.1.1}}]"
    for management, message in (
        ({}, "there is no management network"),
        (without("bmcs"), "there is no pool for it"),
    ):
        with pytest.raises(InputError) as caught:
            fabric("", hosts, management=management)
        assert [one.message for one in caught.value.findings] == [message]
