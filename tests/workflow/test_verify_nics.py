"""verify and drift look at every NIC: faults of a host in the lab, and what is said of them."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace
from uuid import UUID

import pytest

from fabric.lab.faults import Fault
from fabric.workflow import verify as module
from fabric.workflow.nics import rails
from fabric.workflow.verify import Health, Selection, drift, verify
from tests.cli.runs import run
from tests.workflow.host_lab import DEMO, applied_lab, silent

HOSTS = Selection(switches=False)
ONE = Selection(switches=False, only="gpu001")


TCLASS = "/sys/class/infiniband/mlx5_1/tc/1/traffic_class"
STRICT = "net.ipv4.conf.{}.rp_filter=1"
#: Faults after which something is not known, in place of wrong.
DOUBTS = {"cable out": {"lldp"}, "script": {"H17"}}
SCRIPTS = ("etc/rocefab/check.sh", "etc/rocefab/apply.sh")
UNREAD = {
    "ethtool": {"H0", "H4"},
    "ibv_devinfo": {"H9"},
    "sysctl": {"H11", "H12"},
}
PROJECT = SimpleNamespace(devices={}, hosts={})


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        applied_lab(tmp_path_factory.mktemp("lab"), monkeypatch) as built,
    ):
        yield built


def told(health):
    return {(item.subject, item.item, item.unknown) for item in health.deviations}


def test_hosts_as_planned_have_nothing_to_say(setting):
    _, project, connections = setting
    for look in (drift, verify):
        result = look(project, connections, HOSTS, silent)
        assert [item.device for item in result] == ["gpu001", "gpu002", "gpu003", "gpu004"]
        assert all(item.ok for item in result), [told(item) for item in result]


def qos(line):
    return lambda host: host.run_detached(f"mlnx_qos -i eth1 {line}")


def shell(line):
    return lambda host: host.run_detached(line)


def slower(host):
    host.cards["eth1"].speed_gbps = 200


def other_fec(host):
    host.cards["eth1"].fec = "BaseR"


def old_firmware(host):
    host.cards["eth1"].firmware = "28.36.1010"


def unplug(host):
    host.unplugged.add("eth1")


FAULTS = {
    "trust": (qos("--trust pcp"), {"H1", "H3"}),
    "PFC": (qos("-f 0,0,0,0,1,0,0,0"), {"H2"}),
    "map": (qos("--dscp2prio set,26,5"), {"H3"}),
    "pause": (shell("ethtool -A eth1 rx on tx on"), {"H4"}),
    "traffic class": (shell(f"echo 96 > {TCLASS}"), {"H5"}),
    "no traffic class": (shell(f"echo -1 > {TCLASS}"), {"H5"}),
    "reaction point": (shell("echo 0 > /sys/class/net/eth1/ecn/roce_rp/enable/3"), {"H6"}),
    "CNP": (shell("echo 4 > /sys/class/net/eth1/ecn/roce_np/cnp_dscp"), {"H7"}),
    "CNP class": (qos("-s ets,ets,ets,ets,ets,ets,ets,ets"), {"H8"}),
    "cable": (qos("--cable_len 1"), {"H15"}),
    "firmware owns DCBX": (qos("-d fw"), {"H16"}),
    "MTU": (shell("ip link set dev eth1 mtu 1500"), {"H9"}),
    "no address": (shell("ip addr del 10.64.0.2/24 dev eth1"), {"H10"}),
    "further address": (shell("ip addr add 10.64.0.77/24 dev eth1"), {"H10"}),
    "arp": (shell("sysctl -w net.ipv4.conf.eth1.arp_ignore=0"), {"H11"}),
    "strict": (
        shell("sysctl -w net.ipv4.conf.all.rp_filter=1 net.ipv4.conf.eth1.rp_filter=1"),
        {"H11"},
    ),
    "table": (shell("sysctl -w net.ipv4.neigh.default.gc_thresh3=1024"), {"H12"}),
    "rule": (shell("ip rule del from 10.64.0.2 table 100 priority 100"), {"H13"}),
    "speed": (slower, {"H0"}),
    "FEC": (other_fec, {"H0"}),
    "firmware": (old_firmware, {"H19"}),
    "cable out": (unplug, {"H0", "lldp"}),
    "RDMA-CM": (shell("cma_roce_tos -d mlx5_1 -p 1 -t 0"), {"H17"}),
    "unit": (shell("systemctl disable rocefab-nic@eth1.service"), {"H17"}),
    "script": (shell("rm /etc/rocefab/check.sh"), {"H17"}),
}


def test_each_fault_is_seen_by_its_check_alone(setting):
    """On one lab: the fault is put in, seen, and taken back by a restart and the files."""
    lab, project, connections = setting
    host = lab["gpu001"]
    address = project.hosts["gpu001"].nics[0].address
    assert address == "10.64.0.2"
    for name, (put, checks) in FAULTS.items():
        put(host)
        who = HOSTS if name == "firmware" else ONE
        result = verify(project, connections, who, silent)
        mine = {(subject, unknown) for subject, _, unknown in told(result[0])}
        expected = {(check, check in DOUBTS.get(name, ())) for check in checks}
        assert mine == expected, name
        assert not result[0].ok
        # firmware is told where it is the odd one, all else at the first host alone
        assert all(item.ok for item in result[1:]), name
        mend(host, project)


def test_who_may_have_changed_a_host(setting):
    lab, project, connections = setting
    host = lab["gpu001"]
    (result,) = verify(project, connections, ONE, silent)
    assert result.suspects == ()
    qos("-d fw")(host)
    try:
        (result,) = verify(project, connections, ONE, silent)
        reported = run("drift", DEMO, "--connections", connections, "--only", "gpu001")
    finally:
        mend(host, project)
    why = "DCBX is with the firmware: the NIC takes over what the switch advertises"
    assert result.suspects == (why,)
    assert f"gpu001: possibly changed by: {why}" in reported.out


def mend(host, project):
    for item in project.host_artefacts[host.spec.name]:
        _, _, path = item.path.partition("rootfs/")
        if path in SCRIPTS:
            host.fs.put(f"/{path}", item.text)
    for card in host.cards.values():
        card.speed_gbps, card.fec, card.firmware = card.nic.speed_gbps, "RS", "28.39.1002"
    host.unplugged.clear()
    host.faults.clear()
    host.on_reboot()
    code, text = host.run_detached("sh /etc/rocefab/apply.sh")
    assert code == 0, text


@pytest.mark.parametrize("command", UNREAD)
def test_what_a_host_lacks_is_unknown_and_never_fine(setting, command):
    """A tool that is not installed: nothing is invented, nothing else is lost."""
    lab, project, connections = setting
    host = lab["gpu001"]
    tool = host.tools.pop(command)
    try:
        for look in (verify, drift):
            (result,) = look(project, connections, ONE, silent)
            assert {(subject, doubt) for subject, _, doubt in told(result)} == {
                (check, True) for check in UNREAD[command]
            }
            assert not result.ok
    finally:
        host.tools[command] = tool


def test_what_is_unknown_hides_nothing_that_the_script_finds(setting):
    lab, project, connections = setting
    host = lab["gpu001"]
    tool = host.tools.pop("ethtool")
    host.run_detached("cma_roce_tos -d mlx5_1 -p 1 -t 0")
    try:
        (result,) = verify(project, connections, ONE, silent)
        assert {(subject, doubt) for subject, _, doubt in told(result)} == {
            *(("H0", True), ("H4", True), ("H17", False)),
        }
    finally:
        host.tools["ethtool"] = tool
        host.run_detached("cma_roce_tos -d mlx5_1 -p 1 -t 104")


def test_a_host_without_the_tools_of_nvidia_has_the_files_of_the_kernel(setting):
    """Debian has no `show_gids`."""
    lab, project, connections = setting
    tools = lab["gpu001"].tools
    tool = tools.pop("show_gids")
    try:
        (result,) = verify(project, connections, ONE, silent)
        assert result.ok
    finally:
        tools["show_gids"] = tool


def test_verdicts_over_a_window(setting):
    lab, project, connections = setting
    one, two = lab["gpu001"].counters, lab["gpu002"].counters
    one.run("eth1", "np_cnp_sent", 400.0)
    one.run("eth2", "rx_prio3_pause", 400.0)
    two.run("eth1", "out_of_sequence", 100.0)
    two.run("eth2", "rp_cnp_handled", 400.0)
    lab["gpu003"].tools.pop("ethtool", None)
    tool = lab["gpu004"].tools["ethtool"]
    try:
        result = verify(project, connections, HOSTS, silent, window_s=0.3)
    finally:
        lab["gpu003"].tools["ethtool"] = tool
    words = {(item.device, nic.interface): nic.word for item in result for nic in item.nics}
    assert words == {
        ("gpu001", "eth1"): "marks",
        ("gpu001", "eth2"): "pauses",
        ("gpu002", "eth1"): "drops",
        ("gpu002", "eth2"): "marks",
        ("gpu003", "eth1"): "unknown",
        ("gpu003", "eth2"): "unknown",
        ("gpu004", "eth1"): "ok",
        ("gpu004", "eth2"): "ok",
    }
    by_rail, _ = rails({item.device: item.nics for item in result})
    assert [(rail.rail, rail.word) for rail in by_rail] == [(0, "drops"), (1, "unknown")]
    assert "gpu002" in by_rail[0].reason
    assert [item.ok for item in result] == [True, False, False, True]
    for name in ("gpu001", "gpu002", "gpu003"):
        mend(lab[name], project)


def test_a_driver_that_was_loaded_again_has_no_verdict(setting):
    lab, project, connections = setting
    counters = lab["gpu004"].counters
    counters.rdma["eth1"]["rp_cnp_handled"] = 1000
    counters.run("eth1", "rp_cnp_handled", -400.0)
    (result,) = verify(
        project, connections, Selection(switches=False, only="gpu004"), silent, window_s=0.2
    )
    assert result.nics[0].word == "unknown"
    assert "decreased" in result.nics[0].reason
    mend(lab["gpu004"], project)


def test_hardware_is_looked_at_with_a_window(setting):
    lab, project, connections = setting
    host = lab["gpu001"]
    host.cards["eth2"].link = ("16GT/s", 8)
    result = verify(project, connections, ONE, silent, window_s=0.1)[0]
    assert told(result) == {("H18", "eth2", False)}
    assert told(verify(project, connections, ONE, silent)[0]) == set()
    host.cards["eth2"].link = ("32GT/s", 16)
    near = host.gpus
    host.gpus = near[::-1]
    host.gpus = [type(gpu)(1 - gpu.index, gpu.address, gpu.numa_node, gpu.near) for gpu in near][
        ::-1
    ]
    result = verify(project, connections, ONE, silent, window_s=0.1)[0]
    assert {subject for subject, _, _ in told(result)} == {"H14"}
    host.gpus = near


def test_a_host_that_cannot_be_reached_has_no_verdict(setting):
    lab, project, connections = setting
    lab["gpu002"].faults.add(Fault("cut_at_command", times=0))
    results = {
        item.device: item for item in verify(project, connections, HOSTS, silent, window_s=0.1)
    }
    lab["gpu002"].faults.clear()
    assert results["gpu002"].error
    assert {nic.word for nic in results["gpu002"].nics} == {"unknown"}
    assert results["gpu001"].ok


def test_command_line_tells_verdicts_as_table_and_json(setting, monkeypatch):
    lab, project, connections = setting
    lab["gpu001"].counters.run("eth1", "np_cnp_sent", 400.0)
    words = ["verify", str(DEMO), "--connections", str(connections), "--no-switches"]
    text = run(*words, "--window-s", "0.2")
    assert text.code == 0, text.err
    assert "ECN marks before PFC pauses" in text.out
    assert "CNPs were sent but none was handled" in text.err
    built = run(*words, "--window-s", "0.2", "--format", "json")
    data = json.loads(built.out)
    assert {device["device"] for device in data["devices"]} == {f"gpu00{n}" for n in range(1, 5)}
    assert data["rails"][0]["word"] == "marks"
    assert data["devices"][0]["nics"][0]["deltas"]["np_cnp_sent"] > 0
    assert isinstance(json.loads(run(*words, "--format", "json").out), list)
    mend(lab["gpu001"], project)


def test_a_host_with_the_driver_of_the_kernel_is_read_by_dcb(tmp_path, monkeypatch):
    """PFC, DSCP and DCBX are told; what only the OFED driver has is not missed."""
    shutil.copytree(DEMO, tmp_path / "inventory")
    file = tmp_path / "inventory" / "fabric.yaml"
    text = file.read_text()
    assert "host:\n" in text
    file.write_text(text.replace("host:\n", "host:\n  nic: {driver: mlx5}\n"))
    with applied_lab(tmp_path, monkeypatch, tmp_path / "inventory") as (lab, project, connections):
        (result,) = drift(project, connections, ONE, silent)
        assert told(result) == set()
        lab["gpu001"].run_detached("dcb pfc set dev eth1 prio-pfc all:off")
        lab["gpu001"].run_detached("dcb app flush dev eth1 dscp-prio")
        lab["gpu001"].run_detached("dcb dcbx set dev eth1 ieee")
        (result,) = drift(project, connections, ONE, silent)
        assert told(result) == {(name, "eth1", False) for name in ("H2", "H3", "H16")}


def write_uuids(folder):
    """Write the UUIDs of the ports of all NICs, which `nicctl` needs."""
    folder.mkdir()
    for host in range(1, 5):
        nics = [{"rail": rail, "port_uuid": str(UUID(int=2 * host + rail))} for rail in (0, 1)]
        content = {"hosts": [{"names": f"gpu00{host}", "nics": nics}]}
        (folder / f"{host}.yaml").write_text(json.dumps(content))


@pytest.mark.parametrize(("driver", "seen"), [("bnxt", {"H2"}), ("ionic", set())])
def test_other_drivers_are_as_planned_once_their_files_apply(tmp_path, monkeypatch, driver, seen):
    """No tool tells PFC of an ionic NIC: neither right nor wrong is said."""
    folder = shutil.copytree(DEMO, tmp_path / "inventory")
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("host:\n", f"host:\n  nic: {{driver: {driver}}}\n"))
    if driver == "ionic":
        write_uuids(folder / "hosts")
    with applied_lab(tmp_path, monkeypatch, folder) as (lab, project, connections):
        (result,) = drift(project, connections, ONE, silent)
        assert told(result) == set()
        lab["gpu001"].run_detached("dcb pfc set dev eth1 prio-pfc all:off")
        (result,) = drift(project, connections, ONE, silent)
        assert told(result) == {(name, "eth1", False) for name in seen}


FINE, LATE, UP = Health("a", "sonic"), Health("b", "eos", error="gone"), Health("b", "eos")


@pytest.fixture
def looks(monkeypatch):
    """Answers to looks that are still to come, and what each look was for."""
    answers: list[list[Health]] = []
    asked: list[str] = []

    def look(_project, _file, selection, _progress, _look):
        asked.append(selection.only)
        return answers.pop(0)

    monkeypatch.setattr(module, "_looks", look)
    monkeypatch.setattr(module, "_PAUSE_S", 0.001)
    return answers, asked


def test_only_what_is_not_as_planned_is_looked_at_again(looks):
    answers, asked = looks
    answers += [[FINE, LATE], [LATE], [UP]]
    result = verify(PROJECT, None, Selection(), lambda *_: None, wait_s=60)
    assert result == [FINE, UP]
    assert asked == ["", "b", "b"]


@pytest.mark.parametrize("wait_s", [0.0, 0.05])
def test_the_wait_ends(looks, wait_s):
    answers, asked = looks
    answers += [[FINE, LATE], *([LATE] for _ in range(1000))]
    result = verify(PROJECT, None, Selection(), lambda *_: None, wait_s=wait_s)
    assert result == [FINE, LATE]
    assert (len(asked) > 1) is (wait_s > 0)


def test_nobody_waits_for_what_is_as_planned(looks):
    answers, asked = looks
    answers += [[FINE]]
    assert verify(PROJECT, None, Selection(only="a"), lambda *_: None, wait_s=60) == [FINE]
    assert asked == ["a"]
