"""Readers of host tools: our samples, value by value."""

from __future__ import annotations

import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

from fabric.observe import hostfacts as package
from fabric.observe.hostfacts import MAX_CHARACTERS, readers, reads
from fabric.observe.hostfacts.dcb import DcbBuffer, DcbEts, DcbPfc
from fabric.observe.hostfacts.ethtool import (
    EthtoolDriver,
    EthtoolFec,
    EthtoolLink,
    EthtoolPause,
    parse_ethtool,
    parse_ethtool_driver,
    parse_ethtool_fec,
    parse_ethtool_pause,
    parse_ethtool_statistics,
)
from fabric.observe.hostfacts.gids import Gid
from fabric.observe.hostfacts.ibstat import IbDevice, IbPort, RdmaNetdev, parse_ibstat
from fabric.observe.hostfacts.ip import IpAddresses, IpNeighbour, IpRoute, IpRule
from fabric.observe.hostfacts.lspci import PciDevice, parse_lspci
from fabric.observe.hostfacts.mlnx_qos import mlnx_qos
from fabric.observe.hostfacts.nvidia_smi import parse_nvidia_topo
from fabric.observe.hostfacts.ofed import (
    EcnFiles,
    TrafficClass,
    TrafficClassRule,
    parse_traffic_class,
)
from fabric.observe.hostfacts.rdma import RdmaCounters, RdmaLink, parse_rdma_link
from fabric.observe.hostfacts.readings import command_of
from fabric.observe.hostfacts.sysfs import ArpParameters, DevicePlaces, OwnCheck, PciPlace
from fabric.observe.parsers import UnreadableError
from fabric.observe.state import LldpNeighbour
from tests.cases import each

SAMPLES = Path(__file__).parent / "samples" / "host"
#: Modules that read nothing themselves.
SUPPORT = {
    *("assemble", "facts", "jsontext", "mlnx_qos", "readings", "values"),
}
ON_3 = tuple(number == 3 for number in range(8))
THIRD = (0, 0, 0, 77, 0, 0, 0, 0)
PFC = DcbPfc(ON_3, 30, 8, THIRD, (0, 0, 0, 5, 0, 0, 0, 0))
ETS = DcbEts(
    False,
    ("ets",) * 6 + ("strict", "vendor"),
    (20, 0, 0, 80, 0, 0, 0, 0),
    (0, 1, 2, 3, 4, 5, 6, 6),
)
LINK_LOCAL = "fe80:0000:0000:0000:5a2e:61ff:fe10:000"
MAPPED = "0000:0000:0000:0000:0000:ffff:0a40:0102"
LLDP = {
    "eth1": (LldpNeighbour("su1-leaf1", "Ethernet1/5", "to gpu001"),),
    "eth2": (
        LldpNeighbour("su1-leaf2", "swp5", "swp5"),
        LldpNeighbour("", "0c:42:a1:00:00:0f", ""),
    ),
}


def _ca(name: str, model: str | None, firmware: str | None, guid: str, *port: Any) -> IbDevice:
    return IbDevice(name, "CA", model, firmware, guid, (IbPort(1, *port, guid),))


