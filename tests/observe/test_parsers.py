"""Our samples, value by value."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.hostfacts import gids
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.systems.cumulus import parsers as cumulus
from fabric.systems.eos import parsers as eos
from fabric.systems.host import parsers as host
from fabric.systems.sonic import parsers as sonic

SAMPLES = Path(__file__).parent / "samples"
SUPPORT = {"eos_state", "gids", "host_settings", "mlnx_qos", "sonic_state", "tables"}


def sample(name: str) -> str:
    """Return the text of a sample."""
    return (SAMPLES / name).read_text(encoding="utf-8")


def test_sonic_bgp() -> None:
    """A number means established; everything else does not."""
    assert sonic.bgp_summary(sample("show_ip_bgp_summary.txt")) == {
        "10.254.0.0": BgpPeer(True, "6", 65100, established_s=162_660.0),
        "10.254.0.2": BgpPeer(established=False, state="Idle (Admin)", asn=65100),
        "10.254.0.4": BgpPeer(established=False, state="Active", asn=65100),
    }
    assert sonic.bgp_summary("No IPv4 neighbor is configured\n") == {}


def test_sessions_of_ipv6_are_a_table_of_their_own() -> None:
    """Each platform merges both into one field; a switch without IPv6 says nothing."""
    text = sample("show_ip_bgp_summary.txt").replace("10.254.0.0 ", "fd00:65::1 ")
    assert sonic.bgp_ipv6(text)["fd00:65::1"].established
    said = sample("eos_bgp_summary.json").replace("10.254.0.1", "fd00:65::1")
    assert eos.bgp_of_family(said)["fd00:65::1"].established
    said = (SAMPLES / "cumulus" / "bgp.json").read_text(encoding="utf-8")
    said = said.replace("10.254.0.0", "fd00:65::1").replace("ipv4Unicast", "ipv6Unicast")
    assert cumulus.bgp_ipv6(said)["fd00:65::1"].established
    assert sonic.bgp_ipv6("") == eos.bgp_of_family("") == cumulus.bgp_ipv6("") == {}
    assert sonic.bgp_ipv6("No IPv6 neighbor is configured\n") == cumulus.bgp_ipv6("{}") == {}
    with pytest.raises(UnreadableError):
        sonic.bgp_ipv6(text[: len(text) // 2])
    for name in ("sonic", "eos", "cumulus", "esonic"):
        assert parsers[name].readings["bgp_ipv6"][0] == "bgp"
    assert parsers["eos"].readings["bgp_evpn"][0] == "bgp"


def test_sonic_lldp() -> None:
    """Two neighbours on one port stay two."""
    assert sonic.lldp_table(sample("show_lldp_table.txt")) == {
        "Ethernet0": (LldpNeighbour("gpu001", "eth1", "gpu001 eth1"),),
        "Ethernet8": (LldpNeighbour("gpu002", "eth1", ""),),
        "Ethernet128": (
            LldpNeighbour("spine01", "Ethernet1/1", "su1-rail0 uplink"),
            LldpNeighbour("spy", "Ethernet9", "another"),
        ),
    }


def test_sonic_pfc() -> None:
    """N/A is none."""
    assert sonic.pfc_priority(sample("show_pfc_priority.txt")) == {
        "Ethernet0": (3, 4),
        "Ethernet8": (3,),
        "Ethernet128": (),
    }


def test_eos_bgp() -> None:
    """The default VRF only: a session of another VRF says nothing about the underlay."""
    assert eos.bgp_summary(sample("eos_bgp_summary.json")) == {
        "10.254.0.1": BgpPeer(established=True, state="Established", asn=65101),
        "10.254.0.129": BgpPeer(established=False, state="Idle", asn=65546),
    }
    assert eos.bgp_summary('{"vrfs": {}}') == {}


def test_eos_lldp() -> None:
    """Two neighbours on one port stay two."""
    assert eos.lldp_neighbours(sample("eos_lldp_neighbors.json")) == {
        "Ethernet1/1": (LldpNeighbour("su1-rail0", "Ethernet128"),),
        "Ethernet2/1": (
            LldpNeighbour("su1-rail1", "Ethernet128"),
            LldpNeighbour("spy", "0800.274f.332d"),
        ),
    }


def test_host_qos() -> None:
    """A map over several lines, classes in any order."""
    assert mlnx_qos(sample("mlnx_qos.txt")) == NicQos(
        dcbx="os",
        trust="dscp",
        pfc=(0, 0, 0, 1, 0, 0, 0, 0),
        dscp_to_priority={**dict.fromkeys((*range(8), 24, 25), 0), 26: 3, 48: 6},
        priority_to_traffic_class=(0, 1, 0, 3, 0, 0, 6, 6),
        tsa={0: "ets", 1: "ets", 3: "ets", 6: "strict"},
        bandwidth_percent={0: 10, 1: 0, 3: 90, 6: 0},
        cable_m=30,
        buffer_bytes=(90112, 0, 0, 171904, 0, 0, 0, 0),
        max_buffer_bytes=262016,
        priority_to_buffer=(0, 0, 0, 3, 0, 0, 0, 0),
        rate_limit_bps={3: 10_000_000_000},
    )


def test_host_gids() -> None:
    """Chosen by content, not by index."""
    table = gids.show_gids(sample("show_gids.txt"))
    assert len(table) == 36
    chosen = gids.ipv4_roce_v2(table, "mlx5_8")
    assert chosen is not None
    assert (chosen.index, chosen.address, chosen.interface) == (3, "25.11.128.226", "eth8")
    assert gids.ipv4_roce_v2(table, "mlx5_9") is None


SHOW_GIDS6 = """\
DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_1\t1\t0\tfe80:0000:0000:0000:063f:72ff:fe00:0001\t\t\tv1\teth1
mlx5_1\t1\t1\tfe80:0000:0000:0000:063f:72ff:fe00:0001\t\t\tv2\teth1
mlx5_1\t1\t2\tfd00:0064:0000:0000:0000:0000:0000:0021\t\t\tv1\teth1
mlx5_1\t1\t3\tfd00:0064:0000:0000:0000:0000:0000:0021\t\t\tv2\teth1
n_gids_found=4
"""


def test_host_gids_of_ipv6() -> None:
    """One has an address of IPv6, which its own column does not have; the link-local is none."""
    table = gids.show_gids(SHOW_GIDS6)
    assert [(gid.index, gid.ip) for gid in table if gid.is_routable] == [(3, "fd00:64::21")]
    assert {gid.address for gid in table} == {""}
    assert gids.ipv4_roce_v2(table, "mlx5_1") is None


LLDP6 = """\
{"lldp": {"interface": [{"eth1": {"via": "LLDP", "chassis": {"su1-rail0": {
  "id": {"type": "mac", "value": "02:00:00:00:00:01"},
  "mgmt-ip": ["192.0.2.1", "2001:db8::1", "fe80::1"], "mgmt-iface": ["2", "2", "2"]}},
  "port": {"id": {"type": "ifname", "value": "Ethernet1/1"}, "ttl": "120"}}}]}}
