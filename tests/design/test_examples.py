"""What is decided for the examples: ports, VLANs, BGP, host lists."""

from __future__ import annotations

from functools import cache

import pytest

from fabric.design.host import HostDesigner
from fabric.design.host_model import HostDesign
from fabric.design.model import DeviceDesign
from fabric.design.switch import SwitchDesigner
from fabric.intent.inventory import load
from fabric.intent.resolve import PolicyResolver
from fabric.topology import Fabric, realise
from tests.topology.fabrics import EXAMPLES, INVENTORY, example


@cache
def switches(name: str) -> dict[str, DeviceDesign]:
    """Return the design of every switch of an example."""
    return _switches(example(name))


@cache
def hosts(name: str) -> dict[str, HostDesign]:
    """Return the design of every host of an example."""
    return _hosts(example(name))


def _switches(built: Fabric) -> dict[str, DeviceDesign]:
    designer = SwitchDesigner(built, PolicyResolver(built.intent))
    return {name: designer.design(row) for row, name in enumerate(built.switches.names)}


def _hosts(built: Fabric) -> dict[str, HostDesign]:
    designer = HostDesigner(built, PolicyResolver(built.intent))
    return {name: designer.design(row) for row, name in enumerate(built.hosts.names)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_same_input_same_designs(name: str) -> None:
    """As values, not only as text."""
    again = realise(load(INVENTORY / name))
    assert _hosts(again) == hosts(name)
    for switch, design in _switches(again).items():
        known = switches(name)[switch]
        assert design.sku is known.sku
        assert design == known


@pytest.mark.parametrize("name", EXAMPLES)
def test_cables_are_the_same_from_both_ends(name: str) -> None:
    """Peer, port, speed, length, FEC family and whether it is on."""
    devices = switches(name)
    for device in devices.values():
        assert [port.number for port in device.ports] == list(range(1, len(device.ports) + 1))
        assert len({port.name for port in device.ports}) == device.sku.port_count
        for port in device.ports:
            if port.kind != "uplink":
                continue
            (far,) = [item for item in devices[port.peer].ports if item.name == port.peer_port]
            assert (far.peer, far.peer_port) == (device.name, port.name)
            assert (far.speed_gbps, far.cable_m, far.enabled) == (
                port.speed_gbps,
                port.cable_m,
                port.enabled,
            )
            assert port.qos is not None
            assert port.headroom is not None
            assert port.headroom.cable_m == port.cable_m


@pytest.mark.parametrize("name", EXAMPLES)
def test_bgp_neighbours_agree(name: str) -> None:
    """Each session stands on both ends, with the addresses and ASNs of the other."""
    devices = switches(name)
    sessions = {
        (device.name, item.name, item.local_address, item.address)
        for device in devices.values()
        for item in device.bgp.neighbours
    }
    assert sessions
    for device in devices.values():
        for item in device.bgp.neighbours:
            assert (item.name, device.name, item.address, item.local_address) in sessions
            assert item.asn == devices[item.name].bgp.asn
            assert item.asn != device.bgp.asn
        assert device.bgp.router_id == device.loopback


@pytest.mark.parametrize("name", EXAMPLES)
def test_nics_and_leaves_agree(name: str) -> None:
    """VLAN, gateway, subnet, speed, cable and the lossless marks of both sides."""
    devices, built = switches(name), example(name)
    for host in hosts(name).values():
        assert [nic.rail for nic in host.nics] == list(range(built.rails))
        for nic in host.nics:
            leaf = devices[nic.leaf]
            (port,) = [item for item in leaf.ports if item.name == nic.leaf_port]
            assert (port.kind, port.peer, port.peer_port) == ("host", host.name, nic.interface)
            assert (port.speed_gbps, port.cable_m) == (nic.speed_gbps, nic.cable_m)
            (vlan,) = [item for item in leaf.vlans if item.vlan == nic.vlan]
            assert (vlan.gateway, vlan.network) == (nic.gateway, nic.network)
            assert port.vlan == nic.vlan
            assert port.qos is not None
            marks = port.qos.dscp_to_traffic_class
            (mine,), (other,) = nic.qos.classes, port.qos.classes
            assert marks[mine.roce_dscp] == other.traffic_class
            assert marks[nic.qos.cnp_dscp] == port.qos.cnp_traffic_class
            assert port.mtu_bytes >= nic.mtu_bytes + 22
        assert sorted(gpu for nic in host.nics for gpu in nic.gpus) == list(range(host.gpus))


@pytest.mark.parametrize("name", EXAMPLES)
def test_lists_of_mlnx_qos(name: str) -> None:
    """Eight of each; ETS shares sum to 100; the CNP class is strict and has none."""
    for host in hosts(name).values():
        for nic in host.nics:
            qos = nic.qos
            assert len(qos.pfc) == len(qos.tsa) == len(qos.tc_bandwidth_percent) == 8
            assert qos.priority_to_traffic_class == tuple(range(8))
            assert qos.tsa.count("strict") == 1
            assert qos.tsa[qos.cnp_priority] == "strict"
            assert qos.tc_bandwidth_percent[qos.cnp_priority] == 0
            ets = [
                percent
                for word, percent in zip(qos.tsa, qos.tc_bandwidth_percent, strict=True)
                if word == "ets"
            ]
            assert sum(ets) == 100
            (one,) = qos.classes
            assert [number for number, bit in enumerate(qos.pfc) if bit] == [one.pfc_priority]
            marks = {dscp: dscp >> 3 for dscp in range(64)} | dict(qos.dscp_to_priority)
            for priority, dscp in (
                (one.pfc_priority, one.roce_dscp),
                (qos.cnp_priority, qos.cnp_dscp),
            ):
                assert [key for key, value in marks.items() if value == priority] == [dscp]


@pytest.mark.parametrize(
    ("name", "switch", "uplink", "host_port"),
    [
        ("a100-pcie", "rack1-leaf", ("400g-8", ""), ("100g-4", "")),
        ("demo", "su1-rail0", ("", "rs"), ("", "rs")),
        ("demo", "spine01", ("400g-4", ""), None),
        ("eight-slash-27", "pod1-rail7", ("", "rs"), ("", "rs")),
        ("rail-512", "su2-rail3", ("", "rs"), ("", "rs")),
    ],
)
def test_speed_words_and_fec(
    name: str, switch: str, uplink: tuple[str, str], host_port: tuple[str, str] | None
) -> None:
    """SONiC is told RS-FEC from 100G on; EOS has a word for each speed."""
    ports = switches(name)[switch].ports
    for kind, expected in (("uplink", uplink), ("host", host_port)):
        results = {(port.speed_token, port.fec) for port in ports if port.kind == kind}
        assert results == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("name", "leaf", "spine"),
    [
        ("a100-pcie", (240, 600, 160_000), (240, 600, 160_000)),
        ("demo", (240, 600, 160_000), (240, 300, 160_000)),
        ("eight-slash-27", (300, 600, 200_000), (300, 600, 200_000)),
        ("rail-512", (240, 600, 160_000), (240, 600, 160_000)),
    ],
)
def test_ageing(name: str, leaf: tuple[int, ...], spine: tuple[int, ...]) -> None:
    """ARP timeout, MAC ageing of the system, and a base that lives at most the ARP timeout."""
    for device in switches(name).values():
        table = device.neighbours
        results = (table.arp_timeout_s, table.mac_ageing_s, table.base_reachable_time_ms)
        assert results == (leaf if device.role == "leaf" else spine)
        assert table.base_reachable_time_ms * 1.5 <= table.arp_timeout_s * 1000
        assert table.arp_timeout_s < table.mac_ageing_s


def test_vlans_of_the_examples() -> None:
    """A leaf of a rail has the VLAN of its rail; a classic leaf has one per rail."""
    assert [
        (vlan.vlan, vlan.name, vlan.network) for vlan in switches("demo")["su2-rail1"].vlans
    ] == [(102, "RAIL1", "10.64.3.0/24")]
    assert [vlan.gateway_interface for vlan in switches("a100-pcie")["rack2-leaf"].vlans] == [
        "10.64.0.65/26"
    ]
    assert switches("demo")["spine01"].vlans == ()


def test_what_the_demo_overrides() -> None:
    """The shorter cables of su2 have the smaller headroom on both ends."""
    leaf, spine = switches("demo")["su2-rail0"], switches("demo")["spine02"]
    cables = {port.name: port.cable_m for port in leaf.ports if port.kind == "uplink"}
    assert cables == {"Ethernet128": 40, "Ethernet136": 5}
    assert [port.cable_m for port in spine.ports if port.kind == "uplink"] == [40, 40, 5, 5]
    rows = {item.cable_m: item.row.headroom_bytes for item in leaf.headroom_profiles if item.row}
    assert rows == {5: 38912, 40: 77824}
    assert "next rack" in leaf.ports[17].description
