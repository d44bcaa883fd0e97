"""probe in the lab: over SSH, with faults of cables, leaves, settings and tools."""

from __future__ import annotations

import json

import pytest

from fabric.lab.faults import Fault
from fabric.lab.shell.state import Result
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
        applied_lab(tmp_path_factory.mktemp("lab"), monkeypatch) as built,
    ):
        yield built


@pytest.fixture
def probed(setting):
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


def test_a_whole_fabric_reaches_all_it_must(setting, probed):
    lab, _, _ = setting
    reported = probed()
    assert reported.ok
    assert reported.causes == reported.lost == ()
    assert reported.matrices["rail"]["0"]["1"] == (8, 8)
    assert reported.matrices["unit"]["su1"]["su2"] == (8, 8)
    assert reported.slowest_gbps >= 386.3
    # no server stays behind
    assert all(not lab[name].probing.servers for name in ("gpu001", "gpu004"))
    assert all(not lab[name].systemd.services for name in ("gpu001", "gpu004"))


def test_a_leaf_that_forwards_nothing(setting, probed):
    setting[0]["gpu001"].probing.paths.broken.add("su1-rail0")
    reported = probed("ping")
    assert not reported.ok
    assert reported.causes == ("leaf su1-rail0: all 14 probes failed",)
    below = {"gpu001 eth1", "gpu002 eth1"}
    assert all({item["source"], item["target"]} & below for item in reported.failures)
    assert reported.matrices["unit"]["su2"]["su2"] == (8, 8)


def test_spines_that_forward_nothing(setting, probed):
    setting[0]["gpu001"].probing.paths.broken.update({"spine01", "spine02"})
    reported = probed("ping")
    assert {item["class"] for item in reported.failures} == {
        "same-rail",
        "cross-rail",
        "cross-unit",
    }
    assert reported.matrices["rail"]["0"]["0"] == (4, 8)
    assert reported.matrices["unit"]["su1"]["su1"] == (4, 8)


def test_a_slow_cable(setting, probed):
    setting[0]["gpu001"].probing.paths.slow["gpu002", "eth2"] = 0.97
    reported = probed()
    assert reported.causes == ("NIC gpu002 eth2: all 8 probes failed",)
    assert {item["stage"] for item in reported.failures} == {"bandwidth"}
    assert all("required" in item["failure"] for item in reported.failures)


