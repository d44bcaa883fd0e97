"""Recorded outputs of hosts, where the reference data is: each is read, or there is a reason."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.dcb import DcbBuffer, DcbEts, DcbPfc
from fabric.observe.hostfacts.gids import Gid
from fabric.observe.hostfacts.ibstat import IbDevice, IbPort, RdmaNetdev
from fabric.observe.hostfacts.nvidia_smi import GpuTopology, parse_nvidia_topo
from fabric.observe.hostfacts.ofed import TrafficClass
from fabric.observe.hostfacts.sysfs import DevicePlaces, PciPlace
from fabric.observe.parsers import UnreadableError
from tests.observe.test_fixtures import QOS, recorded
from tests.systems.outputs import recordings

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


#: File -> reading, and what a person reads in the file.
CASES: dict[str, tuple[str, Any]] = {
    "dcb.simulated.app.json": ("dcb_app", DSCPS),
    "dcb.simulated.buffer.json": ("dcb_buffer", BUFFER),
    "dcb.simulated.dcbx.json": ("dcb_dcbx", {"host", "ieee"}),
    "dcb.simulated.ets.json": ("dcb_ets", ETS),
    "dcb.simulated.pfc.json": ("dcb_pfc", PFC),
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
    "h200x8-vm/nvidia-smi.txt",
    "h200x8-vm/pci.txt",
}
#: File -> why no reading takes it.
NOT_READ = {
    **dict.fromkeys(
        (f"dcb.simulated.{kind}.txt" for kind in ("app-numeric", "app", "buffer", "ets", "pfc")),
        "dcb is asked for JSON",
    ),
    **dict.fromkeys(
        (
            *("dcb.simulated.maxrate.json", "dcb.simulated.maxrate.txt"),
            *("h200x8-vm/nccl-graph.xml", "h200x8-vm/nccl-topo.xml"),
            *("mstconfig.cx6dx.query-excerpt.txt", "nvidia-smi.a100-8gpu.txt"),
            "show_counters.mlx5_bond_0.txt",
        ),
        "no command needs it",
    ),
    "SOURCES.md": "says where the others are from",
}


def test_each_file_is_read_or_has_a_reason() -> None:
    """Also those that come later."""
    assert recordings("host") == set(CASES) | APART | set(NOT_READ)


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


def test_topology_of_pairs() -> None:
    """NIC k is at GPU k; the halves are two sockets."""
    result = parse_nvidia_topo(recorded("host/nvidia-smi-topo-m.h100-8gpu-8nic-paired.txt"))
    for gpu in range(8):
        expected = {
            f"mlx5_{nic}": "PIX" if nic == gpu else "NODE" if nic // 4 == gpu // 4 else "SYS"
            for nic in range(8)
        }
        assert result.affinity(f"GPU{gpu}") == expected
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


def _virtual() -> list[str]:
    """Return the five outputs of which the file of the virtual machine is made."""
    lines = recorded("host/h200x8-vm/nvidia-smi.txt").splitlines(keepends=True)
    starts = [0, *(n for n, line in enumerate(lines) if "\x1b[4mGPU0" in line)]
    starts.append(next(n for n, line in enumerate(lines) if "NVSMI LOG" in line))
    ends = [*starts[1:], len(lines)]
    return ["".join(lines[a:b]) for a, b in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(("part", "link"), [(1, "NV18"), (2, "PHB")])
def test_virtual_machine_topology(part: int, link: str) -> None:
    """With NVLink and without (``-mp``); underlined header, no NICs."""
    gpus = tuple(f"GPU{number}" for number in range(8))
    links = {(a, b): "X" if a == b else link for a in gpus for b in gpus}
    result = parse_nvidia_topo(_virtual()[part])
    assert result == GpuTopology(
        gpus, (), links, {}, dict.fromkeys(gpus, "0-127"), dict.fromkeys(gpus, 0)
    )


def test_whether_peers_can_is_not_how_near_they_are() -> None:
    """``topo -p2p`` prints another matrix."""
    with pytest.raises(UnreadableError, match="cannot be 'OK'"):
        parse_nvidia_topo(_virtual()[3])


def test_virtual_machine_places() -> None:
    """The listing stands between the outputs of lspci (missing), numactl and lscpu."""
    whole = recorded("host/h200x8-vm/pci.txt")
    with pytest.raises(UnreadableError):
        readers["sysfs_class"].parse(whole)
    listing = whole[whole.index("/sys/class/infiniband:") : whole.index("available:")]
    assert readers["sysfs_class"].parse(listing) == DevicePlaces(
        {}, {"eth0": "0000:00:03.0", "ifb0": None, "ifb1": None, "lo": None}
    )