#: Sample -> what a person reads in it; the reading is its name up to the first dot.
CASES: dict[str, Any] = {
    "ibv_devinfo.txt": {1: 4096},
    "ecn_files.txt": EcnFiles(frozenset({3}), frozenset({3, 5}), 48),
    "sysctl_arp.txt": ArpParameters(arp_ignore=1, arp_announce=2, rp_filter=2),
    "sysctl_neighbours.txt": (4096, 8192, 16384),
    "own_check.txt": OwnCheck(
        (
            ("eth1", "PFC is 0, not 1"),
            ("eth1", "QoS no longer says: DCBX mode: OS controlled"),
            ("host", "governor is powersave, not performance"),
        ),
        (
            "DCBX is with the firmware: the NIC takes over what the switch advertises",
            "a restart of driver or firmware: eth1 was made again since it was set",
        ),
    ),
    "show_gids.txt": (
        Gid("mlx5_1", 1, 0, f"{LINK_LOCAL}1", "", "v1", "eth1"),
        Gid("mlx5_1", 1, 1, f"{LINK_LOCAL}1", "", "v2", "eth1"),
        Gid("mlx5_1", 1, 2, MAPPED, "10.64.1.2", "v1", "eth1"),
        Gid("mlx5_1", 1, 3, MAPPED, "10.64.1.2", "v2", "eth1"),
        Gid("mlx5_2", 1, 0, f"{LINK_LOCAL}2", "", "v1", ""),
        Gid("mlx5_2", 1, 1, f"{LINK_LOCAL}2", "", "v2", ""),
    ),
    "gid_files.txt": (  # Soft-RoCE has no RoCEv1
        Gid("mlx5_1", 1, 0, "fe80:0000:0000:0000:b069:22ff:fea0:b1d9", "", "v2", "eth1"),
        Gid("mlx5_1", 1, 1, "0000:0000:0000:0000:0000:ffff:0a40:0002", "10.64.0.2", "v2", "eth1"),
        Gid("mlx5_2", 1, 0, "fe80:0000:0000:0000:d0f9:12ff:fe07:4e19", "", "v2", "eth2"),
        Gid("mlx5_2", 1, 1, "0000:0000:0000:0000:0000:ffff:0a40:0102", "10.64.1.2", "v2", "eth2"),
    ),
    "ibdev2netdev.txt": (
        RdmaNetdev("mlx5_1", 1, "eth1", up=True),
        RdmaNetdev("mlx5_2", 1, "eth2", up=False),
        RdmaNetdev("mlx5_10", 1, "ib0", up=True),
    ),
    "ibstat.txt": (
        _ca(
            *("mlx5_1", "MT4129", "28.39.1002", "0x5a2e610003100001"),
            *("Active", "LinkUp", 400_000_000_000, "Ethernet", 0, 0),
        ),
        _ca(
            *("mlx5_2", "MT4129", "28.39.1002", "0x5a2e610003100002"),
            *("Down", "Disabled", 40_000_000_000, "Ethernet", 0, 0),
        ),
        _ca(
            *("mlx5_10", "MT4123", "20.31.1014", "0x5a2e61000310000a"),
            *("Active", "LinkUp", 200_000_000_000, "InfiniBand", 12, 5),
        ),
    ),
    "ibstat.rxe.txt": (
        _ca(
            *("mlx5_1", None, None, "0xb06922fffea0b1d9"),
            *("Active", "LinkUp", 2_500_000_000, "Ethernet", 0, 0),
        ),
        _ca(
            *("mlx5_2", None, None, "0xd0f912fffe074e19"),
            *("Active", "LinkUp", 2_500_000_000, "Ethernet", 0, 0),
        ),
    ),
    "rdma_link.json": (
        RdmaLink("mlx5_1", 1, "ACTIVE", "LINK_UP", "eth1"),
        RdmaLink("mlx5_2", 1, "DOWN", "DISABLED", "eth2"),
        RdmaLink("mlx5_10", 1, "ACTIVE", "LINK_UP", "ib0", "fe80:0000:0000:0000", 12, 5),
    ),
    "hw_counters.txt": (
        RdmaCounters(
            "mlx5_1", 1, {"duplicate_request": 0, "np_cnp_sent": 1200, "out_of_sequence": 3}
        ),
        RdmaCounters("mlx5_2", 1, {"np_cnp_sent": 0, "out_of_sequence": 0}),
    ),
    "rdma_statistic.json": (
        RdmaCounters(
            "mlx5_1", 1, {"duplicate_request": 0, "np_cnp_sent": 1200, "out_of_sequence": 3}
        ),
        RdmaCounters("mlx5_2", 1, {"np_cnp_sent": 0}),
    ),
    "traffic_class.txt": TrafficClass(104, (TrafficClassRule(106, "10.64.1.2", "10.64.0.0/16"),)),
    "dcb_pfc.json": PFC,
    "dcb_ets.json": ETS,
    "dcb_buffer.json": DcbBuffer(
        (0, 0, 0, 1, 0, 0, 0, 0), (65536, 131072, 0, 0, 0, 0, 0, 0), 262016
    ),
    "dcb_app.json": {26: 3, 48: 6},
    "dcb_dcbx.json": {"host", "ieee"},
    "ethtool.txt": EthtoolLink("eth1", True, 400_000_000_000, True),
    "ethtool_fec.txt": EthtoolFec("eth1", ("auto", "rs"), ("rs",)),
    "ethtool_pause.txt": EthtoolPause("eth1", receive=False, transmit=False),
    "ethtool_driver.txt": EthtoolDriver("mlx5_core", "28.39.1002", "0000:4b:00.0"),
    "ethtool_statistics.txt": {
        "rx_packets": 51422,
        "rx_out_of_buffer": 0,
        "rx_discards_phy": 0,
        "tx_pause_storm_error_events": 0,
        "rx_prio3_pause": 41,
        "rx_prio3_pause_duration": 812,
        "rx_prio3_discards": 0,
        "tx_prio3_pause": 7,
    },
    "ip_addr.json": (
        IpAddresses("lo", 65536, ("127.0.0.1/8",), ()),
        IpAddresses("eth1", 9000, ("10.64.1.2/24",), ("fe80::5a2e:61ff:fe10:1/64",)),
    ),
    "ip_route.json": (
        IpRoute("default", "eth0", "192.0.2.1", protocol="static"),
        IpRoute("10.64.0.0/16", "eth1", "10.64.1.1", "10.64.1.2", "101", 50),
        IpRoute("10.9.0.0/16", "eth1", "fe80::1"),
        IpRoute("10.8.0.7/32", "eth1", "10.64.1.1"),
        IpRoute("10.8.0.7/32", "eth2", "10.64.2.1"),
        IpRoute("10.7.0.0/24", kind="unreachable"),
    ),
    "ip_rule.json": (
        IpRule(0, "all", "local"),
        IpRule(101, "10.64.1.2/32", "101"),
        IpRule(200, "10.64.2.0/24", "rail2"),
        IpRule(300, "0.0.0.0/1", None),
        IpRule(32766, "all", "main"),
    ),
    "ip_route6.json": (
        IpRoute("fd00:64::20/127", "eth1", None, "fd00:64::21", "100", 1024),
        IpRoute("fd00:64::/48", "eth1", "fd00:64::20", "fd00:64::21", "100", 1024),
        IpRoute("default", "lo", table="100", metric=4096, kind="unreachable"),
        IpRoute("fd00:64:0:10::/64", "eth1", metric=256, protocol="kernel"),
        IpRoute("fd00:64::21/128", "eth1", None, None, "local", 0, "local", protocol="kernel"),
    ),
    "ip_rule6.json": (
        IpRule(0, "all", "local"),
        IpRule(100, "fd00:64::21/128", "100"),
        IpRule(101, "fd00:64:0:10::/64", "101"),
        IpRule(32766, "all", "main"),
    ),
    "ip_neigh.json": (
        IpNeighbour("10.64.1.1", "eth1", ("PERMANENT",), "0c:42:a1:00:00:01"),
        IpNeighbour("fe80::1", "eth1", ("STALE",), "0c:42:a1:00:00:01"),
        IpNeighbour("10.64.1.9", "eth1", ("FAILED",)),
    ),
    "lldp.json": LLDP,
    "lldp.json0.json": LLDP,
    "lspci.txt": (
        PciDevice(
            *("0000:4a:00.0", ("1000", "c030"), 512, 128, False, (32.0, 16), (32.0, 16)),
            *(("SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"), 0, "pcieport"),
        ),
        PciDevice(
            *("0000:4b:00.0", ("15b3", "1021"), 256, 4096, True, (16.0, 16), (32.0, 16)),
            *(None, 0, "mlx5_core"),
        ),
        PciDevice("0000:ca:00.0", ("15b3", "1021"), driver="mlx5_core"),
    ),
    "sysfs_pci.txt": (
        PciPlace("0000:4a:00.0", "060400", "1000", 0, ("0000:49:01.0",)),
        PciPlace("0000:4b:00.0", "020000", "15b3", 0, ("0000:49:01.0", "0000:4a:00.0")),
        PciPlace("0000:ca:00.0", "020000", "15b3", None, ()),
    ),
    "sysfs_class.txt": DevicePlaces(
        {"mlx5_1": "0000:4b:00.0", "mlx5_2": "0000:ca:00.0"},
        {"eth0": "0000:00:03.0", "eth1": "0000:4b:00.0", "lo": None},
    ),
}
#: Samples with a test of their own below.
APART = ("nvidia_topo.txt", "mlnx_qos.txt")
SAMPLE_NAMES = (*CASES, *APART)


