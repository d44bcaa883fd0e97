"""Hosts of every network stack and both mlx5 drivers in the lab: apply, drift, boot, way back."""

from __future__ import annotations

import pytest

from fabric.systems.host.lab.kernel import BRIDGE, CONFIGFS
from fabric.workflow.apply import Options, apply
from fabric.workflow.plan import Selection, plan
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
HOST = Selection(switches=False)
HOST_LINE = "host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}"
KERNEL = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  network_stack: networkd
  nic:
    driver: mlx5
    dcqcn_set: connectx
    receive_buffers: {lossy_bytes: 65536, lossless_bytes: 163840}
    pause_storm_ms: 100
  tuning:
    {max_read_request_bytes: 4096, acs: "off", governor: performance, hugepages_1g: 4}
"""
KEYFILES = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  network_stack: netplan-networkmanager
  nic:
    dcqcn_set: hpcc-dcqcn
    receive_buffers: {lossy_bytes: 65536, lossless_bytes: 163840}
    pause_storm_ms: 100
"""
NETWORKD_FILE = "/etc/systemd/network/05-rocefab-eth1.network"
PROFILE = "/etc/NetworkManager/system-connections/rocefab-eth1.nmconnection"
NETPLAN = "/etc/netplan/60-rocefab.yaml"


def run(project, connections, folder):
    """Plan and apply the host alone."""
    made = plan(project, connections, HOST, "rail", labs.silent)
    result = apply(made, folder / "state", connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    return result


def inventory(folder, host):
    """Write the host of the inventory anew."""
    file = folder / "inventory" / "fabric.yaml"
    text = file.read_text()
    start = text.index("host:")
    file.write_text(text[:start] + host + text[text.index("management:") :])
    return Project(folder / "inventory")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch) as (running, _, connections):
        yield running, connections, tmp_path


def nic_state(host):
    """Return addresses, rules, and what the driver holds."""
    link = host.network.state.links["eth1"]
    qos = host.qos["eth1"]
    return {
        "addresses": list(link.addresses),
        "mtu": link.mtu,
        "rules": [(row["src"], row["table"]) for row in host.network.state.rules],
        "routes": sorted(
            (row.get("table", "main"), row["dst"], row.get("gateway", row.get("type", "")))
            for row in host.network.state.routes
        ),
        "pfc": qos.pfc,
        "marks": {dscp: qos.dscp[dscp] for dscp in (26, 48)},
        "tsa": qos.tsa[6],
        "buffers": (qos.buffer_bytes[:2], qos.buffer_of),
        "storm": host.storm_ms,
        "pause": host.pause["eth1"],
    }


WANTED = {
    "addresses": ["10.64.0.2/24"],
    "mtu": 9000,
    "rules": [("10.64.0.2", "100")],
    "routes": [
        ("100", "10.64.0.0/16", "10.64.0.1"),
        ("100", "10.64.0.0/24", ""),
        ("100", "default", "unreachable"),
        ("main", "10.64.0.0/16", "10.64.0.1"),
    ],
    "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
    "marks": {26: 3, 48: 6},
    "tsa": "strict",
    "buffers": ([65536, 163840], [0, 0, 0, 1, 0, 0, 0, 0]),
    "storm": {"eth1": 100},
    "pause": {"rx": "off", "tx": "off"},
}


#: A DCQCN parameter of each driver.
PARAMETERS = {
    NETWORKD_FILE: "/sys/kernel/debug/mlx5/0000:10:00.0/cc_params/rp_time_reset",
    PROFILE: "/sys/class/net/eth1/ecn/roce_rp/rpg_time_reset",
}


def change(host, path, value):
    """Change a file of the driver by hand."""
    assert host.run_detached(f"echo {value} > {path}")[0] == 0


