"""probe in the lab: over SSH, with faults of cables, leaves, settings and tools."""

from __future__ import annotations

import json

import pytest

from fabric.lab.faults import Fault
from fabric.workflow import incast
from fabric.workflow.devices import Selection
from fabric.workflow.probe import make_plan
from fabric.workflow.probe_run import run as run_probes
from tests.cli.runs import run
from tests.workflow.host_lab import DEMO, applied_lab, silent

HOSTS = Selection(switches=False)


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        applied_lab(tmp_path_factory.mktemp("lab"), monkeypatch) as made,
    ):
        yield made


@pytest.fixture
def found(setting):
    """Return a function that probes the lab; afterwards the lab is whole again."""
    lab, project, connections = setting
    plan = make_plan(project, HOSTS)
    yield lambda stage="bandwidth": run_probes(plan, connections, HOSTS, stage, silent)
    paths = lab["gpu001"].probing.paths
    paths.broken.clear()
    paths.slow.clear()
    for name in project.hosts:
        host = lab[name]
        host.unplugged.clear()
        host.faults.clear()
        host.on_reboot()
        assert host.run_detached("sh /etc/rocefab/apply.sh")[0] == 0


def test_plan_of_the_demonstration(setting):
    _, project, _ = setting
    plan = make_plan(project, HOSTS)
    assert plan.counts() == {"same-leaf": 8, "same-rail": 8, "cross-rail": 8, "cross-unit": 8}
    assert plan.hosts() == ["gpu001", "gpu002", "gpu003", "gpu004"]
    rows = plan.rows()
    assert {row["needed_gbps"] for row in rows} == {386.3}
    for turn in range(plan.rounds):
        busy = [row[end].split()[0] for row in rows if row["round"] == turn for end in ENDS]
        assert len(busy) == len(set(busy))


ENDS = ("source", "target")


def test_a_whole_fabric_reaches_all_it_must(setting, found):
    lab, _, _ = setting
    told = found()
    assert told.ok
    assert told.causes == told.lost == ()
    assert told.matrices["rail"]["0"]["1"] == (8, 8)
    assert told.matrices["unit"]["su1"]["su2"] == (8, 8)
    assert told.slowest_gbps >= 386.3
    # no server stays behind
    assert all(not lab[name].probing.servers for name in ("gpu001", "gpu004"))
    assert all(not lab[name].systemd.services for name in ("gpu001", "gpu004"))


def test_a_leaf_that_forwards_nothing(setting, found):
    setting[0]["gpu001"].probing.paths.broken.add("su1-rail0")
    told = found("ping")
    assert not told.ok
    assert told.causes == ("leaf su1-rail0: all 14 probes failed",)
    below = {"gpu001 eth1", "gpu002 eth1"}
    assert all({item["source"], item["target"]} & below for item in told.failures)
    assert told.matrices["unit"]["su2"]["su2"] == (8, 8)


def test_spines_that_forward_nothing(setting, found):
    setting[0]["gpu001"].probing.paths.broken.update({"spine01", "spine02"})
    told = found("ping")
    assert {item["class"] for item in told.failures} == {"same-rail", "cross-rail", "cross-unit"}
    assert told.matrices["rail"]["0"]["0"] == (4, 8)
    assert told.matrices["unit"]["su1"]["su1"] == (4, 8)


def test_a_slow_cable(setting, found):
    setting[0]["gpu001"].probing.paths.slow["gpu002", "eth2"] = 0.97
    told = found()
    assert told.causes == ("NIC gpu002 eth2: all 8 probes failed",)
    assert {item["stage"] for item in told.failures} == {"bandwidth"}
    assert all("required" in item["failure"] for item in told.failures)


