"""Networks, pools and NIC settings: they say what the switches and hosts say."""

from __future__ import annotations

import json
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.units import ipv4_text
from fabric.design.host import HostDesigner
from fabric.design.switch import SwitchDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.topology import Fabric
from tests.placement.k8s_fabrics import (
    INFRASTRUCTURE,
    JOBS,
    MODES,
    NICS,
    cluster,
    named,
    objects,
    shared,
    texts,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "k8s"
POD_MODES = MODES[1:]


@pytest.mark.parametrize("mode", MODES)
def test_golden(mode: str, *, update_golden: bool) -> None:
    built = texts(cluster(mode), *INFRASTRUCTURE, *JOBS)
    assert texts(cluster(mode), *INFRASTRUCTURE, *JOBS) == built
    folder = GOLDEN / mode
    if update_golden:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in built.items():
            (folder / path).write_text(text, encoding="utf-8")
    assert {path.name: path.read_text() for path in folder.iterdir()} == built


def switch_subnets(built: Fabric) -> dict[str, str]:
    """Return gateway by subnet, as the switches are told."""
    designer = SwitchDesigner(built, PolicyResolver(built.intent))
    return {
        str(ip_network(f"{vlan.gateway}/{vlan.prefix_length}", strict=False)): vlan.gateway
        for row in range(len(built.switches))
        for vlan in designer.design(row).vlans
    }


def pool_addresses(spec: dict[str, Any], node: str) -> list[str]:
    """Return what a CIDRPool hands out on a node: indexes count from the network address."""
    (mine,) = [item for item in spec["staticAllocations"] if item["nodeName"] == node]
    network = ip_network(mine["prefix"])
    gone = {
        index
        for item in spec["perNodeExclusions"]
        for index in range(item["startIndex"], item["endIndex"] + 1)
    }
    return [str(address) for index, address in enumerate(network) if index not in gone]


@pytest.mark.parametrize("mode", POD_MODES)
def test_the_subnet_of_a_pod_is_that_of_the_switch_port(mode: str) -> None:
    built = cluster(mode)
    gateways = switch_subnets(built)
    designer = HostDesigner(built, PolicyResolver(built.intent))
    specs = named(objects(built, "pools"), "CIDRPool")
    assert sorted(specs) == ["rail0", "rail1"]
    for row, host in enumerate(built.hosts.names):
        for nic in designer.design(row).nics:
            spec = specs[f"rail{nic.rail}"]
            (mine,) = [item for item in spec["staticAllocations"] if item["nodeName"] == host]
            assert mine["prefix"] == nic.network
            assert mine["gateway"] == nic.gateway == gateways[nic.network]
            network = ip_network(nic.network)
            assert str(network[spec["gatewayIndex"]]) == nic.gateway
            assert network.prefixlen == spec["perNodeNetworkPrefix"]
            assert network.subnet_of(ip_network(spec["cidr"]))
            source = pool_addresses(spec, host)
            if mode == "physical-function":
                assert source == [nic.address]  # the GID is the one that was planned
            else:
                assert nic.address not in source
                assert len(source) == 12
            assert not {nic.gateway, str(network[0]), str(network[-1])} & set(source)
            assert spec["routes"] == [{"dst": str(built.intent.fabric.addressing.hosts)}]


@pytest.mark.parametrize("mode", POD_MODES)
def test_pools_of_shared_subnets(mode: str) -> None:
    """Every block that a node can get has room, wherever the hosts' addresses are."""
    built = shared(mode)
    gateways = switch_subnets(built)
    specs = named(objects(built, "pools"), "IPPool")
    assert sorted(specs) == ["su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1"]
    taken = {ipv4_text(address) for address in built.nics.address.tolist()}
    for name, spec in specs.items():
        network = ip_network(spec["subnet"])
        assert spec["gateway"] == gateways[spec["subnet"]]
        (nodes,) = [
            t["values"]
            for term in spec["nodeSelector"]["nodeSelectorTerms"]
            for t in term["matchExpressions"]
        ]
        assert nodes == (["a1", "a2", "a3"] if name.startswith("su1") else ["b1", "b2"])
        gone = {
            ip_address(number)
            for item in spec["exclusions"]
            for number in range(
                int(ip_address(item["startIP"])), int(ip_address(item["endIP"])) + 1
            )
        }
        assert {str(item) for item in gone} == {spec["gateway"]} | {
            item for item in taken if ip_address(item) in network
        }
        size, first = spec["perNodeBlockSize"], int(network[0]) + 1
        for block in range(len(nodes)):
            numbers = [ip_address(first + block * size + place) for place in range(size)]
            assert numbers[-1] < network[-1]
            assert set(numbers) - gone


@pytest.mark.parametrize(
    ("built", "free"),
    [
        (lambda pods: cluster("macvlan", kubernetes={"pods_per_nic": pods}), 12),
        (lambda pods: shared("macvlan", kubernetes={"pods_per_nic": pods}), 80),
    ],
)
def test_room_for_the_pods_of_a_nic(built: Any, free: int) -> None:
    """Three hosts share 254 addresses in blocks of 84, of which the first loses four."""
    assert objects(built(free), "pools")
    with pytest.raises(InputError) as caught:
        objects(built(free + 1), "pools")
    (finding,) = caught.value.findings
    assert f"{free + 1} pods need an address, but the subnet has only {free}" in str(finding)
    assert finding.field == "fabric.addressing.host_prefix_length"
    assert finding.position is not None


def test_whereabouts_begins_behind_the_hosts() -> None:
    built = shared("macvlan", kubernetes={"address_plugin": "whereabouts", "pods_per_nic": 4})
    assert objects(built, "pools") == []
    ipam = json.loads(named(objects(built, "networks"), "MacvlanNetwork")["su1-rail0"]["ipam"])
    assert ipam == {
        "type": "whereabouts",
        "range": "10.64.0.0/24",
        "range_start": "10.64.0.5",
        "range_end": "10.64.0.254",
        "gateway": "10.64.0.1",
        "routes": [{"dst": "10.64.0.0/12"}],
    }


@pytest.mark.parametrize("mode", POD_MODES)
def test_a_resource_for_each_rail(mode: str) -> None:
    """What the device plugin offers, networks name and pods ask for is the same."""
    built = cluster(mode)
    items = objects(built, *INFRASTRUCTURE, "pytorchjob", nodes=1)
    pod = named(items, "PyTorchJob")["train"]["pytorchReplicaSpecs"]["Master"]["template"]
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    asked = {name: count for name, count in limits.items() if name != "nvidia.com/gpu"}
    assert asked == dict.fromkeys(offered(items, mode), 1)
    assert limits["nvidia.com/gpu"] == 2
    kind = {
        "virtual-function": "SriovNetwork",
        "physical-function": "HostDeviceNetwork",
        "macvlan": "MacvlanNetwork",
    }[mode]
    nets = named(items, kind)
    assert pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"] == ",".join(nets)
    assert list(nets) == ["rail0", "rail1"]
    pools = named(items, "CIDRPool")
    assert [json.loads(net["ipam"])["poolName"] for net in nets.values()] == list(pools)
    assert {net["networkNamespace"] for net in nets.values()} == {"default"}


def offered(items: list[dict[str, Any]], mode: str) -> list[str]:
    policy = named(items, "NicClusterPolicy")["nic-cluster-policy"]
    if mode == "virtual-function":
        specs = named(items, "SriovNetworkNodePolicy").values()
        return [f"nvidia.com/{spec['resourceName']}" for spec in specs]
    if mode == "macvlan":
        rows = json.loads(policy["rdmaSharedDevicePlugin"]["config"])["configList"]
        assert [row["selectors"]["ifNames"] for row in rows] == [["eth1"], ["eth2"]]
    else:
        rows = json.loads(policy["sriovDevicePlugin"]["config"])["resourceList"]
        addresses = [row["selectors"]["pciAddresses"] for row in rows]
        assert addresses == [[item] for item in NICS["pci_addresses"]]
    return [f"{row['resourcePrefix']}/{row['resourceName']}" for row in rows]


def test_nic_settings_are_those_of_the_policy() -> None:
    built = cluster(
        "physical-function",
        lossless={"roce_dscp": 34, "pfc_priority": 4, "cnp_dscp": 50},
        cables={"host_m": 7},
        host__nic={**NICS, "ports_per_card": 2},
        host__tuning={"max_read_request_bytes": 4096},
    )
    spec = named(objects(built, "nic-settings"), "NicConfigurationTemplate")["rails"]
    assert spec["nicSelector"] == {"nicType": "1021", "pciAddresses": NICS["pci_addresses"]}
    template = spec["template"]
    assert template["roceOptimized"]["qos"] == {
        "trust": "dscp",
        "pfc": "0,0,0,0,1,0,0,0",
        "tos": 136,
        "cableLen": 7,
        "ecn": {"enabled": True, "priority": 4},
        "pauseFrames": {"enabled": False},
    }
    assert template["pciPerformanceOptimized"] == {"enabled": True, "maxReadRequest": 4096}
    assert template["rawNvConfig"] == [
        {"name": "CNP_DSCP_P1", "value": "50"},
        {"name": "CNP_802P_PRIO_P1", "value": "6"},
        {"name": "CNP_DSCP_P2", "value": "50"},
        {"name": "CNP_802P_PRIO_P2", "value": "6"},
    ]
    assert "spectrumXOptimized" not in template  # the operator rejects raw settings next to it


def test_names_of_nics() -> None:
    built = cluster("macvlan", host__interfaces="rail[0-1]", host__rdma_devices="mlx5_[0-1]")
    spec = named(objects(built, "nic-names"), "NicInterfaceNameTemplate")["rails"]
    assert spec["netDevicePrefix"] == "rail%rail_id%"
    assert spec["rdmaDevicePrefix"] == "mlx5_%rail_id%"
    assert spec["railPciAddresses"] == [[item] for item in NICS["pci_addresses"]]


def without(*keys: str) -> dict[str, Any]:
    return {name: value for name, value in NICS.items() if name not in keys}


REFUSED: list[tuple[str, Any, str, str]] = [
    (
        "nic-settings",
        lambda: cluster("macvlan", host__nic={**NICS, "pci_addresses": ["0000:18:00.0"] * 2}),
        "fabric.host.nic.pci_addresses",
        "two rails have the PCI address 0000:18:00.0; set the address of each",
    ),
    (
        "functions",
        lambda: cluster(
            "virtual-function", host__nic={"model": "ConnectX-7", "virtual_functions": 2}
        ),
        "fabric.host.nic",
        "identifies NICs by PCI address, but the address of rail 0 is not known",
    ),
    (
        "functions",
        lambda: cluster("virtual-function", host__nic=NICS),
        "fabric.host.nic.virtual_functions",
        "the NICs have no virtual functions; set their number",
    ),
    (
        "functions",
        lambda: cluster("virtual-function", host__nic={**without("model"), "virtual_functions": 2}),
        "fabric.host.nic.model",
        "set host.nic.model to one of connectx-5,",
    ),
    (
        "nic-settings",
        lambda: cluster("macvlan", host__nic={**NICS, "vendor": "broadcom", "driver": "bnxt"}),
        "fabric.host.nic.vendor",
        "supports NVIDIA NICs only; these are broadcom",
    ),
    (
        "nic-settings",
        lambda: cluster("macvlan", lossless={"roce_dscp": 26, "pfc_priority": 4}),
        "fabric.lossless.roce_dscp",
        "the operator maps DSCP 26 to priority 3, not 4",
    ),
    (
        "nic-names",
        lambda: cluster("macvlan", host__rdma_devices="mlx5_[0-1]"),
        "fabric.host.interfaces",
        "do not end in the rail number, counted from 0",
    ),
    (
        "cluster-policy",
        lambda: cluster("macvlan", kubernetes={}),
        "fabric.kubernetes",
        "set kubernetes.operator_version",
    ),
    (
        "pools",
        lambda: cluster("macvlan", kubernetes={"address_plugin": "whereabouts"}),
        "fabric.kubernetes.address_plugin",
        "use nv-ipam",
    ),
    (
        "pools",
        lambda: cluster(
            "physical-function", "hosts:\n  - {names: a2, nics: [{rail: 0, address: 10.64.0.22}]}\n"
        ),
        "fabric.addressing",
        "the NICs of rail 0 have different host parts in their addresses",
    ),
    (
        "networks",
        lambda: cluster("macvlan", host__nic={**NICS, "link_layer": "ethernet"}),
        "fabric.host.nic.link_layer",
        "the NICs do not run RoCE (ethernet)",
    ),
    (
        "networks",
        lambda: cluster("macvlan", units=[{"name": "su1", "hosts": "GPU[1-2]"}]),
        "fabric.units",
        "'GPU1' is not a valid node name",
    ),
    (
        "networks",
        lambda: cluster(
            "macvlan", "hosts:\n  - names: b2\n    traits: {container_mode: host-network}\n"
        ),
        "hosts[0].traits.container_mode",
        "container_mode differs from a1",
    ),
    (
        "networks",
        lambda: cluster("macvlan", "hosts:\n  - names: a[1-3]\n    lossless: {roce_dscp: 27}\n"),
        "fabric.host.lossless",
        "lossless differs from b1",
    ),
]


@pytest.mark.parametrize(("part", "built", "field", "message"), REFUSED)
def test_what_is_refused(part: str, built: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        objects(built(), part)
    (finding,) = caught.value.findings
    assert message in str(finding)
    assert finding.field.startswith(field)
    assert finding.position is not None
    assert finding.fix


def test_hosts_of_another_kind_are_left_out() -> None:
    built = cluster(
        "macvlan", "hosts:\n  - names: b2\n    traits: {container_mode: host-network}\n"
    )
    specs = named(objects(built, "pools", excluded=["b2"]), "CIDRPool")
    nodes = [item["nodeName"] for item in specs["rail0"]["staticAllocations"]]
    assert nodes == ["a1", "a2", "a3", "b1"]


@pytest.mark.parametrize("excluded", [["zz"], ["a1", "a2", "a3", "b1", "b2"]])
def test_no_hosts(excluded: list[str]) -> None:
    with pytest.raises(InputError):
        objects(cluster("macvlan"), "pools", excluded=excluded)


def test_versions_that_the_cluster_does_not_serve() -> None:
    served = frozenset({"v1", "apps/v1", "sriovnetwork.openshift.io/v2"})
    with pytest.raises(InputError) as caught:
        objects(cluster("virtual-function"), "functions", served=served)
    assert str(caught.value.findings[0]).startswith(
        "the cluster does not serve sriovnetwork.openshift.io/v1, the API version of "
        "SriovNetworkNodePolicy; it serves sriovnetwork.openshift.io/v2;"
    )
    whole = served | {"sriovnetwork.openshift.io/v1"}
    assert objects(cluster("virtual-function"), "functions", served=whole)


def test_objects_sort_in_the_order_of_application() -> None:
    built = texts(cluster("virtual-function"), *INFRASTRUCTURE, "pytorchjob")
    kinds = [yaml.safe_load(text)["kind"] for _, text in sorted(built.items())]
    assert list(dict.fromkeys(kinds)) == [
        "NicClusterPolicy",
        "NicConfigurationTemplate",
        "CIDRPool",
        "SriovNetworkNodePolicy",
        "SriovNetwork",
        "PyTorchJob",
    ]


LACKING: dict[str, tuple[str, Any, list[str]]] = {
    "a template without model and addresses": (
        "nic-settings",
        lambda: cluster("macvlan", host__nic={}),
        ["host.nic.model", "host.nic.pci_addresses"],
    ),
    "a template with a wrong model, another DSCP and no addresses": (
        "nic-settings",
        lambda: cluster(
            "macvlan",
            host__nic={"model": "ConnectX-9"},
            lossless={"roce_dscp": 26, "pfc_priority": 4},
        ),
        ["lossless.roce_dscp", "host.nic.model", "host.nic.pci_addresses"],
    ),
    "a device plugin without version and addresses": (
        "cluster-policy",
        lambda: cluster("physical-function", host__nic={}, kubernetes={}),
        ["kubernetes", "host.nic.pci_addresses"],
    ),
    "functions without number, model and addresses": (
        "functions",
        lambda: cluster("virtual-function", host__nic={}),
        ["host.nic.virtual_functions", "host.nic.model", "host.nic.pci_addresses"],
    ),
    "names without numbers and addresses": (
        "nic-names",
        lambda: cluster("macvlan", host__nic={}),
        ["host.interfaces", "host.rdma_devices", "host.nic.pci_addresses"],
    ),
}


@pytest.mark.parametrize(("part", "built", "fields"), LACKING.values(), ids=LACKING)
def test_all_that_a_part_lacks_is_said_at_once(part: str, built: Any, fields: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        objects(built(), part)
    found = dict.fromkeys(finding.field for finding in caught.value.findings)
    assert [*found] == [f"fabric.{field}" for field in fields]
