"""RDMA between virtual machines through the leaves and spines of the real lab.

What the product plans, sets and reads of RDMA, judged by the kernel, by perftest and by the wire.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict

import pytest

from fabric.observe import probe_output
from fabric.observe.hostfacts.rdma import parse_hw_counters
from fabric.observe.hostfacts.readings import command_of
from fabric.probe.nics.network import roce_gids
from fabric.probe.reach import commands
from fabric.probe.reach.commands import Marking, ProbeEnd
from tests.reallab.vm.conftest import HOSTS, Virtual

pytestmark = pytest.mark.lab

SERVER = "rocefab-probe-00000001"
#: What a virtio NIC and its driver do not have; everything else is read.
UNREAD = {
    *("lldp", "nvidia_topo", "lspci:0000:00:05.0", "lspci:0000:00:06.0"),
    # not asked for
    *("hw_counters", "rdma_statistic", "ethtool_statistics:eth1", "ethtool_statistics:eth2"),
    *(f"{name}:eth{n}" for n in (1, 2) for name in ("ethtool_fec", "ethtool_pause", "ecn_files")),
    *(f"{name}:eth{n}" for n in (1, 2) for name in ("mlnx_qos", "dcb_pfc")),
    *(f"traffic_class:mlx5_{n}" for n in (1, 2)),
}
DOUBTS = {
    *("speed in bit/s is 2500000000, expected 400000000000", "FEC could not be read"),
    *("the list of PFC priorities could not be read", "the map of DSCPs could not be read"),
    *("pause of the whole link could not be read", "owner of DCBX could not be read"),
}


def end(virtual: Virtual, host: str, interface: str) -> ProbeEnd:
    """One end of a probe, as the product finds it."""
    nic = virtual.nic(host, interface)
    table = tuple(gid for gid in virtual.gids(host) if gid.device == nic.rdma_device)
    (gid,) = roce_gids(table, nic.network)
    return ProbeEnd(nic.address, nic.rdma_device, gid.index, binds=False)


def served(virtual: Virtual, host: str, server: str, source: str, client: str) -> str:
    """Output of a client whose server runs on a host."""
    virtual.run(host, commands.start(server, SERVER))
    try:
        return virtual.run(source, client)
    finally:
        virtual.run(host, commands.stop(SERVER))


def traffic_classes(dump: str) -> dict[str, set[int]]:
    """Traffic class bytes by the address that sent them."""
    seen = defaultdict(set)
    packets = re.findall(r"tos 0x([0-9a-f]+),.*\n +([0-9.]+)\.\d+ > [0-9.]+\.4791:", dump)
    for byte, address in packets:
        seen[address].add(int(byte, 16))
    return dict(seen)


BOTH = pytest.mark.parametrize(
    "virtual", ["demo", "IPv6 beside IPv4 over numbered links"], indirect=True
)


@BOTH
@pytest.mark.parametrize("host", HOSTS)
def test_one_gid_has_each_planned_address(virtual: Virtual, host: str) -> None:
    """Beside those of link-local addresses, and on the planned interface."""
    table = virtual.gids(host)
    pairs = [(nic, own) for nic in virtual.project.hosts[host].nics for own in nic.addresses]
    for nic, own in pairs:
        mine = tuple(gid for gid in table if gid.device == nic.rdma_device)
        (gid,) = roce_gids(mine, own.network)
        assert (gid.ip, gid.interface) == (own.address, nic.interface)
        assert gid.index > 0  # what NCCL takes in silence is the link-local address


def test_writes_cross_the_fabric_with_the_planned_marking(virtual: Virtual) -> None:
    """Between rails of two units: marked at the last leaf, spread over source ports."""
    source, target = virtual.nic("gpu001", "eth2"), virtual.nic("gpu003", "eth1")
    marking = Marking(source.qos.traffic_class_byte, 4096)
    ends = (end(virtual, "gpu001", "eth2"), end(virtual, "gpu003", "eth1"))
    server, client = (
        text.replace("_bw ", "_bw -q 4 -t 4 -u 20 ") for text in commands.bandwidth(*ends, marking)
    )
    texts: list[str] = []
    dump = virtual.on_the_wire(
        target, 600, lambda: texts.append(served(virtual, "gpu003", server, "gpu001", client))
    )
    assert probe_output.bandwidth_gbps(texts[0], commands.MESSAGE_BYTES) > 0
    seen = traffic_classes(dump)
    assert {byte >> 2 for byte in seen[source.address]} == {
        virtual.project.intent.fabric.lossless.roce_dscp
    }
    ports = set(re.findall(rf"{source.address}\.(\d+) > {target.address}\.4791", dump))
    assert len(ports) == 4
    assert set(re.findall(r"ttl (\d+),", dump)) >= {"61"}  # leaf, spine, leaf


def test_counters_move(virtual: Virtual) -> None:
    """Those of the kernel, as our parser reads them."""

    def sent() -> int:
        ports = parse_hw_counters(virtual.run("gpu001", command_of("hw_counters")))
        (mine,) = [port for port in ports if port.device == "mlx5_1"]
        return mine.counters["sent_pkts"]

    before = sent()
    text = served(virtual, "gpu003", *rping(virtual))
    assert probe_output.rping(text) == commands.ROUNDS
    assert sent() >= before + commands.ROUNDS


def rping(virtual: Virtual) -> tuple[str, str, str]:
    """Server, host of the client, client, within the first rail."""
    nics = (virtual.nic("gpu001", "eth1"), virtual.nic("gpu003", "eth1"))
    server, client = commands.rping(*(ProbeEnd(nic.address, nic.rdma_device) for nic in nics))
    return server, "gpu001", client


def set_rdma_cm(byte: int) -> str:
    """Set the traffic class of RDMA-CM by hand."""
    folder = "/sys/kernel/config/rdma_cm/mlx5_1"
    return f"mkdir {folder}; echo {byte} > {folder}/ports/1/default_roce_tos; rmdir {folder}"


def test_marking_of_rdma_cm(virtual: Virtual) -> None:
    """One host marks wrongly: the wire has it and its script says it; the script mends it."""
    target = virtual.nic("gpu003", "eth1")
    source = virtual.nic("gpu001", "eth1")

    def on_the_wire() -> set[int]:
        dump = virtual.on_the_wire(target, 20, lambda: served(virtual, "gpu003", *rping(virtual)))
        return traffic_classes(dump)[source.address]

    virtual.run("gpu001", set_rdma_cm(0))
    try:
        assert on_the_wire() == {0}
        check = virtual.machines.run("gpu001", "sh /etc/rocefab/check.sh")
        assert check.code == 1
        assert "eth1: RDMA-CM traffic class is 0, not 104\n" in check.out
    finally:
        virtual.run("gpu001", "sh /etc/rocefab/apply.sh eth1")
    assert on_the_wire() == {source.qos.traffic_class_byte}


def test_settings_come_back_with_the_rdma_device(virtual: Virtual) -> None:
    """The kernel forgets the marking with the device; the udev rule has it set once more."""
    virtual.run("gpu001", "systemctl start rocefab-nic@eth1.service")
    show = "systemctl show -p ExecMainStartTimestampMonotonic --value rocefab-nic@eth1.service"
    started = virtual.run("gpu001", show)
    virtual.run("gpu001", "rdma link del mlx5_1 && rdma link add mlx5_1 type rxe netdev eth1")
    until_s = time.monotonic() + 60
    while (
        virtual.run("gpu001", show) == started
        or virtual.machines.run("gpu001", "sh /etc/rocefab/check.sh").code
    ):
        assert time.monotonic() < until_s, virtual.run("gpu001", "journalctl -u rocefab-nic@eth1")
        time.sleep(1)


def test_facts_of_a_host_whose_nics_can_little(virtual: Virtual) -> None:
    """All that is there is read and right; what virtio does not have is unknown, and is named."""
    said = virtual.facts("gpu003")
    assert set(said["unread"]) == UNREAD
    deviations = {line.split(": ", 2)[-1] for line in said["deviations"]}
    assert deviations == DOUBTS


@BOTH
def test_probe_runs_every_stage(virtual: Virtual) -> None:
    """Emulated processors are slow: pairs are measured, and told to be too slow."""
    report = virtual.probe("bandwidth")
    assert report["probes"] == len(report["failures"]) == 8
    assert {row["stage"] for row in report["failures"]} == {"bandwidth"}
    measured = [row for row in report["failures"] if row["gbps"]]
    assert measured, [
        row["failure"] for row in report["failures"]
    ]  # on a busy machine a queue pair may give up (timeout 14: 67 ms, seven times)
    for row in measured:
        assert re.fullmatch(r"[0-9.]+ Gb/s, 38[46]\.[0-9] required", row["failure"])
    assert all("the driver has no counter out_of_sequence" in line for line in report["lost"])


def test_probe_finds_rdma_devices_of_wrong_nics(virtual: Virtual) -> None:
    """The devices of a host have changed places: their GIDs are not the planned ones."""
    there, here = ("mlx5_1", "mlx5_2"), ("eth1", "eth2")
    virtual.run("gpu003", _devices(there, here[::-1]))
    try:
        report = virtual.probe("bandwidth")
    finally:
        virtual.run("gpu003", _devices(there, here))
    assert len(report["failures"]) == 8
    for row in report["failures"]:
        ends = (row["source"], row["target"])
        interface = next(name.split()[1] for name in ends if name.startswith("gpu003"))
        address = virtual.nic("gpu003", interface).address
        assert row["failure"] == f"gpu003 {interface} has no RoCEv2 GID with {address}"


def _devices(devices: tuple[str, ...], interfaces: tuple[str, ...]) -> str:
    lines = [f"rdma link del {device}" for device in devices]
    pairs = zip(devices, interfaces, strict=True)
    lines += [f"rdma link add {device} type rxe netdev {name}" for device, name in pairs]
    return " && ".join(lines)
