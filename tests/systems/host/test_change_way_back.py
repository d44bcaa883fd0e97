"""The way back of a host: whole, past a link flap and a boot, and armed until it is done."""

from __future__ import annotations

import copy

import pytest

from fabric.change.session import Session
from fabric.core.errors import DeviceError, RefusedError
from fabric.lab.shell.state import Result
from fabric.systems.host.adapters.settings import restored
from fabric.systems.host.lab.kernel import CONFIGFS
from fabric.workflow.apply import apply
from fabric.workflow.devices import project_connections
from fabric.workflow.plan import plan
from fabric.workflow.rollback import rollback
from tests.change import labs
from tests.cli.runs import process
from tests.systems.host.test_change_stacks_lab import HOST, KERNEL, KEYFILES, OPTIONS, inventory

TOKEN = "rocefab-run-1-1-aa"
NETPLAN = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  nic:
    dcqcn_set: connectx
    receive_buffers: {lossy_bytes: 65536, lossless_bytes: 163840}
    pause_storm_ms: 100
  tuning:
    {max_read_request_bytes: 4096, acs: "off", governor: performance, hugepages_1g: 4}
"""
STACKS = {"netplan": NETPLAN, "networkd": KERNEL, "networkmanager": KEYFILES}
#: Folders whose files are settings.
TREES = ("etc/netplan", "etc/systemd", "etc/NetworkManager", "etc/sysctl.d", "etc/udev", "run")
KERNEL_FILES = ("sys/kernel/mm", "sys/kernel/debug", "sys/devices/system", "sys/class/net")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch) as (running, _, connections):
        host = running[labs.HOST]
        host.run_detached("modprobe rdma_cm")
        yield host, connections, tmp_path


def everything(host):
    """Return all that an apply could have touched, as it runs."""
    state, qos = host.network.state, host.qos["eth1"]
    top = host.fs.top
    files = {
        str(path.relative_to(top)): path.read_text()
        for tree in (*TREES, *KERNEL_FILES, f"{CONFIGFS[1:]}/mlx5_1")
        for path in sorted((top / tree).rglob("*"))
        if path.is_file() and path.name not in {"ifindex", "rocefab.guard", "guard"}
    }
    links = [str(path) for tree in TREES for path in (top / tree).rglob("*") if path.is_symlink()]
    return copy.deepcopy({
        "files": files,
        "links": links,
        "wants": list((top / "etc/systemd/system").glob("*.wants")),
        "scripts": (top / "etc/rocefab").exists(),
        "sysctl": host.sysctl.values,
        "addresses": [
            (link.name, link.mtu, tuple(link.addresses)) for link in state.links.values()
        ],
        "routes": sorted(str(sorted(row.items())) for row in state.routes),
        "rules": state.rules,
        "neighbours": state.neighbours,
        "pfc": (qos.pfc, qos.cable_m, qos.prio_tc, qos.tsa, qos.bandwidth, qos.trust, qos.dscp),
        "buffers": (qos.buffer_bytes, qos.buffer_of),
        "storm": {name: value for name, value in host.storm_ms.items() if value},
        "pause": host.pause,
        "registers": host.kernel.registers,
    })


def unconfirmed(project, connections):
    """Change the host with a net, as a run does that dies before it confirms."""
    made = plan(project, connections, HOST, "rail", labs.silent)
    session = Session(made.devices[labs.HOST], project_connections(project, connections))
    draft = session.draft(session.unchanged())
    session.driver.stage(draft.candidate, TOKEN)
    session.driver.commit(draft.candidate, TOKEN, 600)
    return session


def break_netplan(host, monkeypatch):
    monkeypatch.setitem(host.tools, "netplan", lambda *_: Result("", "netplan: broken\n", 1))


def check_failure(session):
    with pytest.raises(RefusedError, match=r"rollback failed: netplan apply.*timer is armed"):
        session.driver.rollback(TOKEN)


@pytest.mark.parametrize("stack", STACKS)
def test_a_first_apply_leaves_nothing_behind(lab, stack):
    host, connections, folder = lab
    before = everything(host)
    project = inventory(folder, STACKS[stack])
    made = plan(project, connections, HOST, "rail", labs.silent)
    result = apply(made, folder / "state", connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    assert host.sysctl.get("net.ipv4.conf.eth1.arp_ignore") == "1"
    assert host.fs.read(f"{CONFIGFS}/mlx5_1/ports/1/default_roce_tos") == "104\n"
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert everything(host) == before
    host.run_detached("ip link set dev eth1 down")
    host.run_detached("ip link set dev eth1 up")
    host.stacks.restart()
    assert everything(host) == before


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.fault(4)
def test_the_net_brings_back_the_same(lab, stack):
    host, connections, folder = lab
    before = everything(host)
    unconfirmed(inventory(folder, STACKS[stack]), connections).close()
    assert everything(host) != before
    host.systemd.expire()
    host.run_detached("ip link set dev eth1 down")
    host.run_detached("ip link set dev eth1 up")
    assert everything(host) == before
    assert not host.systemd.jobs


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.fault(3)
def test_a_boot_takes_an_unconfirmed_change_back(lab, stack):
    host, connections, folder = lab
    host.on_reboot()
    host.run_detached("modprobe rdma_cm")
    before = everything(host)
    unconfirmed(inventory(folder, STACKS[stack]), connections).close()
    host.on_reboot()
    host.run_detached("modprobe rdma_cm")
    assert everything(host) == before
    assert not host.systemd.jobs


def test_a_confirmed_change_is_there_after_a_boot(lab):
    host, connections, folder = lab
    project = inventory(folder, NETPLAN)
    made = plan(project, connections, HOST, "rail", labs.silent)
    assert apply(made, folder / "state", connections, OPTIONS, labs.silent).ok
    assert not [name for name in host.fs.listing("/etc/systemd/system") if "run" in name]
    host.on_reboot()
    assert plan(project, connections, HOST, "rail", labs.silent).empty


def test_what_waits_after_a_boot_is_no_plan(lab, monkeypatch):
    host, connections, folder = lab
    unconfirmed(inventory(folder, NETPLAN), connections).close()
    break_netplan(host, monkeypatch)
    host.on_reboot()
    words = ("plan", folder / "inventory", "--connections", connections, "--no-switches")
    done = process(*words, "--out", folder / "plan.json", ROCEFAB_PASSWORD="lab-password")
    assert done.code == 3, done.said
    assert f"an unconfirmed change is pending on it: {TOKEN}" in done.said


@pytest.mark.fault(26)
def test_a_way_back_that_fails_stays_armed(lab, monkeypatch):
    host, connections, folder = lab
    before = everything(host)
    session = unconfirmed(inventory(folder, NETPLAN), connections)
    with monkeypatch.context() as broken:
        break_netplan(host, broken)
        check_failure(session)
    assert session.driver.pending(TOKEN)
    assert session.driver.foreign_sessions() == [TOKEN]
    host.systemd.expire()
    assert everything(host) == before
    assert session.driver.foreign_sessions() == []
    with pytest.raises(DeviceError, match="already run out"):
        session.driver.confirm(TOKEN)
    session.close()


@pytest.mark.fault(4)
def test_reloads_of_systemd_do_not_defer_the_way_back(lab):
    """Each begins `OnActiveSec` again; package managers and agents ask for them all the time."""
    host, connections, folder = lab
    before = everything(host)
    unconfirmed(inventory(folder, NETPLAN), connections).close()
    for _ in range(3):
        host.clock.advance(150)
        host.run_detached("systemctl daemon-reload")
        assert host.systemd.jobs
    host.clock.advance(160)
    assert not host.systemd.jobs
    assert everything(host) == before


def test_the_way_back_leaves_the_lock_of_the_host(lab):
    """It is in the folder of the marks that `apply.sh` makes."""
    host, connections, folder = lab
    unconfirmed(inventory(folder, NETPLAN), connections).close()
    host.fs.put("/run/rocefab/token", "of-a-run\n")
    assert host.fs.exists("/run/rocefab/eth1")
    host.systemd.expire()
    assert host.fs.listing("/run/rocefab") == ["token"]


def test_a_script_that_runs_is_replaced_and_not_written_over(lab):
    """After a boot units run `apply.sh` while `undo.sh` restores the old one."""
    host, connections, folder = lab
    session = unconfirmed(inventory(folder, NETPLAN), connections)
    session.driver.confirm(TOKEN)
    session.close()
    unconfirmed(inventory(folder, NETPLAN.replace("100", "200")), connections).close()
    place = host.fs.top / "etc/rocefab/apply.sh"
    with place.open() as running:
        new = place.read_text()
        host.systemd.expire()
        assert place.read_text() != new
        assert running.read() == new
        assert not [name for name in host.fs.listing("/etc/rocefab") if name.endswith(".part")]


def test_routes_come_back_as_those_of_who_made_them():
    """The kernel keeps a route of networkd and one that `ip` made side by side."""
    line = "unreachable default metric 2147483647 proto static"
    commands = list(restored({"routes:eth1/100": [line]}, {"routes:eth1/100": ["10.64.0.0/24"]}))
    assert commands[-1] == f"ip route replace {line} table 100 || true"
