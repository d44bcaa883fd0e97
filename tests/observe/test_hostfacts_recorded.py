"""Recorded outputs of hosts, where the reference data is: each is read, or there is a reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.dcb import DcbBuffer, DcbEts, DcbPfc
from fabric.observe.hostfacts.gids import Gid
from fabric.observe.hostfacts.ibstat import IbDevice, IbPort, RdmaNetdev
from fabric.observe.hostfacts.mlxconfig import NvConfig, NvValue, parse_mlxconfig
from fabric.observe.hostfacts.nccl import (
    NcclChannel,
    NcclCpu,
    NcclGpu,
    NcclGraph,
    NcclNet,
    NcclNvlink,
    NcclPci,
    NcclTopology,
)
from fabric.observe.hostfacts.nvidia_smi import Gpu, GpuTopology, NvidiaSmi, parse_nvidia_topo
from fabric.observe.hostfacts.ofed import TrafficClass
from fabric.observe.hostfacts.sysfs import DevicePlaces, PciPlace
from fabric.observe.parsers import UnreadableError
from tests.observe.test_fixtures import QOS, recorded

FOLDER = Path(os.environ.get("ROCEFAB_REFERENCE", Path(__file__).parents[3] / "shared"))
HOST = FOLDER / "fixtures" / "host"
ON_3 = tuple(number == 3 for number in range(8))
ZEROS = (0,) * 8
ETS = DcbEts(False, ("ets",) * 6 + ("strict",) * 2, (10, 0, 0, 90, 0, 0, 0, 0), tuple(range(8)))
BUFFER = DcbBuffer((0, 0, 0, 3, 0, 0, 0, 0), (90112, 0, 0, 171904, 0, 0, 0, 0), 262016)
DSCPS = {0: 0, 24: 3, 26: 3, 48: 6}
PFC = DcbPfc(ON_3, 7, 8)


def _pairs(device: str, interface: str, local: str, mapped: str, address: str) -> tuple[Gid, ...]:
    prefix = "fe80:0000:0000:0000:"
    ipv4 = f"0000:0000:0000:0000:0000:ffff:{mapped}"
    return (
        Gid(device, 1, 0, prefix + local, "", "v1", interface),
        Gid(device, 1, 1, prefix + local, "", "v2", interface),
        Gid(device, 1, 2, ipv4, address, "v1", interface),
        Gid(device, 1, 3, ipv4, address, "v2", interface),
    )


def _a100() -> tuple[Gid, ...]:
    macs = ["cc:c920", "cc:c921", "6c:51d2", "6c:51d3", "33:1366", "33:1367", "6c:68ae", "6c:68af"]
    rows = _pairs("mlx5_0", "eth0", "f820:20ff:fe28:c769", "0a00:3c03", "10.0.60.3")
    for number, mac in enumerate(macs):
        host = 2 + 32 * number  # the subnets are /27, each begins with its host 2
        rows += _pairs(
            f"mlx5_{number + 1}",
            f"eth{number + 1}",
            f"eaeb:d3ff:fe{mac}",
            f"190b:80{host:02x}",
            f"25.11.128.{host}",
        )
    return rows


def _ca(model: str, firmware: str, node: str, *port: Any) -> tuple[IbDevice, ...]:
    return (IbDevice("mlx5_0", "CA", model, firmware, node, (IbPort(1, *port),)),)


def _a100_gpus() -> NvidiaSmi:
    buses = "53 59 6e 73 8d 92 c9 cf".split()
    gpus = [Gpu(i, "NVIDIA A100-SXM...", f"0000:{bus}:00.0", 81251) for i, bus in enumerate(buses)]
    return NvidiaSmi("470.141.03", "11.4", tuple(gpus))


COUNTERS = {
    **dict.fromkeys("duplicate_request implied_nak_seq_err local_ack_timeout_err".split(), 0),
    "np_cnp_sent": 1052612505,
    "np_ecn_marked_roce_packets": 21278189006,
    "out_of_buffer": 0,
    "out_of_sequence": 1811101,
    **dict.fromkeys("packet_seq_err req_cqe_error req_cqe_flush_error".split(), 0),
    **dict.fromkeys("req_remote_access_errors req_remote_invalid_request".split(), 0),
    "resp_cqe_error": 3293504,
    "resp_cqe_flush_error": 3211234,
    **dict.fromkeys("resp_local_length_error resp_remote_access_errors".split(), 0),
    **dict.fromkeys("rnr_nak_retry_err roce_adp_retrans roce_adp_retrans_to".split(), 0),
    **dict.fromkeys("roce_slow_restart roce_slow_restart_cnps".split(), 0),
    **dict.fromkeys("roce_slow_restart_trans rp_cnp_handled rp_cnp_ignored".split(), 0),
    **dict.fromkeys("rx_atomic_requests rx_dct_connect rx_icrc_encapsulated".split(), 0),
    **dict.fromkeys("rx_read_requests".split(), 0),
    "rx_write_requests": 2402134794,
}
NV_NUMBERS = {
    "NUM_OF_VFS": 0,
    "ROCE_CC_PRIO_MASK_P1": 255,
    "ROCE_CC_PRIO_MASK_P2": 255,
    "RPG_TIME_RESET_P1": 300,
    "RPG_BYTE_RESET_P1": 32767,
    "RPG_THRESHOLD_P1": 1,
    "RPG_MAX_RATE_P1": 0,
    "RPG_AI_RATE_P1": 5,
    "RPG_HAI_RATE_P1": 50,
    "RPG_GD_P1": 11,
    "RPG_MIN_DEC_FAC_P1": 50,
    "RPG_MIN_RATE_P1": 1,
    "RATE_TO_SET_ON_FIRST_CNP_P1": 0,
    "DCE_TCP_G_P1": 1019,
    "DCE_TCP_RTT_P1": 1,
    "RATE_REDUCE_MONITOR_PERIOD_P1": 4,
    "INITIAL_ALPHA_VALUE_P1": 1023,
    "MIN_TIME_BETWEEN_CNPS_P1": 4,
    "CNP_802P_PRIO_P1": 6,
    "CNP_DSCP_P1": 48,
    "ROCE_RTT_RESP_DSCP_P1": 0,
    "NUM_OF_PFC_P1": 8,
}
NV_WORDS = {
    **dict.fromkeys("SRIOV_EN RDMA_SELECTIVE_REPEAT_EN".split(), ("False", 0)),
    **dict.fromkeys("CLAMP_TGT_RATE_P1 LLDP_NB_DCBX_P1 ATS_ENABLED".split(), ("False", 0)),
    "ADVANCED_PCI_SETTINGS": ("False", 0),
    **dict.fromkeys("ROCE_CC_LEGACY_DCQCN CLAMP_TGT_RATE_AFTER_TIME_INC_P1".split(), ("True", 1)),
    **dict.fromkeys("DCBX_IEEE_P1 DCBX_CEE_P1 DCBX_WILLING_P1".split(), ("True", 1)),
    **dict.fromkeys("LLDP_NB_RX_MODE_P1 LLDP_NB_TX_MODE_P1".split(), ("OFF", 0)),
    "ROCE_RTT_RESP_DSCP_MODE_P1": ("DEVICE_DEFAULT", 0),
    "NUM_OF_TC_P1": ("_8_TCs", 0),
    "ROCE_CONTROL": ("ROCE_ENABLE", 2),
    "PCI_WR_ORDERING": ("per_mkey", 0),
}
NV_CONFIG = NvConfig(
    "4b:00.0",
    "ConnectX6DX",
    {name: NvValue(str(value), value) for name, value in NV_NUMBERS.items()}
    | {name: NvValue(*value) for name, value in NV_WORDS.items()},
)

#: File -> reading, and what a person reads in the file.
CASES: dict[str, tuple[str, Any]] = {
    "dcb.simulated.app-numeric.txt": ("dcb_app_text", DSCPS),
    "dcb.simulated.app.txt": ("dcb_app_text", DSCPS),
    "dcb.simulated.app.json": ("dcb_app", DSCPS),
    "dcb.simulated.buffer.json": ("dcb_buffer", BUFFER),
    "dcb.simulated.buffer.txt": ("dcb_buffer_text", BUFFER),
    "dcb.simulated.dcbx.json": ("dcb_dcbx", {"host", "ieee"}),
    "dcb.simulated.ets.json": ("dcb_ets", ETS),
    "dcb.simulated.ets.txt": ("dcb_ets_text", ETS),
    "dcb.simulated.maxrate.json": ("dcb_maxrate", (0, 0, 0, 0, 0, 0, 10_000_000, 0)),
    "dcb.simulated.pfc.json": ("dcb_pfc", PFC),
    "dcb.simulated.pfc.txt": ("dcb_pfc_text", PFC),
    "dcb.simulated.pfc-stats.json": (
        "dcb_pfc",
        DcbPfc(ON_3, 7, 8, (0, 0, 0, 1290418, 0, 0, 0, 0), (0, 0, 0, 41927, 0, 0, 0, 0)),
    ),
    "ibdev2netdev.host-one-down.txt": (
        "ibdev2netdev",
        (
            RdmaNetdev("mlx5_0", 1, "enp94s0f0np0", up=False),
            RdmaNetdev("mlx5_1", 1, "enp94s0f1np1", up=True),
        ),
    ),
    "ibdev2netdev.in-pod-8rail.txt": (
        "ibdev2netdev",
        tuple(RdmaNetdev(f"mlx5_{rail}", 1, f"net{rail + 1}", up=True) for rail in range(8)),
    ),
    "ibstat.cx6-infiniband.txt": (
        "ibstat",
        _ca(
            "MT4123",
            "20.31.1014",
            "0xb83fd203005682a2",
            "Active",
            "LinkUp",
            200_000_000_000,
            "InfiniBand",
            12,
            5,
            "0xb83fd203005682a2",
        ),
    ),
    "ibstat.cx7-roce-400g.txt": (
        "ibstat",
        _ca(
            "MT4129",
            "28.39.1002",
            "0xa088c20300e3142a",
            "Active",
            "LinkUp",
            400_000_000_000,
            "Ethernet",
            0,
            0,
            "0xa288c2fffee3142a",
        ),
    ),
    "ibstat.cx7-roce-down.txt": (
        "ibstat",
        _ca(
            "MT4129",
            "28.42.1000",
            "0x946dae030038817e",
            "Down",
            "Disabled",
            40_000_000_000,
            "Ethernet",
            0,
            0,
            "0x966daefffe38817e",
        ),
    ),
    **{f"mlnx_qos.{name}.txt": ("mlnx_qos", qos) for name, qos in QOS.items()},
    "mstconfig.cx6dx.query-excerpt.txt": ("mlxconfig", (NV_CONFIG,)),
    "nvidia-smi.a100-8gpu.txt": ("nvidia_smi", _a100_gpus()),
    "show_counters.mlx5_bond_0.txt": ("show_counters", {1: COUNTERS}),
    "show_gids.a100-8xroce.spaces.txt": ("show_gids", _a100()),
    "show_gids.cx5-single-ipv4.txt": (
        "show_gids",
        (
            *_pairs("mlx5_0", "mce0", "9640:c9ff:fe8c:a09c", "c0a8:0684", "192.168.6.132"),
            Gid("mlx5_1", 1, 0, "fe80:0000:0000:0000:9440:c9ff:ff8c:a09d", "", "v1", ""),
        ),
    ),
    "show_gids.tabs.empty-in-pod.txt": ("show_gids", ()),
    "show_gids.tabs.in-pod-net1.txt": (
        "show_gids",
        _pairs("mlx5_3", "net1", "0cb0:10ff:fe34:0aad", "c0a8:0a02", "192.168.10.2"),
    ),
    "show_gids.tabs.mixed-vendor-v4-at-index1.txt": (
        "show_gids",
        (
            Gid("hrn3_bond_0", 1, 0, "fe80:0000:0000:0000:aedc:caff:fe6c:9312", "", "v2", "bond0"),
            Gid(
                "hrn3_bond_0",
                1,
                1,
                "0000:0000:0000:0000:0000:ffff:1b69:b403",
                "27.105.180.3",
                "v2",
                "bond0",
            ),
            *_pairs("mlx5_bond_0", "bond1", "0ac0:ebff:fe8c:3b44", "", "")[:2],
        ),
    ),
    "show_gids.tabs.single.txt": (
        "show_gids",
        _pairs("mlx5_0", "rdma0", "0ac0:ebff:fe21:03da", "c0a8:d3f2", "192.168.211.242"),
    ),
    "traffic_class.global-106.txt": ("traffic_class", TrafficClass(106)),
    "h200x8-vm/sysfs.txt": (
        "sysfs_pci",
        tuple(
            PciPlace(f"0000:00:{slot:02x}.0", kind, vendor, None, ())
            for slot, (kind, vendor) in enumerate([
                ("060000", "8086"),
                *[("018000", "1af4")] * 2,
                ("020000", "1af4"),
                *[("ffff00", "1af4")] * 2,
                *[("030200", "10de")] * 8,
            ])
        ),
    ),
}
#: Files with tests of their own below.
APART = {
    "nvidia-smi-topo-m.h100-8gpu-8nic-paired.txt",
    "nvidia-smi-topo-m.h100-8gpu-9nic-reversed.gpu-rows.txt",
    "h200x8-vm/nccl-topo.xml",
    "h200x8-vm/nccl-graph.xml",
    "h200x8-vm/nvidia-smi.txt",
    "h200x8-vm/pci.txt",
}
#: File -> why no reading takes it.
NOT_READ = {
    "dcb.simulated.maxrate.txt": "this version of dcb shows 10 Gbit/s as 80Mbit: a wrong rate",
    "SOURCES.md": "says where the others are from",
}


def test_each_file_is_read_or_has_a_reason() -> None:
    """Also those that come later."""
    if not HOST.is_dir():
        pytest.skip(f"no recorded outputs in {FOLDER}; set ROCEFAB_REFERENCE to the reference data")
    files = {str(path.relative_to(HOST)) for path in HOST.rglob("*") if path.is_file()}
    assert files == set(CASES) | APART | set(NOT_READ)


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    """All of them, against what a person reads in the file."""
    reading, expected = CASES[name]
    assert readers[reading].parse(recorded(f"host/{name}")) == expected


def test_infiniband_and_roce() -> None:
    """The link layer tells them apart."""
    kinds = [
        readers["ibstat"].parse(recorded(f"host/ibstat.{name}.txt"))[0].ports[0].infiniband
        for name in ("cx6-infiniband", "cx7-roce-400g", "cx7-roce-down")
    ]
    assert kinds == [True, False, False]


def test_one_column_of_mstconfig_says_nothing_about_the_present() -> None:
    """Unknown is not empty."""
    (config,) = parse_mlxconfig(recorded("host/mstconfig.cx6dx.query-excerpt.txt"))
    assert config.pending is None
    assert len(config.next_boot) == 39


def test_topology_of_pairs() -> None:
    """NIC k is at GPU k; the halves are two sockets."""
    result = parse_nvidia_topo(recorded("host/nvidia-smi-topo-m.h100-8gpu-8nic-paired.txt"))
    for gpu in range(8):
        expected = {
            f"mlx5_{nic}": "PIX" if nic == gpu else "NODE" if nic // 4 == gpu // 4 else "SYS"
            for nic in range(8)
        }
        assert result.affinity(f"GPU{gpu}") == expected
        assert result.nearest(f"GPU{gpu}") == (f"mlx5_{gpu}",)
        assert {result.links[f"GPU{gpu}", f"GPU{peer}"] for peer in range(8) if peer != gpu} == {
            "NV18"
        }
        assert result.numa_node[f"GPU{gpu}"] == gpu // 4
        cpus = "0-47,96-143" if gpu < 4 else "48-95,144-191"
        assert result.cpu_affinity[f"GPU{gpu}"] == cpus
    assert result.links["NIC0", "NIC3"] == "NODE"
    assert result.links["NIC0", "NIC4"] == "SYS"


def test_topology_with_nics_in_reverse_and_without_their_rows() -> None:
    """No legend: columns are known, devices are not."""
    result = parse_nvidia_topo(
        recorded("host/nvidia-smi-topo-m.h100-8gpu-9nic-reversed.gpu-rows.txt")
    )
    for gpu in range(8):
        near = range(5, 9) if gpu < 4 else range(1, 5)
        row = [result.links[f"GPU{gpu}", f"NIC{nic}"] for nic in range(9)]
        expected = ["NODE" if nic in near else "SYS" for nic in range(9)]
        expected[8 - gpu] = "PIX"
        assert row == expected
        assert result.links[f"NIC{8 - gpu}", f"GPU{gpu}"] == "PIX"
    assert result.nic_devices == {}
    assert result.nearest("GPU0") == ()


def _virtual() -> list[str]:
    """Return the five outputs of which the file of the virtual machine is made."""
    lines = recorded("host/h200x8-vm/nvidia-smi.txt").splitlines(keepends=True)
    starts = [0, *(n for n, line in enumerate(lines) if "\x1b[4mGPU0" in line)]
    starts.append(next(n for n, line in enumerate(lines) if "NVSMI LOG" in line))
    ends = [*starts[1:], len(lines)]
    return ["".join(lines[a:b]) for a, b in zip(starts, ends, strict=True)]


def test_virtual_machine_gpus() -> None:
    """Eight H200."""
    result = readers["nvidia_smi"].parse(_virtual()[0])
    gpus = [Gpu(i, "NVIDIA H200", f"0000:00:{6 + i:02x}.0", 143771) for i in range(8)]
    assert result == NvidiaSmi("580.159.04", "13.0", tuple(gpus))


@pytest.mark.parametrize(("part", "link"), [(1, "NV18"), (2, "PHB")])
def test_virtual_machine_topology(part: int, link: str) -> None:
    """With NVLink and without (``-mp``); underlined header, no NICs."""
    gpus = tuple(f"GPU{number}" for number in range(8))
    links = {(a, b): "X" if a == b else link for a in gpus for b in gpus}
    result = parse_nvidia_topo(_virtual()[part])
    assert result == GpuTopology(
        gpus, (), links, {}, dict.fromkeys(gpus, "0-127"), dict.fromkeys(gpus, 0)
    )


@pytest.mark.parametrize(
    ("part", "reading", "reason"),
    [
        (3, "nvidia_topo", "cannot be 'OK'"),  # topo -p2p: whether peers can, not how near
        (4, "nvidia_smi_query", "did not print every GPU"),  # cut in the first of eight
    ],
)
def test_virtual_machine_parts_that_are_unreadable(part: int, reading: str, reason: str) -> None:
    """They are something else, or cut."""
    with pytest.raises(UnreadableError, match=reason):
        readers[reading].parse(_virtual()[part])


def test_virtual_machine_places() -> None:
    """The listing stands between the outputs of lspci (missing), numactl and lscpu."""
    whole = recorded("host/h200x8-vm/pci.txt")
    with pytest.raises(UnreadableError):
        readers["sysfs_class"].parse(whole)
    listing = whole[whole.index("/sys/class/infiniband:") : whole.index("available:")]
    assert readers["sysfs_class"].parse(listing) == DevicePlaces(
        {}, {"eth0": "0000:00:03.0", "ifb0": None, "ifb1": None, "lo": None}
    )


def test_nccl_topology() -> None:
    """Eight GPUs on one flat bus, one network without a place."""
    links = (NcclNvlink(None, 18),)
    devices = tuple(
        NcclPci(
            f"0000:00:{6 + gpu:02x}.0",
            "0x030200",
            "32.0 GT/s PCIe",
            None,
            NcclGpu(gpu, 90, gpu, gpudirect=True, nvlinks=links),
            (),
            (),
        )
        for gpu in range(8)
    )
    net = NcclNet("eth0", 0, 10_000_000_000, 0, 0, gpudirect=False)
    cpu = NcclCpu(None, 0x163359E3FB8E9729, "x86_64", "GenuineIntel", devices, (net,))
    result = readers["nccl_topology"].parse(recorded("host/h200x8-vm/nccl-topo.xml"))
    assert result == NcclTopology((cpu,))


def test_nccl_graphs() -> None:
    """Ring and balanced tree of twelve channels over NVLink; three that were not found."""
    hops = tuple(("gpu", gpu) for gpu in range(8))
    channels = (NcclChannel(hops),) * 12
    result = readers["nccl_graph"].parse(recorded("host/h200x8-vm/nccl-graph.xml"))
    by_identity = {graph.identity: graph for graph in result}
    assert by_identity == {
        0: NcclGraph(0, 4, 0, 30.0, 30.0, "NVL", "PIX", True, channels),
        1: NcclGraph(1, 1, 0, 30.0, 30.0, "NVL", "PIX", True, channels),
        **{
            identity: NcclGraph(identity, pattern, 0, 0.0, 0.0, "LOC", "LOC", False, ())
            for identity, pattern in ((2, 3), (3, 5), (4, 6))
        },
    }
