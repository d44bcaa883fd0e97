"""Networks of pods on routed ports, and with IPv6."""

from __future__ import annotations

import json
import subprocess
from ipaddress import ip_network
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.design.host import HostDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.topology import Fabric
from tests.cases import each
from tests.placement.k8s_fabrics import (
    cluster,
    named,
    objects,
)
from tests.placement.test_k8s_networks import pool_addresses
from tests.topology.fabrics import ipv6_plan


def routed(mode: str, length: int, **changes: Any) -> Fabric:
    """Return the cluster with NICs on routed ports."""
    plan = {"addressing__vlan_per": "none", "addressing__host_prefix_length": None}
    return cluster(mode, **{**plan, "addressing__routed_prefix_length": length, **changes})


@each(
    ("mode", "length", "free"),
    [
        ("physical-function", 31, 1),
        ("physical-function", 28, 1),
        ("virtual-function", 28, 12),
        ("macvlan", 29, 4),
        ("macvlan", 26, 60),
    ],
)
def test_pods_on_routed_ports(mode: str, length: int, free: int) -> None:
    """What a pod gets is of the subnet of its port, and neither of the leaf nor of the NIC."""
    built = routed(mode, length, kubernetes__pods_per_nic=free)
    designer = HostDesigner(built, PolicyResolver(built.intent))
    specs = named(objects(built, "pools"), "CIDRPool")
    for row, host in enumerate(built.hosts.names):
        for nic in designer.design(row).nics:
            spec = specs[f"rail{nic.rail}"]
            (mine,) = [item for item in spec["staticAllocations"] if item["nodeName"] == host]
            assert (mine["prefix"], mine["gateway"]) == (nic.network, nic.gateway)
            network = ip_network(nic.network)
            assert network.prefixlen == spec["perNodeNetworkPrefix"] == length
            assert str(network[spec["gatewayIndex"]]) == nic.gateway
            assert network.subnet_of(ip_network(spec["cidr"]))
            given = pool_addresses(spec, host)
            assert len(given) == free
            assert nic.gateway not in given
            assert (nic.address in given) is (mode == "physical-function")