def text_of(name: str) -> str:
    """Return the text of a sample."""
    return (SAMPLES / name).read_text(encoding="utf-8")


def reading_of(name: str) -> str:
    """Return the reading of a sample."""
    return name.partition(".")[0]


def test_each_module_has_registered_and_each_reader_has_a_sample() -> None:
    """No list to forget."""
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)} - SUPPORT
    owners = {readers[name].parse.__module__.rpartition(".")[2] for name in readers}
    assert owners == modules
    assert {path.name for path in SAMPLES.iterdir()} == set(SAMPLE_NAMES)
    assert {reading_of(name) for name in SAMPLE_NAMES} == set(readers)


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    """All of them."""
    assert readers[reading_of(name)].parse(text_of(name)) == CASES[name]


def test_mlnx_qos_is_the_parser_of_the_drift() -> None:
    """One parser, two doors."""
    text = text_of("mlnx_qos.txt")
    assert readers["mlnx_qos"].parse(text) == mlnx_qos(text)
    assert mlnx_qos(text).rate_limit_bps == {3: 10_000_000_000}
    assert mlnx_qos(text).priority_to_buffer == (0, 0, 0, 3, 0, 0, 0, 0)


def test_topology() -> None:
    """Underlined header, empty cells of affinity, names of NICs in the legend."""
    result = parse_nvidia_topo(text_of("nvidia_topo.txt"))
    assert (result.gpus, result.nics) == (("GPU0", "GPU1"), ("NIC0", "NIC1"))
    assert result.affinity("GPU0") == {"mlx5_1": "PIX", "mlx5_2": "SYS"}
    assert result.affinity("GPU1") == {"mlx5_1": "SYS", "mlx5_2": "PXB"}
    assert result.links["GPU0", "GPU1"] == "NV18"
    assert result.numa_node == {"GPU0": 0, "GPU1": 1}
    assert result.cpu_affinity == {"GPU0": "0-47,96-143", "GPU1": "48-95,144-191"}


