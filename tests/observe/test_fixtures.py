"""Recorded outputs of real devices, where the reference data is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.observe.hostfacts import gids
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.systems.eos import parsers as eos
from fabric.systems.host import parsers as host
from fabric.systems.sonic import parsers as sonic
from tests.reference import reference

IDENTITY = {dscp: dscp >> 3 for dscp in range(64)}
VENDOR = dict.fromkeys(range(8), "vendor")
NO_BANDWIDTH = dict.fromkeys(range(8), 0)
OFF = (0,) * 8
ON_3 = (0, 0, 0, 1, 0, 0, 0, 0)
DEFAULT = (1, 0, 2, 3, 4, 5, 6, 7)
BUFFER_1 = ((0, 156096, *(0,) * 6), 262016, (1,) * 8)


def recorded(name: str) -> str:
    """Return a recorded output, or skip."""
    return reference("fixtures", name).read_text(encoding="utf-8")


def test_sonic_bgp() -> None:
    """Eight spines that are up, sixteen racks that never were."""
    result = sonic.bgp_summary(recorded("sonic/show_ip_bgp_summary.txt"))
    minutes = {peer: result[peer].established_s / 60 for peer in result if result[peer].established}
    assert set(minutes.values()) == {45 * 60 + 9, 45 * 60 + 10, 45 * 60 + 11}, (
        "1d21h09m to 1d21h11m"
    )
    result = {peer: replace(one, established_s=None) for peer, one in result.items()}
    up = {f"10.0.0.{number}": BgpPeer(True, "6402", 65200) for number in range(1, 30, 4)}
    down = {
        f"10.0.0.{33 + 2 * number}": BgpPeer(False, "Active", 64001 + number)
        for number in range(16)
    }
    assert result == up | down
    assert sonic.bgp_summary(recorded("sonic/show_ip_bgp_summary_none.txt")) == {}


def test_sonic_lldp_and_pfc() -> None:
    """Two neighbours on one port; two lossless priorities on two."""
    assert sonic.lldp_table(recorded("sonic/show_lldp_table.txt")) == {
        "Ethernet0": (
            LldpNeighbour("dummy", "00:00:00:00:00:01", "First MAC"),
            LldpNeighbour("dummy", "00:00:00:00:00:02", "Second MAC"),
        )
    }
    assert sonic.pfc_priority(recorded("sonic/show_pfc_priority.txt")) == {
        "Ethernet0": (3, 4),
        "Ethernet4": (3, 4),
    }


def test_eos() -> None:
    """BGP and LLDP."""
    assert eos.bgp_summary(recorded("eos/show_ip_bgp_summary_vrf_all.json")) == {
        "10.0.0.1": BgpPeer(established=True, state="Established", asn=65002),
        "10.0.0.3": BgpPeer(established=False, state="Active", asn=65003),
    }
    assert eos.lldp_neighbours(recorded("eos/show_lldp_neighbors.json")) == {
        "Ethernet1": (LldpNeighbour("precise64", "0800.274f.332d"),),
        "Ethernet2": (LldpNeighbour("precise64", "0800.27ca.c5be"),),
    }


QOS = {
    "cx5.fw-dcbx.dscp": NicQos(
        "fw",
        "dscp",
        ON_3,
        IDENTITY,
        (0, 0, 0, 3, 0, 0, 6, 0),
        {0: "ets", 3: "ets", 6: "vendor"},
        {0: 50, 3: 50, 6: 0},
        7,
        (130944, 130944, *(0,) * 6),
        262016,
        ON_3,
    ),
    "simulated.all-tcs": NicQos(
        "os",
        "pcp",
        OFF,
        {},
        (0, 0, 0, 3, 0, 0, 6, 0),
        {number: "ets" if number in {0, 3} else "strict" for number in range(8)},
        {**NO_BANDWIDTH, 0: 50, 3: 50},
        7,
        *BUFFER_1,
    ),
    "simulated.default-pcp": NicQos(
        "os", "pcp", OFF, {}, DEFAULT, VENDOR, NO_BANDWIDTH, 7, *BUFFER_1
    ),
    "simulated.dscp2prio-sparse": NicQos(
        "os", "dscp", OFF, {26: 3, 48: 6}, DEFAULT, VENDOR, NO_BANDWIDTH, 7, *BUFFER_1
    ),
    "simulated.roce-prio3": NicQos(
        "os",
        "dscp",
        ON_3,
        IDENTITY,
        tuple(range(8)),
        {number: "ets" if number < 6 else "strict" for number in range(8)},
        {**NO_BANDWIDTH, 0: 10, 3: 90},
        30,
        (90112, 0, 0, 171904, 0, 0, 0, 0),
        262016,
        (0, 0, 0, 3, 0, 0, 0, 0),
        {6: 10_000_000_000},
    ),
}


@pytest.mark.parametrize("name", QOS)
def test_mlnx_qos(name: str) -> None:
    """Whole states."""
    assert mlnx_qos(recorded(f"host/mlnx_qos.{name}.txt")) == QOS[name]


@pytest.mark.parametrize(
    ("name", "rows", "device", "index", "address", "interface"),
    [
        ("a100-8xroce.spaces", 36, "mlx5_8", 3, "25.11.128.226", "eth8"),
        ("cx5-single-ipv4", 5, "mlx5_0", 3, "192.168.6.132", "mce0"),
        ("tabs.in-pod-net1", 4, "mlx5_3", 3, "192.168.10.2", "net1"),
        ("tabs.mixed-vendor-v4-at-index1", 4, "hrn3_bond_0", 1, "27.105.180.3", "bond0"),
        ("tabs.single", 4, "mlx5_0", 3, "192.168.211.242", "rdma0"),
    ],
)
def test_show_gids(
    name: str, rows: int, device: str, index: int, address: str, interface: str
) -> None:
    """The GID of RoCEv2 over IPv4 is found wherever it stands."""
    table = gids.show_gids(recorded(f"host/show_gids.{name}.txt"))
    chosen = gids.ipv4_roce_v2(table, device)
    assert len(table) == rows
    assert chosen is not None
    assert (chosen.index, chosen.address, chosen.interface) == (index, address, interface)


def test_show_gids_of_an_empty_table() -> None:
    """And of a link that is down, which has no interface."""
    assert gids.show_gids(recorded("host/show_gids.tabs.empty-in-pod.txt")) == ()
    last = gids.show_gids(recorded("host/show_gids.cx5-single-ipv4.txt"))[-1]
    assert (last.device, last.interface, last.address) == ("mlx5_1", "", "")


def test_traffic_class() -> None:
    """106 is DSCP 26 with an ECN bit."""
    assert host.traffic_class_dscp(recorded("host/traffic_class.global-106.txt")) == 26
