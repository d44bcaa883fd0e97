"""The neighbour settings of SONiC: they outlive a reboot, and drift reads what runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fabric.lab.clock import LabClock
from fabric.systems.sonic.lab import SonicStandIn
from fabric.systems.sonic.platforms import EARLIER_SYSCTL_PATH, SYSCTL_PATH
from fabric.workflow.apply import Options, apply
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs
from tests.lab.conftest import leaf_spec

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
LEAF = Selection(only=labs.LEAF)
AGE = "net.ipv4.neigh.default.base_reachable_time_ms"
ROOM = "net.ipv4.neigh.default.gc_thresh3"
VLAN_AGE = "net.ipv4.neigh.Vlan101.base_reachable_time_ms"
WANTED = {AGE: "160000", ROOM: "8192", VLAN_AGE: "160000"}
OWN = {AGE: "1800000", ROOM: "4096"}


def run(project, connections, folder):
    made = plan(project, connections, LEAF, "rail", labs.silent)
    return apply(made, folder / "state", connections, OPTIONS, labs.silent)


@pytest.fixture(scope="module")
def lab_of_all(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, project, connections),
    ):
        assert (result := run(project, connections, folder)).ok, result.reasons
        yield lab, connections, folder


@pytest.fixture
def ready(lab_of_all):
    lab, connections, folder = lab_of_all
    return lab[labs.LEAF], Project(folder / "inventory"), connections, folder


def values(leaf):
    return {name: leaf.sysctl.get(name) for name in WANTED}


def drifts(project, connections):
    (found,) = drift(project, connections, LEAF, labs.silent)
    assert not found.error
    return {change.path: (change.before, change.after) for change in found.drift}


@pytest.mark.parametrize("release", ["202405", "202411", "202505", "202511", "master"])
@pytest.mark.parametrize(("path", "wins"), [(SYSCTL_PATH, True), (EARLIER_SYSCTL_PATH, False)])
def test_which_file_wins_at_boot(release, path, *, wins):
    """The stand-in boots as systemd-sysctl does: by file name over all folders."""
    leaf = SonicStandIn(leaf_spec(release=release), LabClock())
    assert {name: leaf.sysctl.get(name) for name in OWN} == OWN
    leaf.fs.put(path, f"{AGE} = 160000\n{ROOM} = 8192\n")
    leaf.sysctl.reset()
    assert (leaf.sysctl.get(ROOM) == "8192") is wins
    leaf.fs.close()


def test_a_reboot_keeps_the_neighbour_settings(ready):
    """Interfaces of VLANs are made after boot and take the default."""
    leaf, project, connections, _ = ready
    assert values(leaf) == WANTED
    leaf.on_reboot()
    assert values(leaf) == WANTED
    assert drifts(project, connections) == {}


def test_drift_reads_what_runs(ready):
    """A value that was set by hand is drift though the file is as planned; apply puts it back."""
    leaf, project, connections, folder = ready
    for name in (ROOM, VLAN_AGE):
        assert leaf.run_detached(f"sysctl -w {name}=77")[0] == 0
    command = [sys.executable, "-m", "fabric", "drift", str(folder / "inventory")]
    options = ["--connections", str(connections), "--only", labs.LEAF]
    done = subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 4, done.stderr
    assert ROOM in done.stdout
    assert VLAN_AGE in done.stdout
    assert "8192" in done.stdout
    assert "arp.neighbour_capacity" in done.stdout  # where the planned value comes from
    assert run(project, connections, folder).ok
    assert values(leaf) == WANTED


def test_the_file_of_before_goes_and_comes_back(ready):
    """What an earlier version wrote is removed; a roll back restores it and what ran."""
    leaf, project, connections, folder = ready
    text = leaf.fs.read(SYSCTL_PATH)
    leaf.fs.local(SYSCTL_PATH).unlink()
    leaf.fs.put(EARLIER_SYSCTL_PATH, text)
    leaf.on_reboot()
    assert values(leaf) == {**OWN, VLAN_AGE: OWN[AGE]}
    assert drifts(project, connections)[ROOM] == ("4096", "8192")
    result = run(project, connections, folder)
    assert result.ok, result.reasons
    assert values(leaf) == WANTED
    assert not leaf.fs.exists(EARLIER_SYSCTL_PATH)
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert leaf.fs.read(EARLIER_SYSCTL_PATH) == text
    assert not leaf.fs.exists(SYSCTL_PATH)
    assert values(leaf) == {**OWN, VLAN_AGE: OWN[AGE]}
    assert run(project, connections, folder).ok


@pytest.mark.fault(4)
def test_the_timer_restores_what_ran(ready):
    """undo.sh brings back the running values, not only the file."""
    leaf, project, connections, folder = ready
    changed = labs.changed(folder / "inventory", "timeout_s: 240", "timeout_s: 480")
    made = plan(changed, connections, LEAF, "rail", labs.silent)
    assert {change.path for change in made.devices[labs.LEAF].changes} >= {AGE, VLAN_AGE}
    labs.changed(folder / "inventory", "timeout_s: 480", "timeout_s: 240")
    from fabric.change.session import Session
    from fabric.workflow.devices import project_connections

    session = Session(made.devices[labs.LEAF], project_connections(changed, connections))
    candidate = session.draft(session.running()).candidate
    session.driver.stage(candidate, "rocefab-test-1")
    session.driver.commit(candidate, "rocefab-test-1", 60)
    assert leaf.sysctl.get(AGE) == "320000"
    leaf.expire_timers()
    assert values(leaf) == WANTED
    session.close()
    assert drifts(project, connections) == {}
