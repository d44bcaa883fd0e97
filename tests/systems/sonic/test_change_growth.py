"""Growth takes no reload of a SONiC leaf: the stand-in judges with the rules of each release."""

from __future__ import annotations

from itertools import product

import pytest

from fabric.change.model import Risk
from fabric.render import render_device
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.adapters.config import differences
from tests.change.sonic_bench import Bench, config_of, whole
from tests.render.designs import variant

LEAF = "su1-rail0"
TOKEN = "rocefab-run-1-1-abc"
ONE_MORE = {'"gpu[003-004]"': '"gpu[103-104]"'}
GROWTH = {
    "host": (ONE_MORE, {'"gpu[001-002]"': '"gpu[001-003]"'}),
    "unit": ({}, {'"gpu[003-004]"}': '"gpu[003-004]"}\n  - {name: su3, hosts: "gpu[005-006]"}'}),
    "spine": ({}, {"count: 2": "count: 3"}),
    "cable": ({}, {"host_m: 5": "host_m: 40"}),
    "watchdog": ({"watchdog: {": "watchdog: {enabled: false, "}, {}),
    "vlan for each NIC": (
        {"vlan_first": "vlan_per: nic\n  vlan_first", **ONE_MORE},
        {'"gpu[001-002]"': '"gpu[001-003]"'},
    ),
}
RELEASES = ("202405", "202505", "master")
MODELS = ("ACS-MSN4700", "DellEMC-Z9332f-O32")  # the updater lists the first only


@pytest.fixture(scope="module", params=product(MODELS, GROWTH), ids="-".join)
def sides(request, tmp_path_factory):
    """Return two configurations of a leaf: without and with what grows."""
    model, name = request.param
    base, more = GROWTH[name]
    changes = [{"ACS-MSN4700": model, **base}, {"ACS-MSN4700": model, **base, **more}]
    if name == "watchdog":
        changes[1] = {"ACS-MSN4700": model}
    folder = tmp_path_factory.mktemp("sides")
    return [
        variant(folder / str(number), "demo", change)[LEAF] for number, change in enumerate(changes)
    ]


def grown(bench, design):
    """Return running state, what the adapter plans, and the target."""
    running = bench.running()
    target = sonic.compose(running.config, config_of(design))
    return running, sonic.way(running.config, target, sonic.updater(running)), target


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("shrinks", [False, True], ids=["grows", "shrinks"])
def test_no_reload(sides, release, *, shrinks):
    """There by live steps, and back by the timer's own script; no service restarts."""
    before, after = reversed(sides) if shrinks else sides
    bench = Bench(whole(before), release)
    running, way, target = grown(bench, after)
    assert way.reload == ""
    candidate = way.candidate()
    bench.driver.stage(candidate, TOKEN)
    bench.driver.commit(candidate, TOKEN, 60)
    assert not differences(bench.running().config, target)
    assert set(bench.switch.port_flaps) >= set(way.flaps)
    if shrinks:
        bench.driver.confirm(TOKEN)
        assert not bench.switch.fs.listing("/etc/sonic/checkpoints")
    else:
        bench.driver.rollback(TOKEN)
        assert not differences(bench.running().config, running.config)
    assert bench.switch.restarts == 0
    bench.switch.fs.close()


def test_a_large_change_goes_in_few_steps(tmp_path):
    """Another priority on a leaf of 64 ports: all move at once, and RoCE is never lossy."""
    before = variant(tmp_path / "1", "rail-512", {})[LEAF]
    numbers = "pfc_priority: 4\n  queue: 4\n  traffic_class: 4\n  priority_group: 4"
    after = variant(tmp_path / "2", "rail-512", {"pfc_priority: 3": numbers})[LEAF]
    bench = Bench(whole(before))
    running, way, target = grown(bench, after)
    assert len(differences(running.config, target)) > 500
    bench.driver.stage(way.candidate(), TOKEN)
    bench.driver.commit(way.candidate(), TOKEN, 60)
    assert not differences(bench.running().config, target)
    assert bench.switch.longest_sort <= 64
    assert len(way.flaps) == 64
    (steps, flaps) = way.notes()
    assert steps.startswith(f"7 steps, about {way.takes_s} s: config apply-patch PFC_")
    assert "config load PORT (2 s); delete rows BUFFER_PG, BUFFER_QUEUE, PFC_WD, QUEUE" in steps
    assert flaps.startswith("ports that go down and up, each for about 8 s and until its link is")
    assert flaps.endswith("Ethernet496, Ethernet504")
    bench.driver.rollback(TOKEN)
    assert not differences(bench.running().config, running.config)
    assert bench.switch.restarts == 0


def test_a_change_that_takes_a_port_down_is_a_port_flap(tmp_path):
    """Lossless priorities that someone set by hand go by ports that go down and up."""
    design = variant(tmp_path / "1", "demo", {})[LEAF]
    config = whole(design)
    bench = Bench(config)
    bench.switch.hand_edit("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,4")
    running = bench.running()
    _, way, _ = grown(bench, design)
    draft = sonic.SonicAdapter().draft(running, render_device(design), bench.driver)
    assert way.flaps == ["Ethernet0"]
    assert max(change.risk for change in draft.changes) is Risk.PORT_FLAP


def test_the_plan_names_sessions_that_drop(tmp_path):
    """A create-only field: the updater removes the row and adds it again."""
    before = variant(tmp_path / "1", "demo", {})[LEAF]
    after = variant(tmp_path / "2", "demo", {"bgp: {": "bgp: {hold_s: 30, keepalive_s: 10, "})[LEAF]
    bench = Bench(whole(before))
    _, way, _ = grown(bench, after)
    peers = ", ".join(peer.address for peer in before.bgp.neighbours)
    assert f"BGP sessions that drop: {peers}" in way.notes()


def test_the_timer_waits_for_the_updater(tmp_path):
    before, after = (
        variant(tmp_path / str(metres), "demo", {"host_m: 5": f"host_m: {metres}"})[LEAF]
        for metres in (5, 40)
    )
    bench = Bench(whole(before))
    _, way, _ = grown(bench, after)
    candidate = way.candidate()
    assert candidate.takes_s > 0
    bench.driver.stage(candidate, TOKEN)
    bench.driver.commit(candidate, TOKEN, 60)
    (timer,) = bench.switch.systemd.jobs.values()
    assert timer.due_s >= 60 + candidate.takes_s
    bench.driver.rollback(TOKEN)


def test_breaking_out_still_takes_a_reload(tmp_path):
    changes = {"sku: ACS-MSN4700": 'sku: ACS-SN5600, breakouts: [{cages: "1-2", mode: 2x400G}]'}
    before = variant(tmp_path / "1", "demo", {"sku: ACS-MSN4700": "sku: ACS-SN5600"})[LEAF]
    after = variant(tmp_path / "2", "demo", changes)[LEAF]
    bench = Bench(whole(before))
    _, way, _ = grown(bench, after)
    assert way.candidate().method == "reload"
    (note,) = way.notes()
    assert note.startswith("config reload restarts all services: ")