"""


def test_host_lldp_of_a_switch_with_addresses_of_both_families() -> None:
    """A neighbour is its name and port, whatever addresses it is managed by."""
    (seen,) = host.lldp_neighbours(LLDP6)["eth1"]
    assert (seen.system_name, seen.port_id) == ("su1-rail0", "Ethernet1/1")


def test_host_lldp() -> None:
    """A chassis without a name has none; one interface comes without a list."""
    first = LldpNeighbour("su1-rail0", "Ethernet0", "gpu001 eth1")
    assert host.lldp_neighbours(sample("lldpcli_neighbors.json")) == {
        "eth1": (first,),
        "eth2": (LldpNeighbour("", "52:54:00:00:00:03"),),
    }
    single = (
        '{"lldp": {"interface": {"eth1": {"chassis": {"su1-rail0": {"id": {}}}, '
        '"port": {"id": {"value": "Ethernet0"}, "descr": "gpu001 eth1"}}}}}'
    )
    assert host.lldp_neighbours(single) == {"eth1": (first,)}
    assert host.lldp_neighbours('{"lldp": {}}') == {}


def test_host_addresses_and_rules() -> None:
    """iproute2 prints empty objects for what it leaves out."""
    assert host.ip_addresses(sample("ip_addr.json")) == {
        "lo": (65536, ("127.0.0.1/8",)),
        "eth1": (9000, ("10.64.0.2/24",)),
    }
    assert host.ip_rules(sample("ip_rule.json")) == {"all": "main", "10.64.0.2": "100"}


@pytest.mark.parametrize(
    ("text", "expected"), [("Global tclass=106\n", 26), ("Global tclass=104\n", 26), ("", None)]
)
def test_host_traffic_class(text: str, expected: int | None) -> None:
    """The two low bits are ECN."""
    assert host.traffic_class_dscp(text) == expected


@pytest.mark.parametrize(
    "text", ["Global tclass=256\n", "Global tclass=x\n", "Global", "Global tclass=10"]
)
def test_host_traffic_class_that_cannot_be(text: str) -> None:
    """Is unknown."""
    with pytest.raises(UnreadableError):
        host.traffic_class_dscp(text)


def test_running_configurations() -> None:
    """Cut ones are unreadable; comments of EOS carry times and are left out."""
    texts = {"config": "! at 10:00\nhostname x\n!\nend\n", "startup": "hostname x\nend\n"}
    running = parsers["eos"].running("x", texts)
    assert (running.canonical, running.saved) == ("hostname x\nend\n", True)
    for text in ("", "! only\n", "hostname x\n", "hostname x\nen"):
        with pytest.raises(UnreadableError):
            parsers["eos"].running("x", {"config": text, "startup": ""})
    texts = {"config": '{"PORT": {"Ethernet0": {}}, "VLAN": {}}', "startup": '{"PORT": {}}'}
    assert parsers["sonic"].running("x", texts).saved is False
    for text in ("", '{"PORT": {', "[]", '{"PORT": 1}'):
        with pytest.raises(UnreadableError):
            parsers["sonic"].running("x", {"config": text, "startup": "{}"})
