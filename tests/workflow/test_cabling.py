"""Cables of a lab: as planned, swapped, pulled, unread; from the command line too."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fabric.change.journal import Journal
from fabric.lab.faults import Fault
from fabric.lab.spec import Neighbour
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import LldpNeighbour, MacEntry
from fabric.report.picture import Marks, judged_ends
from fabric.topology.cabling import judge, planned_cables
from fabric.workflow.apply import Options, apply
from fabric.workflow.cabling import NO_NEIGHBOUR, SHUT, Cabling, Selection, _Ends, cabling
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.observe import Seen, observe
from fabric.workflow.plan import plan
from fabric.workflow.project import Project
from tests.change import labs
from tests.cli.runs import run

TWO_HOSTS = labs.INVENTORY.replace("hosts: gpu1}", 'hosts: "gpu[1-2]"}')
LEAF, SPINE = labs.LEAF, labs.SPINE


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(tmp_path / "inventory", TWO_HOSTS))
    connections = tmp_path / "lab" / CONNECTIONS
    with laboratory(project, tmp_path / "lab") as built:
        result = plan(project, connections, Selection(hosts=False), "rail", labs.silent)
        options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
        assert apply(result, tmp_path / "state", connections, options, labs.silent).ok
        yield built, project, connections


def swap(built):
    """Swap the plugs of both hosts at the leaf."""
    leaf = built[LEAF]
    leaf.neighbours["Ethernet0"], leaf.neighbours["Ethernet8"] = (
        leaf.neighbours["Ethernet8"],
        leaf.neighbours["Ethernet0"],
    )
    for name, port in (("gpu1", "etp2"), ("gpu2", "etp1")):
        host = built[name]
        host.spec = replace(host.spec, neighbours=(Neighbour("eth1", LEAF, port),))


def judged(project, connections):
    return cabling(project, connections, Selection(), labs.silent)


def test_a_lab_is_cabled_as_planned(lab):
    _, project, connections = lab
    result = judged(project, connections)
    assert result.summary() == "3 ok"
    assert (result.rows(), result.work_order(), result.unread) == ([], [], ())


def test_a_swap_is_named_and_repaired_by_two_moves(lab):
    built, project, connections = lab
    swap(built)
    result = judged(project, connections)
    assert result.summary() == "1 ok, 2 swapped pair"
    assert result.rows()[0] == (
        "gpu1 eth1",
        f"{LEAF} Ethernet0",
        "swapped pair",
        f"swap with gpu2 eth1 - {LEAF} Ethernet8",
    )
    pull, move, plug = result.work_order()
    assert pull.startswith("pull ")
    assert " and hold the plug (other end: gpu" in pull
    assert move.startswith("move ")
    assert plug.startswith("plug it, from ")
    steps = " ".join(result.work_order())
    assert f"{LEAF} Ethernet8 (panel 2)" in steps
    assert "gpu1 eth1 (panel" not in steps


def test_an_unreachable_device_blocks_nothing(lab):
    built, project, connections = lab
    swap(built)
    for name in ("gpu1", SPINE):
        built[name].faults.add(Fault("cut_at_command", pattern=".", times=0))
    result = judged(project, connections)
    verdicts = {item.near: item.verdict.value for item in result.judged}
    assert {device for device, _ in result.unread} == {"gpu1", SPINE}
    assert verdicts == {
        ("gpu1", "eth1"): "swapped pair",
        ("gpu2", "eth1"): "swapped pair",
        (LEAF, "Ethernet128"): "ok",
    }


def test_what_nobody_tells_is_a_count_and_like_reasons_are_one_line(tmp_path):
    """A fabric that is not reached has thousands of cables; JSON has each of them."""
    fabric = Project(labs.write_inventory(tmp_path, TWO_HOSTS)).fabric
    why = "cannot log in: its name has no address; set address in the connections file"
    unread = (("gpu1", why), ("gpu2", why), (LEAF, "no route to host"), (SPINE, why))
    result = Cabling(tuple(judge(planned_cables(fabric), {})), (), unread)
    assert (result.rows(), result.summary()) == ([], "3 unknown")
    assert result.unread_lines() == [f"gpu[1-2],{SPINE}: {why}", f"{LEAF}: no route to host"]
    data = result.as_dict()
    assert [cable["verdict"] for cable in data["cables"]] == ["unknown"] * 3
    assert len(data["unread"]) == len(unread)


@pytest.mark.parametrize(
    ("up", "enabled", "verdict"),
    [(True, True, "unknown"), (False, True, "missing"), (False, False, "shut down")],
)
def test_a_cable_is_laid_only_where_a_link_is_down(lab, monkeypatch, *, up, enabled, verdict):
    """LLDP runs at no end; the picture does not cross out a cable that is up."""
    _, project, connections = lab

    def without_lldp(*words):
        for seen in observe(*words):
            ports = seen.snapshot.interfaces
            state = {"up": up, "enabled": enabled}
            links = {name: replace(port, **state) for name, port in ports.items()}
            yield replace(seen, snapshot=replace(seen.snapshot, lldp={}, interfaces=links))

    monkeypatch.setattr("fabric.workflow.cabling.observe", lambda *words: [*without_lldp(*words)])
    result = cabling(project, connections, Selection(hosts=False), labs.silent)
    (trunk,) = (item for item in result.judged if item.near[0] == LEAF)
    assert trunk.verdict.value == verdict
    connects = any("connect a cable" in line for line in result.work_order())
    assert connects is (verdict == "missing")
    assert result.shut_lines() == ([] if enabled else [SHUT])
    shut = f"{LEAF} Ethernet128, {SPINE} Ethernet1/1: shut down"
    assert (shut in [seen for *_, seen in result.rows()]) is not enabled
    assert result.unread_lines() == ([f"{SPINE},{LEAF}: {NO_NEIGHBOUR}"] if up else [])
    marks = Marks()
    marks.add_cabling(judged_ends([trunk]))
    assert bool(marks.missing) is not up


MAC = "02:00:00:00:00:07"
NIC = ("gpu1", "eth1")


@pytest.fixture
def ends(tmp_path):
    folder = labs.write_inventory(tmp_path / "inventory", TWO_HOSTS)
    (folder / "hosts").mkdir()
    (folder / "hosts" / "macs.yaml").write_text(
        f"hosts: [{{names: gpu1, nics: [{{rail: 0, mac: '{MAC}'}}]}}]"
    )
    return _Ends(Project(folder))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (LldpNeighbour("GPU1.example.org", "ETH1"), NIC),
        (LldpNeighbour("gpu1", MAC.upper()), NIC),
        (LldpNeighbour("gpu1", "02:00:00:00:00:99", "eth1"), NIC),
        (LldpNeighbour("gpu1", "02:00:00:00:00:99"), ("gpu1", "")),
        (LldpNeighbour(LEAF, "etp1"), (LEAF, "Ethernet0")),
        (LldpNeighbour(LEAF, "x", "Ethernet8"), (LEAF, "Ethernet8")),
        (LldpNeighbour("printer.example.org", "p1"), ("printer.example.org", "p1")),
    ],
)
def test_what_lldp_names(ends, seen, expected):
    snapshot = Snapshot(device=LEAF, lldp={"Ethernet0": (seen,)})
    reported = dict(ends.told(Seen(LEAF, "sonic", snapshot)))
    assert reported[LEAF, "Ethernet0"].neighbours == (expected,)


@pytest.mark.parametrize(
    ("lldp", "macs", "expected"),
    [
        ((), [MAC], (NIC,)),
        ((), [MAC.upper()], (NIC,)),
        ((), [MAC, "02:00:00:00:00:08"], ()),
        ((), ["02:00:00:00:00:08"], ()),
        ((LldpNeighbour("gpu2", "eth1"),), [MAC], (("gpu2", "eth1"),)),
    ],
)
def test_a_lone_mac_address_tells_what_lldp_does_not(ends, lldp, macs, expected):
    table = tuple(MacEntry(101, mac, "Ethernet0") for mac in macs)
    snapshot = Snapshot(device=LEAF, lldp={"Ethernet0": lldp}, macs=table)
    reported = dict(ends.told(Seen(LEAF, "sonic", snapshot)))
    assert reported[LEAF, "Ethernet0"].neighbours == expected


def test_nothing_is_told_where_lldp_was_not_read(ends):
    assert dict(ends.told(Seen(LEAF, "sonic", Snapshot(device=LEAF)))) == {}
    assert dict(ends.told(Seen(LEAF, "sonic", error="no route to host"))) == {}


def test_command_line(lab, tmp_path):
    built, _, connections = lab
    words = ["cabling", str(tmp_path / "inventory"), "--connections", str(connections)]
    fine = run(*words)
    assert (fine.code, fine.out, fine.err) == (0, "", "3 cables: 3 ok\n")
    swap(built)
    ended = run(*words)
    assert ended.code == 4
    assert "swapped pair  swap with gpu2 eth1" in ended.out
    assert "1. pull " in ended.out
    assert "2. move " in ended.out
    data = json.loads(run(*words, "--format", "json").out)
    assert [item["verdict"] for item in data["cables"]] == ["swapped pair", "swapped pair", "ok"]
    assert len(data["work_order"]) == 3


@pytest.mark.fault(25)
def test_a_wrong_cable_stops_a_change_of_its_port(lab, tmp_path):
    """Unless told; then the journal says so. Ports that do not change may be cabled as they are."""
    built, _, connections = lab
    swap(built)
    folder = tmp_path / "inventory"
    longer = labs.changed(folder, "arp: {", "cables: {host_m: 40}\narp: {")
    actual = plan(longer, connections, Selection(only=LEAF), "rail", labs.silent)
    options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
    state = tmp_path / "state"
    result = apply(actual, state, connections, options, labs.silent)
    assert not result.ok
    assert f"{LEAF}: Ethernet0 is cabled to gpu2 eth1, expected gpu1 eth1" in result.reasons[0]
    assert "--despite-cabling applies the change anyway" in result.reasons[0]
    assert plan(longer, connections, Selection(only=LEAF), "rail", labs.silent) == actual
    reported = []
    options = replace(options, despite_cabling=True)
    result = apply(actual, state, connections, options, lambda *words: reported.append(words))
    assert result.ok, result.reasons
    assert [text for _, text in reported if text.startswith("despite its cabling: Ethernet0")]
    events = Journal(state).events(result.run)
    assert [event for event in events if event.detail.startswith("despite its cabling: ")]


@pytest.mark.fault(25)
def test_a_cable_that_moves_while_an_earlier_wave_runs_stops_the_change_of_its_port(lab, tmp_path):
    built, _, connections = lab
    folder, state = tmp_path / "inventory", tmp_path / "state"
    labs.changed(folder, "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    longer = labs.changed(folder, "arp: {", "cables: {host_m: 40}\narp: {")
    actual = plan(longer, connections, Selection(only=f"{LEAF},spine01"), "rail", labs.silent)
    assert actual.waves == (("spine01",), (LEAF,))

    def swap_meanwhile(device, text):
        if device == "spine01" and text == "confirmed and saved":
            swap(built)

    options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
    result = apply(actual, state, connections, options, swap_meanwhile)
    assert not result.ok
    assert result.confirmed == ("spine01",)
    assert f"{LEAF}: Ethernet0 is cabled to gpu2 eth1, expected gpu1 eth1" in result.reasons[0]