@pytest.mark.parametrize(("text", "path"), [(KERNEL, NETWORKD_FILE), (KEYFILES, PROFILE)])
def test_apply_again_drift_boot_and_way_back(lab, text, path):
    running, connections, folder = lab
    project, host = inventory(folder, text), running[labs.HOST]
    result = run(project, connections, folder)
    assert host.fs.exists(path)
    assert not host.fs.exists(NETPLAN)
    assert nic_state(host) == WANTED
    assert host.link_flaps("eth1") == 1
    assert ("eth1", "10.64.0.2") in host.kernel.announced
    assert plan(project, connections, HOST, "rail", labs.silent).empty
    assert host.run_detached("/etc/rocefab/apply.sh")[0] == 0
    assert host.link_flaps("eth1") == 1  # doing it again takes no link down
    assert host.run_detached("/etc/rocefab/check.sh") == (0, "")

    host.qos["eth1"].set_pfc([0] * 8)
    (found,) = drift(project, connections, HOST, labs.silent)
    assert not found.ok
    assert "eth1 pfc" in str(found)
    code, said = host.run_detached("/etc/rocefab/check.sh")
    assert (code, "eth1: PFC" in said) == (1, True)
    assert "a person or a program by hand" in said

    host.on_reboot()
    assert nic_state(host) == WANTED
    change(host, PARAMETERS[path], "7")
    (found,) = drift(project, connections, HOST, labs.silent)
    assert "eth1 dcqcn" in str(found)
    assert host.run_detached("/etc/rocefab/apply.sh eth1")[0] == 0
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert not host.fs.exists(path)
    assert host.qos["eth1"].pfc == [0] * 8
    assert host.network.state.links["eth1"].addresses == []


def test_what_the_driver_of_the_kernel_and_the_host_are_told(lab):
    running, connections, folder = lab
    run(inventory(folder, KERNEL), connections, folder)
    host = running[labs.HOST]
    address = "0000:10:00.0"

    def value(path):
        return host.fs.read(path).strip()

    assert len(host.qos["eth1"].dscp) == 64
    assert value(f"{CONFIGFS}/mlx5_1/ports/1/default_roce_tos") == "104"
    assert value(f"{CONFIGFS}/mlx5_1/ports/1/default_roce_mode") == "RoCE v2"
    cc_params = f"/sys/kernel/debug/mlx5/{address}/cc_params"
    assert value(f"{cc_params}/rp_time_reset") == "300"
    assert value(f"{cc_params}/np_cnp_dscp") == "48"
    assert host.kernel.registers[address, "CAP_EXP+08.w"] == 0x5936
    assert host.kernel.registers[BRIDGE, "ECAP_ACS+0x6.w"] == 0
    assert value("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor") == "performance"
    assert value("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages") == "4"
    host.on_reboot()
    assert host.kernel.registers[BRIDGE, "ECAP_ACS+0x6.w"] == 0
    assert host.kernel.registers[address, "CAP_EXP+08.w"] == 0x5936
    assert host.sysctl.get("net.ipv4.neigh.eth1.base_reachable_time_ms") == "30000"


def test_another_network_stack_leaves_nothing_behind(lab):
    running, connections, folder = lab
    host = running[labs.HOST]
    run(inventory(folder, KERNEL), connections, folder)
    project = inventory(folder, KEYFILES)
    made = plan(project, connections, HOST, "rail", labs.silent)
    assert f"- {NETWORKD_FILE}" in describe(made)
    result = apply(made, folder / "state", connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    assert not host.fs.exists(NETWORKD_FILE)
    assert host.stacks.active == {"eth1": "rocefab-eth1"}
    assert nic_state(host) == WANTED
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert host.fs.exists(NETWORKD_FILE)
    assert not host.fs.exists(PROFILE)


SUSPECTS = [
    ("lldpad", "lldpad runs"),
    ("firmware", "DCBX is with the firmware"),
    ("hook", "post-start-hook.sh"),
    ("driver", "eth1 was made again since it was set"),
    ("boot", "eth1 was not set since the host started"),
    ("unit", "the unit of eth1 is not enabled"),
]


def test_the_check_names_who_may_have_changed_it(lab):
    running, connections, folder = lab
    run(inventory(folder, KEYFILES), connections, folder)
    host = running[labs.HOST]
    acts = {
        "lldpad": lambda: (
            host.fs.put("/etc/systemd/system/lldpad.service", "[Service]\nType=oneshot\n"),
            host.systemd.active.add("lldpad.service"),
        ),
        "firmware": lambda: host.run_detached("mlnx_qos -i eth1 -d fw"),
        "hook": lambda: host.fs.put("/etc/infiniband/post-start-hook.sh", "#!/bin/sh\n"),
        "driver": host._load_driver,
        "boot": lambda: host.run_detached("rm -rf /run/rocefab"),
        "unit": lambda: host.run_detached("systemctl disable rocefab-nic@eth1.service"),
    }
    host.run_detached("mlnx_qos -i eth1 --trust pcp")
    for name, words in SUSPECTS:
        assert words not in host.run_detached("/etc/rocefab/check.sh")[1]
        acts[name]()
        code, said = host.run_detached("/etc/rocefab/check.sh")
        assert code == 1
        assert words in said, name