OLD = "\tGPU0\tGPU1\tmlx5_0\tmlx5_1\tCPU Affinity\n"


def test_old_topology_names_devices_in_its_header() -> None:
    """Without a legend."""
    rows = "GPU0\t X \tPIX\tPXB\tPXB\t0-31\nGPU1\tPIX\t X \tPXB\tPXB\t0-31\n"
    result = parse_nvidia_topo(OLD + rows)
    assert result.nic_devices == {"mlx5_0": "mlx5_0", "mlx5_1": "mlx5_1"}
    assert result.numa_node == {}


@pytest.mark.parametrize(
    "text",
    [
        OLD + "GPU0\t X \tPIX\tPXB\tPXB\t0-31\n",  # a row is missing
        OLD + "GPU0\t X \tPIX\tPXB\nGPU1\tPIX\t X \tPXB\tPXB\n",  # cut
        OLD + "GPU0\t X \tPIX\tPXB\tPXB\nGPU1\tSYS\t X \tPXB\tPXB\n",  # one way is not the other
        OLD + "GPU0\t X \t X \tPXB\tPXB\nGPU1\t X \t X \tPXB\tPXB\n",  # two that are the same
        OLD + "GPU0\t X \tNEAR\tPXB\tPXB\nGPU1\tNEAR\t X \tPXB\tPXB\n",
        (OLD + "GPU0\t X \tPIX\tPXB\tPXB\nGPU1\tPIX\t X \tPXB\tPXB\n") * 2,
        OLD.replace("mlx5_1", "mlx5_0") + "GPU0\t X \tPIX\tPXB\tPXB\nGPU1\tPIX\t X \tPXB\tPXB\n",
        OLD.replace("mlx5_1", "$(id)") + "GPU0\t X \tPIX\tPXB\tPXB\nGPU1\tPIX\t X \tPXB\tPXB\n",
        OLD + "GPU0\t X \tPIX\tPXB\tPXB\tall\nGPU1\tPIX\t X \tPXB\tPXB\t0-31\n",
    ],
)
def test_a_matrix_that_cannot_be(text: str) -> None:
    """Is unreadable."""
    with pytest.raises(UnreadableError):
        parse_nvidia_topo(text)


