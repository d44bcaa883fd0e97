"""The facts of a host, put together from its single readings."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from fabric.lab.clock import LabClock
from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.assemble import host_facts
from fabric.observe.hostfacts.facts import HostFacts
from fabric.observe.hostfacts.gids import ipv4_roce_v2
from fabric.observe.hostfacts.readings import command_of
from fabric.observe.state import LldpNeighbour
from fabric.systems.host.lab import HostStandIn
from tests.cases import each
from tests.lab.conftest import host_spec
from tests.observe.test_fixtures import recorded
from tests.observe.test_hostfacts import text_of

#: The sample of each reading.
FILES = {
    **{name: f"{name}.txt" for name in ("show_gids", "ibdev2netdev", "ibstat")},
    **{name: f"{name}.txt" for name in ("nvidia_topo", "hw_counters")},
    **{name: f"{name}.txt" for name in ("sysfs_pci", "sysfs_class")},
    **{name: f"{name}.json" for name in ("rdma_link", "lldp")},
    **{name: f"{name}.json" for name in ("ip_addr", "ip_route", "ip_rule")},
    **{
        f"{name}:eth1": f"{name}.txt"
        for name in ("mlnx_qos", "ethtool", "ethtool_fec", "ethtool_pause")
    },
    **{f"{name}:eth1": f"{name}.txt" for name in ("ethtool_driver", "ethtool_statistics")},
    "traffic_class:mlx5_1": "traffic_class.txt",
    "ibv_devinfo:mlx5_1": "ibv_devinfo.txt",
    "sysctl_neighbours": "sysctl_neighbours.txt",
    **{f"{name}:eth1": f"{name}.txt" for name in ("sysctl_arp", "ecn_files")},
    "lspci:0000:4b:00.0": "lspci.txt",
}


@cache
def whole() -> dict[str, str]:
    return {reading: text_of(file) for reading, file in FILES.items()}


def _without(*names: str, **other: str) -> HostFacts:
    return host_facts("gpu001", {k: v for k, v in whole().items() if k not in names} | other)


def test_a_nic_of_which_everything_was_read() -> None:
    """Each field from its tool."""
    facts = host_facts("gpu001", whole())
    nic = facts.nic("mlx5_1")
    assert nic is not None
    told = {
        "interface": "eth1",
        "link_layer": "RoCE",
        "up": True,
        "rate_bps": 400_000_000_000,
        "mtu_bytes": 9000,
        "model": "MT4129",
        "active_mtu_bytes": 4096,
        "dcbx": "os",
        "driver": "mlx5_core",
        "firmware": "28.39.1002",
        "pci_address": "0000:4b:00.0",
        "numa_node": 0,
        "fec": ("rs",),
        "global_pause": False,
        "addresses": ("10.64.1.2/24", "fe80::5a2e:61ff:fe10:1/64"),
        "trust": "dscp",
        "pfc_priorities": (3,),
        "hw_counters": {"duplicate_request": 0, "np_cnp_sent": 1200, "out_of_sequence": 3},
        "lldp": (LldpNeighbour("su1-leaf1", "Ethernet1/5", "to gpu001"),),
    }
    assert {name: getattr(nic, name) for name in told} == told
    gid = ipv4_roce_v2(nic.gids or (), "mlx5_1")
    assert gid is not None
    assert (gid.index, gid.address) == (3, "10.64.1.2")
    assert nic.dscp_to_priority is not None
    assert nic.dscp_to_priority[26] == 3
    assert nic.qos is not None
    assert nic.qos.cable_m == 30
    assert nic.counters is not None
    assert nic.counters["rx_prio3_pause"] == 41
    assert nic.traffic_class is not None
    assert nic.traffic_class.dscp == 26
    assert nic.pcie is not None
    assert nic.pcie.max_read_request_bytes == 4096


def test_the_host() -> None:
    """Matrix, routes; NICs in the order of their numbers."""
    facts = host_facts("gpu001", whole())
    assert facts.nics is not None
    assert [nic.rdma_device for nic in facts.nics] == ["mlx5_1", "mlx5_2", "mlx5_10"]
    assert [nic.link_layer for nic in facts.nics] == ["RoCE", "RoCE", "InfiniBand"]
    assert facts.affinity() == {
        "GPU0": {"mlx5_1": "PIX", "mlx5_2": "SYS"},
        "GPU1": {"mlx5_1": "SYS", "mlx5_2": "PXB"},
    }
    assert facts.rules is not None
    assert len(facts.rules) == 5
    assert facts.routes is not None
    assert facts.nic("mlx5_9") is None


def test_a_link_that_is_down_has_no_rate() -> None:
    """Although ibstat prints one."""
    nic = host_facts("gpu001", whole()).nic("mlx5_2")
    assert nic is not None
    assert (nic.up, nic.rate_bps) == (False, None)
    assert ipv4_roce_v2(nic.gids or (), "mlx5_2") is None


def test_what_was_not_read_is_named() -> None:
    """And nothing of it is zero or empty."""
    facts = host_facts("gpu001", whole())
    nic = facts.nic("mlx5_2")
    assert nic is not None
    unknown = (nic.trust, nic.pfc_priorities, nic.counters, nic.fec, nic.mtu_bytes)
    assert unknown == (None,) * 5
    for reading in ("mlnx_qos:eth2", "dcb_pfc:eth2", "ethtool_statistics:eth2", "ethtool_fec:eth2"):
        assert facts.unread[reading] == "not read"
    assert facts.unread["lspci:0000:ca:00.0"] == "not read"
    assert not any(key.endswith(":eth1") for key in facts.unread)
    missed = {key for key in facts.unread if key.endswith(":ib0")}
    assert missed == {"ethtool:ib0", "ethtool_driver:ib0", "ethtool_statistics:ib0"}


def test_gids_that_were_not_read() -> None:
    """Are unknown, not none."""
    nic = _without("show_gids").nic("mlx5_1")
    assert nic is not None
    assert nic.gids is None
    known = host_facts("gpu001", whole()).nic("mlx5_10")
    assert known is not None
    assert known.gids == ()


def test_a_host_without_rdma_devices() -> None:
    """Is known to have none when a tool lists none."""
    assert host_facts("gpu001", {"rdma_link": "[]\n"}).nics == ()


def test_nothing_was_read() -> None:
    """An empty host, not a host without NICs."""
    facts = host_facts("gpu001", {})
    assert (facts.nics, facts.topology, facts.affinity()) == (None,) * 3
    assert facts.unread["rdma_link"] == "not read"
    assert facts.unread["nvidia_topo"] == "not read"


@each("reading", sorted(FILES))
def test_an_unreadable_text_leaves_the_rest(reading: str) -> None:
    """It is kept with its reason, and all that does not hang on it is as before."""
    facts = host_facts("gpu001", {**whole(), reading: "Segmentation fault"})
    assert facts.raw == {reading: "Segmentation fault"}
    assert facts.unread[reading]
    assert facts.nics is not None
    assert facts.nic("mlx5_1") is not None
    if reading != "nvidia_topo":
        assert facts.affinity() is not None


@pytest.mark.parametrize("listed", ["show_gids", "ibdev2netdev", "ibstat", "rdma_link"])
def test_one_list_of_nics_is_enough(listed: str) -> None:
    """Each of the four tools knows the RDMA devices; the others are not missed by name."""
    lists = {"show_gids", "ibdev2netdev", "ibstat", "rdma_link"} - {listed}
    facts = _without(*lists)
    assert facts.nics is not None
    assert {"mlx5_1", "mlx5_2"} <= {nic.rdma_device for nic in facts.nics}
    nic = facts.nic("mlx5_1")
    assert nic is not None
    assert nic.interface == (None if listed == "ibstat" else "eth1")
    if listed == "ibstat":
        assert "names its network device" in facts.unread["nics.mlx5_1.interface"]


@pytest.mark.parametrize(
    ("reading", "old", "new", "field", "attribute"),
    [
        (
            "ibdev2netdev",
            "",
            "mlx5_1 port 1 ==> eth7 (Up)\n",
            "nics.mlx5_1.interface",
            "interface",
        ),
        (
            "ethtool_driver:eth1",
            "0000:4b",
            "0000:4c",
            "nics.mlx5_1.pci_address",
            "pci_address",
        ),
        (
            "ethtool_driver:eth1",
            "28.39",
            "28.42",
            "nics.mlx5_1.firmware",
            "firmware",
        ),
        (
            "sysfs_pci",
            "0x15b3 0 ",
            "0x15b3 1 ",
            "nics.mlx5_1.numa_node",
            "numa_node",
        ),
    ],
)
def test_readings_that_disagree(
    reading: str, old: str, new: str, field: str, attribute: str
) -> None:
    """Neither is believed."""
    text = whole()[reading].replace(old, new) if old else new
    facts = host_facts("gpu001", {**whole(), reading: text})
    nic = facts.nic("mlx5_1")
    assert nic is not None
    assert getattr(nic, attribute) is None
    assert facts.unread[field].startswith("readings disagree: ")


def test_dcb_in_place_of_mlnx_qos() -> None:
    """It tells PFC and the map, not whom the NIC trusts."""
    kinds = ("dcb_pfc", "dcb_app")
    dcb = {f"{kind}:eth1": text_of(f"{kind}.json") for kind in kinds}
    nic = _without("mlnx_qos:eth1", **dcb).nic("mlx5_1")
    assert nic is not None
    assert (nic.pfc_priorities, nic.trust, nic.qos) == ((3,), None, None)
    assert nic.dscp_to_priority == {26: 3, 48: 6}


def test_a_reading_that_does_not_exist() -> None:
    """Is named."""
    facts = host_facts("gpu001", {"ibstatus": "x\n"})
    assert facts.unread["ibstatus"] == "there is no reading 'ibstatus'"


def test_a_recorded_host() -> None:
    """Nine NICs; the rails are those with the public addresses, each at index 3."""
    facts = host_facts("a100", {"show_gids": recorded("host/show_gids.a100-8xroce.spaces.txt")})
    assert facts.nics is not None
    chosen = [ipv4_roce_v2(nic.gids or (), nic.rdma_device) for nic in facts.nics]
    assert [gid and (gid.device, gid.index, gid.address) for gid in chosen] == [
        ("mlx5_0", 3, "10.0.60.3"),
        *((f"mlx5_{rail + 1}", 3, f"25.11.128.{2 + 32 * rail}") for rail in range(8)),
    ]
    assert [nic.interface for nic in facts.nics] == [f"eth{number}" for number in range(9)]
    assert {nic.link_layer for nic in facts.nics} == {"RoCE"}


def test_recorded_gpus_without_nics() -> None:
    """The virtual machine has no RDMA device at all, and says so nowhere: unknown."""
    lines = recorded("host/h200x8-vm/nvidia-smi.txt").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if "\x1b[4mGPU0" in line)
    facts = host_facts(
        "h200",
        {
            "nvidia_topo": "".join(lines[start : start + 19]),
        },
    )
    assert facts.nics is None
    assert facts.topology is not None
    assert len(facts.topology.gpus) == 8
    assert facts.affinity() is None


def test_a_host_of_the_lab() -> None:
    """By the commands of the readings that the stand-in has."""
    device = HostStandIn(host_spec(), LabClock())
    keys = ["show_gids", "ibdev2netdev", "rdma_link", "ip_addr", "ip_rule", "ip_route"]
    keys += ["ip_neigh", "lldp", "mlnx_qos:rail0", "ethtool:rail0", "ethtool_driver:rail0"]
    keys += ["ethtool_pause:rail0", "ethtool_statistics:rail0", "traffic_class:mlx5_0"]
    texts = {}
    for key in keys:
        reading, _, target = key.partition(":")
        status, texts[key] = device.run_detached(command_of(reading, target))
        assert status == 0, key
    device.fs.close()
    facts = host_facts("gpu01", texts)
    assert facts.raw == {}
    nic = facts.nic("mlx5_0")
    assert nic is not None
    assert (nic.interface, nic.pci_address, nic.link_layer) == ("rail0", "0000:18:00.0", "RoCE")
    assert (nic.rate_bps, nic.trust, nic.pfc_priorities) == (400_000_000_000, "pcp", ())
    assert nic.lldp == (LldpNeighbour("leaf01", "Ethernet16", "Ethernet16"),)
    assert nic.traffic_class is not None
    assert nic.traffic_class.dscp is None


def test_the_document_lists_each_reading() -> None:
    """With its command."""
    text = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text(
        encoding="utf-8"
    )
    section = text.partition("## Facts of a host\n")[2].partition("\n## ")[0]
    listed = dict(re.findall(r"^\| `([a-z0-9_]+)` \| `(.+?)` \| .+ \|$", section, re.MULTILINE))
    assert listed == {name: readers[name].command for name in readers}