FAULTS = {
    "a cable is out": (lambda host: host.unplugged.add("eth1"), "ping", "NIC gpu003 eth1"),
    "no rule": (
        lambda host: host.run_detached("ip rule del from 10.64.3.2 table 101 priority 101"),
        "ping",
        "NIC gpu003 eth2: all 6 probes beyond a single leaf failed",
    ),
    "no RDMA ping": (lambda host: host.tools.pop("rping"), "rping", "host gpu003"),
    "the session breaks": (
        lambda host: host.faults.add(Fault("cut_at_command", pattern="ping|show_gids", times=0)),
        "ping",
        "host gpu003",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_host_and_what_they_have_in_common(setting, found, name):
    lab, project, _ = setting
    put, stage, cause = FAULTS[name]
    assert project.hosts["gpu003"].nics[1].address == "10.64.3.2"
    tool = lab["gpu003"].tools["rping"]
    put(lab["gpu003"])
    told = found("rping")
    lab["gpu003"].tools["rping"] = tool
    assert told.failures
    if name == "no RDMA ping":  # as a client; servers are services
        assert {item["source"].split()[0] for item in told.failures} == {"gpu003"}
        return
    assert any(line.startswith(cause) for line in told.causes), told.causes
    assert {item["stage"] for item in told.failures} == {stage}


def test_wrong_marking_loses_packets(setting, found):
    """The rate falls, and the counters tell of it."""
    setting[0]["gpu001"].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,0,0,0,0")
    told = found()
    assert told.causes == ("NIC gpu001 eth1: all 8 probes failed",)
    assert any(line.startswith("gpu001 eth1: ") for line in told.lost)


def test_a_shifted_index_of_the_gid_is_found_by_content(setting, found):
    """A further address comes first in the table; the planned one is used all the same."""
    host = setting[0]["gpu001"]
    host.run_detached("ip addr del 10.64.0.2/24 dev eth1; ip addr add 192.0.2.9/24 dev eth1")
    host.run_detached("ip addr add 10.64.0.2/24 dev eth1")
    assert "\t5\t" in next(
        line
        for line in host.run_detached("show_gids mlx5_1")[1].splitlines()
        if "10.64.0.2" in line and "v2" in line
    )
    assert found().ok


def test_no_gid_is_no_bandwidth(setting, found):
    host = setting[0]["gpu001"]
    host.run_detached("ip addr del 10.64.0.2/24 dev eth1")
    told = found()
    assert {item["stage"] for item in told.failures} == {"ping"}
    assert told.causes == ("NIC gpu001 eth1: all 8 probes failed",)


def incast_of(setting, senders=3):
    _, project, connections = setting
    groups = incast.make_groups(project, HOSTS, senders)
    return incast.run(project, groups, connections, HOSTS, silent)


def test_incast_on_every_leaf(setting, found):
    told = incast_of(setting)
    assert told.ok, told
    assert [str(item.group.target) for item in told.groups] == [
        *("gpu001 eth1", "gpu003 eth1", "gpu001 eth2", "gpu003 eth2"),
    ]
    for item in told.groups:
        assert len(item.rates_gbps) == 3
        assert 386.0 < sum(item.rates_gbps) < 400.0
    assert all(not setting[0][name].probing.servers for name in ("gpu001", "gpu003"))


@pytest.mark.parametrize(
    ("put", "said"),
    [
        ({("gpu002", "eth1"): 0.4}, "fairness 0.89, 0.95 required: gpu002 eth1 is the slowest"),
        ({("gpu001", "eth1"): 0.7}, "Gb/s in total, 313.7 required"),
    ],
)
def test_incast_that_is_unfair_or_too_slow(setting, found, put, said):
    setting[0]["gpu001"].probing.paths.slow.update(put)
    told = incast_of(setting)
    assert not told.ok
    assert said in told.groups[0].failure


def test_incast_that_loses_packets(setting, found):
    setting[0]["gpu001"].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,0,0,0,0")
    told = incast_of(setting)
    assert any(line.startswith("gpu001 eth1: ") for line in told.lost)
    assert "Gb/s in total" in told.groups[0].failure


def test_incast_with_a_host_that_does_not_answer(setting, found):
    setting[0]["gpu002"].faults.add(Fault("cut_at_command", pattern="show_gids", times=0))
    told = incast_of(setting)
    assert "gpu002 could not be read" in told.groups[0].failure
    assert not told.ok


def test_incast_on_the_command_line(setting):
    _, _, connections = setting
    shown = run("probe", DEMO, "--incast", "3")
    assert (shown.code, "4 groups" in shown.err) == (0, True)
    words = ("--connections", connections, "--incast", "2", "--run")
    told = run("probe", DEMO, *words)
    assert (told.code, "4 of 4 groups passed" in told.err) == (0, True), told.err
    made = json.loads(run("probe", DEMO, *words, "--format", "json").out)
    assert {row["fairness"] for row in made["groups"]} == {1.0}
    assert run("probe", DEMO, "--incast", "1").code == 2
    few = run("probe", DEMO, "--incast", "4")
    assert (few.code, "no rail has 5 selected hosts" in few.err) == (2, True)


def test_command_line(setting):
    _, _, connections = setting
    shown = run("probe", DEMO)
    assert shown.code == 0
    assert "32 probes in" in shown.err
    data = json.loads(run("probe", DEMO, "--format", "json").out)
    assert len(data["probes"]) == 32
    words = ("--connections", connections, "--run", "--stage", "ping")
    told = run("probe", DEMO, *words)
    assert (told.code, "32 of 32 probes passed" in told.err) == (0, True)
    assert "rail to rail" in told.out
    made = json.loads(run("probe", DEMO, *words, "--only", "gpu001,gpu003", "--format", "json").out)
    assert made["probes"] == 8
    assert run("probe", DEMO, "--only", "gpu001").code == 2