def test_a_legend_that_names_not_every_nic() -> None:
    """Is cut, or somebody changed it."""
    text = text_of("nvidia_topo.txt")
    for old, new in (
        ("  NIC1: mlx5_2\n", ""),
        ("NIC1: mlx5_2", "NIC1: mlx5_1"),
        ("NIC1: mlx5_2", "NIC1: $(reboot)"),
    ):
        with pytest.raises(UnreadableError):
            parse_nvidia_topo(text.replace(old, new))


def test_fec_in_force() -> None:
    """Its line has several names; without it the reading is unknown."""
    text = "FEC parameters for swp1:\nConfigured FEC encodings: Auto\n"
    for name in ("Active FEC encoding", "Active FEC encodings"):
        result = parse_ethtool_fec(f"{text}{name}: Off\n")
        assert result == EthtoolFec("swp1", ("auto",), ("off",))
    with pytest.raises(UnreadableError):
        parse_ethtool_fec(text)


DOWN = "Settings for eth2:\n"
#: Parser, output, value.
SMALL: dict[str, tuple[Any, str, Any]] = {
    "a link that is down has no speed": (
        parse_ethtool,
        f"{DOWN}\tSpeed: Unknown!\n\tAuto-negotiation: off\n\tLink detected: no\n",
        EthtoolLink("eth2", False, None, False),
    ),
    "a link with the reason why it is down": (
        parse_ethtool,
        f"{DOWN}\tLink detected: no (No cable)\n",
        EthtoolLink("eth2", False, None, None),
    ),
    "a virtual device has neither firmware nor a place on the bus": (
        parse_ethtool_driver,
        "driver: veth\nversion: 1.0\nfirmware-version: \nbus-info: \n",
        EthtoolDriver("veth", None, None),
    ),
    "pause of one direction is not that of the other": (
        parse_ethtool_pause,
        "Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\toff\n\n",
        EthtoolPause("eth1", receive=True, transmit=False),
    ),
    "counters by ring, as bnxt_en names them": (
        parse_ethtool_statistics,
        "NIC statistics:\n     [0]: rx_discards: 3\n     [1]: rx_discards: 4\n",
        {"[0]: rx_discards": 3, "[1]: rx_discards": 4},
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_outputs(name: str) -> None:
    """One thing each."""
    parse, text, value = SMALL[name]
    assert parse(text) == value


def test_ports_that_are_missing_are_noticed() -> None:
    """Ibstat says how many there are."""
    text = text_of("ibstat.txt").replace("Number of ports: 1", "Number of ports: 2", 1)
    with pytest.raises(UnreadableError, match="every port of mlx5_1"):
        parse_ibstat(text)


def test_full_link() -> None:
    """Against what the device can do; unknown where the user may not look."""
    assert [device.full_link for device in parse_lspci(text_of("lspci.txt"))] == [
        True,
        False,
        None,
    ]


def test_rdma_link_layers() -> None:
    """Only InfiniBand has LIDs."""
    result = parse_rdma_link(text_of("rdma_link.json"))
    assert [link.infiniband for link in result] == [False, False, True]


def test_traffic_class_without_an_override() -> None:
    """An empty file says so; half a number does not."""
    assert parse_traffic_class("") == TrafficClass()
    assert parse_traffic_class("").dscp is None
    assert parse_traffic_class("Global tclass=106\n").dscp == 26
    for text in ("Global tclass=10", "Global tclass=256\n", "tclass\n", "src_ip=x,tclass=1\n"):
        with pytest.raises(UnreadableError):
            parse_traffic_class(text)


def test_a_second_reader_of_a_name_is_refused() -> None:
    """One registry."""
    with pytest.raises(ValueError, match="registered twice"):
        reads("show_gids", "true")(str)


def test_outputs_that_are_too_large_are_not_read() -> None:
    """The limit is far above what a host prints."""
    with pytest.raises(UnreadableError, match="more than"):
        parse_ibstat("x" * (MAX_CHARACTERS + 1))


@each(
    ("name", "old", "new"),
    [
        ("ibdev2netdev.txt", "mlx5_2 port", "mlx5_1 port"),
        ("rdma_link.json", '"mlx5_2"', '"mlx5_1"'),
        ("rdma_link.json", '"port":1', '"port":true'),
        ("rdma_statistic.json", '"mlx5_2"', '"mlx5_1"'),
        ("rdma_statistic.json", "1200", "-1200"),
        ("rdma_statistic.json", "1200", '"1200"'),
        ("rdma_statistic.json", "np_cnp_sent", "$(id)"),
        ("show_gids.txt", "mlx5_2\t1\t1", "mlx5_2\t1\t0"),
        ("show_gids.txt", "n_gids_found=6", f"n_gids_found={'9' * 5000}"),
        ("gid_files.txt", "mlx5_2/ports/1/gids/1", "mlx5_2/ports/1/gids/0"),
        ("gid_files.txt", "types/1:RoCE v2", "types/1:RoCE v3"),
        ("gid_files.txt", ":fe80:0000", ":fe80:0000:0000"),
        ("gid_files.txt", "ndevs/0:eth1", "ndevs/0:$(id)"),
        ("gid_files.txt", "gid_attrs/ndevs/0", "gid_attrs/owner/0"),
        ("ibstat.txt", "CA 'mlx5_2'", "CA 'mlx5_1'"),
        ("ibstat.txt", "\t\tRate: 400\n", "\t\tRate: 400\n\t\tRate: 200\n"),
        ("lspci.txt", "0000:ca:00.0", "0000:4b:00.0"),
        ("sysfs_pci.txt", "/devices/0000:ca:00.0 ", "/devices/0000:cb:00.0 "),
        ("sysfs_class.txt", "infiniband/mlx5_2", "infiniband/mlx5_9"),
        ("sysfs_class.txt", "/sys/class/net:\n", ""),
        ("hw_counters.txt", "ports/1/hw_counters/out_of", "ports/1/hw_counters/np_cnp_sent:1\n/"),
        ("ethtool_statistics.txt", "rx_prio3_pause: 41", "rx_packets: 41"),
        ("ethtool.txt", "400000Mb/s", "fast"),
        ("ethtool_driver.txt", "0000:4b:00.0", "$(id)"),
        ("dcb_app.json", "[48,6", "[26,6"),
        ("dcb_app.json", "[48,6", "[64,6"),
        ("dcb_app.json", "[48,6", "[48,8"),
        ("dcb_ets.json", '"vendor"', '"magic"'),
        ("dcb_buffer.json", "[65536,", "["),
        ("dcb_pfc.json", "[false,", "[0,"),
        ("ip_addr.json", "10.64.1.2", "10.64.1.256"),
        ("ip_route.json", "10.64.0.0/16", "10.64.0.0/36"),
        ("ip_neigh.json", "0c:42:a1:00:00:01", "0c:42:a1:00:00"),
        ("lldp.json", "su1-leaf1", "$(reboot)"),
        ("lldp.json0.json", "Ethernet1/5", "`id`"),
        ("lldp.json", '"id": {', '"no": {'),
    ],
)
def test_outputs_that_contradict_themselves(name: str, old: str, new: str) -> None:
    """Or hold what the tool never prints: one change, and the reading is unknown."""
    text = text_of(name)
    assert old in text
    with pytest.raises(UnreadableError):
        readers[reading_of(name)].parse(text.replace(old, new, 1))


@pytest.mark.parametrize("name", ["lldp.json", "lldp.json0.json"])
def test_a_description_that_is_no_text_is_left_out(name: str) -> None:
    """It is no name; the neighbour stays."""
    for hostile in (r"to\ngpu001", r"\u001b[31m", "für gpu001"):
        result = readers["lldp"].parse(text_of(name).replace("to gpu001", hostile))
        assert result["eth1"] == (LldpNeighbour("su1-leaf1", "Ethernet1/5", ""),)


def test_a_single_neighbour() -> None:
    """The older form takes away lists of one: the interface is an object."""
    row = json.loads(text_of("lldp.json"))["lldp"]["interface"][0]
    text = json.dumps({"lldp": {"interface": row}})
    assert readers["lldp"].parse(text) == {"eth1": LLDP["eth1"]}
    for nothing in ('{"lldp": {}}', '{"lldp": [{}]}'):
        assert readers["lldp"].parse(nothing) == {}


@pytest.mark.parametrize(
    ("reading", "target", "command"),
    [
        ("show_gids", "", "show_gids"),
        ("mlnx_qos", "eth1", "mlnx_qos -i eth1 -a"),
        ("ibv_devinfo", "mlx5_1", "ibv_devinfo -d mlx5_1"),
        ("lspci", "4B:00.0", "lspci -Dnnvv -s 0000:4b:00.0"),
        ("own_check", "/etc/rocefab", 'sh /etc/rocefab/check.sh; echo "ended with $?"'),
    ],
)
def test_commands(reading: str, target: str, command: str) -> None:
    """With what they are asked for."""
    assert command_of(reading, target) == command


@pytest.mark.parametrize(
    ("reading", "target"),
    [
        ("mlnx_qos", ""),
        ("mlnx_qos", "eth1; reboot"),
        ("mlnx_qos", "-h"),
        ("ibv_devinfo", "$(id)"),
        ("lspci", "4b:00.0 -x"),
        ("own_check", "/tmp/../etc/shadow"),
        ("own_check", "-n"),
        ("show_gids", "mlx5_1"),
    ],
)
def test_commands_with_what_is_no_target(reading: str, target: str) -> None:
    """Nothing unchecked comes into a command line."""
    with pytest.raises(ValueError, match="no"):
        command_of(reading, target)


def test_every_command_can_be_asked() -> None:
    """Each kind of target is known."""
    targets = {"interface": "eth1", "rdma_device": "mlx5_1", "pci_address": "0000:4b:00.0"}
    for name in readers:
        place = re.search(r"\{(\w+)\}", readers[name].command)
        target = targets.get(place[1], "/tmp/dump.xml") if place else ""
        assert "{" not in command_of(name, target)