@each(
    ("mode", "length", "pods", "fix"),
    [
        ("virtual-function", 31, 1, "use addressing.routed_prefix_length: 29"),
        ("macvlan", 31, 4, "use addressing.routed_prefix_length: 29"),
        ("macvlan", 30, 5, "use addressing.routed_prefix_length: 28"),
        ("macvlan", 26, 61, "use at most 60 of them on a NIC, or VLANs"),
    ],
)
def test_no_room_for_pods_on_a_routed_port(mode: str, length: int, pods: int, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        objects(routed(mode, length, kubernetes__pods_per_nic=pods), "pools")
    (finding,) = caught.value.findings
    assert finding.field == "fabric.addressing.routed_prefix_length"
    assert finding.position is not None
    assert finding.fix == fix


def test_whereabouts_has_no_range_for_routed_ports() -> None:
    built = routed("macvlan", 28, kubernetes__address_plugin="whereabouts")
    with pytest.raises(InputError) as caught:
        objects(built, "networks")
    assert "cannot pin the pods of a node to the subnet of its NIC" in str(caught.value.findings[0])


def test_units_of_both_plans_are_two_exports() -> None:
    """What one unit has does not fit the other; each alone is written."""
    units = [{"name": "su1", "hosts": "a[1-3]"}, {"name": "su2", "hosts": "b[1-2]"}]
    plan = {
        "addressing__vlan_per": "rail",
        "addressing__host_prefix_length": 24,
        "addressing__routed_hosts": "10.96.0.0/16",
        "addressing__routed_prefix_length": 29,
        "units": [units[0], {**units[1], "vlan_per": "none"}],
    }
    built = cluster("macvlan", **plan, kubernetes__pods_per_nic=4)
    with pytest.raises(InputError) as caught:
        objects(built, "pools")
    assert "the NICs of su2 are on routed ports, those of su1 in VLANs" in str(
        caught.value.findings[0]
    )
    vlans = named(objects(built, "pools", excluded=("b1", "b2")), "IPPool")
    ports = named(objects(built, "pools", excluded=("a1", "a2", "a3")), "CIDRPool")
    routes = [{"dst": "10.64.0.0/12"}, {"dst": "10.96.0.0/16"}]
    assert [spec["routes"] for spec in (*vlans.values(), *ports.values())] == [routes] * 4
    assert {spec["cidr"] for spec in ports.values()} == {"10.96.0.0/16"}
    assert objects(cluster("host-network", **plan), "networks") == []


def own_ipv6(mode: str, *, alone: bool = False, pods: int = 1, **plan: Any) -> Fabric:
    """Return the cluster with IPv6 on its routed ports, and room for pods of IPv4."""
    changes = {"addressing__host_prefix_length": None, "kubernetes__pods_per_nic": pods}
    if not alone and mode != "physical-function":
        changes["addressing__routed_prefix_length"] = 28
    return cluster(mode, **changes, **ipv6_plan(alone=alone, **plan))


@each(
    ("mode", "alone", "plan", "name", "free"),
    [
        ("physical-function", False, {}, "rail0-ipv6", 1),
        ("physical-function", True, {}, "rail0", 1),
        ("physical-function", True, {"assignment": "slaac"}, "rail0", None),
        ("virtual-function", False, {"assignment": "slaac"}, "rail0-ipv6", None),
        ("macvlan", True, {"assignment": "slaac"}, "rail0", None),
    ],
)
def test_pods_with_ipv6(
    mode: str, alone: bool, plan: dict[str, Any], name: str, free: int | None
) -> None:
    """The pools of nodes are cut from those of the switch ports, in each family."""
    built = own_ipv6(mode, alone=alone, **plan)
    designer = HostDesigner(built, PolicyResolver(built.intent))
    items = objects(built, "pools", "networks")
    specs = named(items, "CIDRPool")
    assert len(specs) == (2 if alone else 4)
    spec, (nic, _) = specs[name], designer.design(0).nics
    address = next(one for one in nic.addresses if one.is_ipv6)
    (mine,) = [item for item in spec["staticAllocations"] if item["nodeName"] == "a1"]
    network = ip_network(address.network)
    assert (mine["prefix"], mine["gateway"]) == (address.network, address.gateway)
    assert network.prefixlen == spec["perNodeNetworkPrefix"]
    assert str(network[spec["gatewayIndex"]]) == address.gateway
    assert network.subnet_of(ip_network(spec["cidr"]))
    assert spec["routes"] == [{"dst": "fd00:64::/48"}]
    if free:
        assert pool_addresses(spec, "a1") == [address.address]
    else:
        assert spec["perNodeExclusions"] == [{"startIndex": 0, "endIndex": 1}]
    (net, _) = [item["spec"] for item in items if item["kind"] != "CIDRPool"]
    assert json.loads(net["ipam"])["poolName"] == ("rail0" if alone else "rail0,rail0-ipv6")
    assert '"net.ipv6.conf.IFNAME.accept_ra":"0"' in net["metaPlugins"].replace(" ", "")


@each(
    ("mode", "alone"),
    [("virtual-function", False), ("virtual-function", True), ("macvlan", True)],
)
def test_a_127_has_no_room_for_pods(mode: str, alone: bool) -> None:
    """IPv4 beside it may have."""
    with pytest.raises(InputError) as caught:
        objects(own_ipv6(mode, alone=alone), "pools")
    (finding,) = caught.value.findings
    assert "1 pod needs an address, but the subnet has only 0 free" in str(finding)
    assert "slaac, which gives each NIC a /64" in finding.fix
    assert str(finding.field).startswith("fabric.addressing.ipv6")


def test_whereabouts_cannot_pin_a_subnet_of_ipv6() -> None:
    plain = {"addressing__host_prefix_length": None, **ipv6_plan(alone=True)}
    built = cluster("physical-function", kubernetes={"address_plugin": "whereabouts"}, **plain)
    with pytest.raises(InputError) as caught:
        objects(built, "networks")
    assert "whereabouts cannot pin" in str(caught.value.findings[0])


@each(
    ("alone", "words"),
    [(True, {"ping -6": True, "arping": False}), (False, {"ping -6": True, "arping": True})],
)
def test_pods_tell_the_leaf_of_each_family(alone: bool, words: dict[str, bool]) -> None:
    built = own_ipv6("physical-function", alone=alone)
    (pod,) = objects(built, "pytorchjob", nodes=1)
    template = pod["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
    (container,) = template["spec"]["initContainers"]
    script = container["command"][2]
    assert {word: word in script for word in words} == words
    shown = subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    assert shown.returncode == 0