FAULTS = {
    "a cable is out": (lambda host: host.unplugged.add("eth1"), "ping", "NIC gpu003 eth1"),
    "no rule": (
        lambda host: host.run_detached("ip rule del from 10.64.3.2 table 101 priority 101"),
        "ping",
        "NIC gpu003 eth2: all 6 probes beyond a single leaf failed",
    ),
    "no RDMA ping": (lambda host: host.tools.pop("rping"), "rping", "host gpu003"),
    "the session breaks": (
        lambda host: host.faults.add(Fault("cut_at_command", pattern="ping|/gids/", times=0)),
        "ping",
        "host gpu003",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_host_and_what_they_have_in_common(setting, probed, name):
    lab, project, _ = setting
    put, stage, cause = FAULTS[name]
    assert project.hosts["gpu003"].nics[1].address == "10.64.3.2"
    tool = lab["gpu003"].tools["rping"]
    put(lab["gpu003"])
    reported = probed("rping")
    lab["gpu003"].tools["rping"] = tool
    assert reported.failures
    if name == "no RDMA ping":  # as a client; servers are services
        assert {item["source"].split()[0] for item in reported.failures} == {"gpu003"}
        return
    assert any(line.startswith(cause) for line in reported.causes), reported.causes
    assert {item["stage"] for item in reported.failures} == {stage}


def test_wrong_marking_loses_packets(setting, probed):
    """The rate falls, and the counters tell of it."""
    setting[0]["gpu001"].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,0,0,0,0")
    reported = probed()
    assert reported.causes == ("NIC gpu001 eth1: all 8 probes failed",)
    assert any(line.startswith("gpu001 eth1: ") for line in reported.lost)


def test_a_shifted_index_of_the_gid_is_found_by_content(setting, probed):
    """A further address comes first in the table; the planned one is used all the same."""
    host = setting[0]["gpu001"]
    host.run_detached("ip addr del 10.64.0.2/24 dev eth1; ip addr add 192.0.2.9/24 dev eth1")
    host.run_detached("ip addr add 10.64.0.2/24 dev eth1")
    assert "\t5\t" in next(
        line
        for line in host.run_detached("show_gids mlx5_1")[1].splitlines()
        if "10.64.0.2" in line and "v2" in line
    )
    assert probed().ok


def test_no_gid_is_no_bandwidth(setting, probed):
    host = setting[0]["gpu001"]
    host.run_detached("ip addr del 10.64.0.2/24 dev eth1")
    reported = probed()
    assert {item["stage"] for item in reported.failures} == {"ping"}
    assert reported.causes == ("NIC gpu001 eth1: all 8 probes failed",)


def test_a_stock_debian_is_probed(setting, probed):
    """It has no `show_gids`, and a perftest that cannot be told its own address."""
    host = setting[0]["gpu003"]
    tool = host.tools.pop("show_gids")
    host.spec.options["perftest"] = "4.5"
    try:
        assert probed().ok
        host.tools["ib_write_bw"], real = lambda *_: Result("", "", 1), host.tools["ib_write_bw"]
        failures = probed().failures
        host.tools["ib_write_bw"] = real
    finally:
        host.tools["show_gids"] = tool
        del host.spec.options["perftest"]
    told = {item["failure"] for item in failures if item["source"].startswith("gpu003")}
    (one,) = told
    assert one.startswith("ib_write_bw printed no result; its perftest has no --bind_source_ip")


def test_a_gid_table_that_cannot_be_read_stops_the_bandwidth_alone(setting, probed):
    host = setting[0]["gpu003"]
    tool = host.tools["grep"]

    def without(context, argv, stdin):
        return Result("", "", 2) if "/gids/" in str(argv) else tool(context, argv, stdin)

    host.tools["grep"] = without
    try:
        assert not probed("rping").failures
        failures = probed().failures
    finally:
        host.tools["grep"] = tool
    assert {item["stage"] for item in failures} == {"bandwidth"}
    assert {item["failure"] for item in failures} == {"the GID table of gpu003 could not be read"}


def incast_of(setting, senders=3):
    _, project, connections = setting
    groups = incast.make_groups(project, HOSTS, senders)
    return incast.run(project, groups, connections, HOSTS, silent)


def test_incast_on_every_leaf(setting, probed):
    reported = incast_of(setting)
    assert reported.ok, reported
    assert [str(item.group.target) for item in reported.groups] == [
        *("gpu001 eth1", "gpu003 eth1", "gpu001 eth2", "gpu003 eth2"),
    ]
    for item in reported.groups:
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
def test_incast_that_is_unfair_or_too_slow(setting, probed, put, said):
    setting[0]["gpu001"].probing.paths.slow.update(put)
    reported = incast_of(setting)
    assert not reported.ok
    assert said in reported.groups[0].failure


def test_incast_that_loses_packets(setting, probed):
    setting[0]["gpu001"].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,0,0,0,0")
    reported = incast_of(setting)
    assert any(line.startswith("gpu001 eth1: ") for line in reported.lost)
    assert "Gb/s in total" in reported.groups[0].failure


def test_incast_with_a_host_that_does_not_answer(setting, probed):
    setting[0]["gpu002"].faults.add(Fault("cut_at_command", pattern="/gids/", times=0))
    reported = incast_of(setting)
    assert "gpu002 could not be read" in reported.groups[0].failure
    assert not reported.ok


def test_incast_on_the_command_line(setting):
    _, _, connections = setting
    shown = run("probe", DEMO, "--incast", "3")
    assert (shown.code, "4 groups" in shown.err) == (0, True)
    words = ("--connections", connections, "--incast", "2", "--run")
    reported = run("probe", DEMO, *words)
    assert (reported.code, "4 of 4 groups passed" in reported.err) == (0, True), reported.err
    built = json.loads(run("probe", DEMO, *words, "--format", "json").out)
    assert {row["fairness"] for row in built["groups"]} == {1.0}
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
    reported = run("probe", DEMO, *words)
    assert (reported.code, "32 of 32 probes passed" in reported.err) == (0, True)
    assert "rail to rail" in reported.out
    built = json.loads(
        run("probe", DEMO, *words, "--only", "gpu001,gpu003", "--format", "json").out
    )
    assert built["probes"] == 8
    assert run("probe", DEMO, "--only", "gpu001").code == 2
