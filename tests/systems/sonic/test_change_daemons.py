"""What keeps silent NICs known on SONiC runs, or verify says so."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fabric.change.expectation import Expectation, deviations, of_switch
from fabric.change.plan_file import ExpectationForm
from fabric.lab.faults import Fault
from fabric.observe.snapshot import Snapshot
from fabric.workflow.apply import Options, apply
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import verify
from tests.change import labs
from tests.render.designs import design

OPTIONS = Options(timer_s=120, verify_s=60.0, poll_s=0.1)
LEAF = Selection(only=labs.LEAF)


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    folder = tmp_path_factory.mktemp("daemons")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, project, connections),
    ):
        assert lab[labs.LEAF].daemons.states == {}  # from the box: no VLAN, so it is not installed
        made = plan(project, connections, Selection(), "rail", labs.silent)
        result = apply(made, folder / "state", connections, OPTIONS, labs.silent)
        assert result.ok, result.reasons
        yield lab[labs.LEAF], project, connections, folder


@pytest.fixture
def leaf(ready):
    leaf = ready[0]
    assert leaf.daemons.states == {"arp_update": "RUNNING"}
    yield leaf
    leaf.faults.clear()
    leaf.daemons.states["arp_update"] = "RUNNING"


def looks(ready):
    _, project, connections, _ = ready
    (found,) = verify(project, connections, LEAF, labs.silent, wait_s=0)
    assert not found.error
    return {
        (item.item, item.message.partition(":")[0], item.unknown)
        for item in found.deviations
        if item.subject == "daemon"
    }


def test_it_runs(ready, leaf):
    assert looks(ready) == set()


@pytest.mark.parametrize("state", ["EXITED", "FATAL", "STOPPED"])
def test_verify_names_its_state(ready, leaf, state):
    leaf.daemons.states["arp_update"] = state
    assert looks(ready) == {("arp_update", f"state is {state}, expected RUNNING", False)}


def test_a_switch_that_does_not_have_it_is_not_fine(ready, leaf):
    """swss started without a VLAN: supervisord does not know the program."""
    del leaf.daemons.states["arp_update"]
    assert looks(ready) == {("arp_update", "state is ABSENT, expected RUNNING", False)}


def test_what_could_not_be_read_is_unknown(ready, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="supervisorctl", text="Error: No such container"))
    assert looks(ready) == {("arp_update", "its state could not be read", True)}


def test_the_command_says_it(ready, leaf):
    """In a process of its own, with the exit code of findings."""
    _, _, connections, folder = ready
    leaf.daemons.states["arp_update"] = "EXITED"
    words = ["verify", str(folder / "inventory"), "--connections", str(connections)]
    done = subprocess.run(
        [sys.executable, "-m", "fabric", *words, "--only", labs.LEAF],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stdout + done.stderr
    assert "daemon arp_update: state is EXITED, expected RUNNING" in done.stdout + done.stderr


def test_leaves_with_vlans_alone_need_it():
    leaf, spine = (of_switch(design("rail-512", name), {}) for name in ("su1-rail0", "spine01"))
    assert leaf.daemons == ("arp_update",)
    assert spine.daemons == ()
    silent = Snapshot("su1-rail0")
    assert [item.unknown for item in deviations(Expectation(daemons=leaf.daemons), silent)] == [
        True
    ]


def test_the_daemons_travel_in_a_plan():
    """A plan of before has none."""
    body = {"bgp": {}, "lldp": {}, "pfc": {}, "daemons": ["arp_update"]}
    form = ExpectationForm.model_validate_json(json.dumps(body))
    assert form.expectation().daemons == ("arp_update",)
    del body["daemons"]
    assert ExpectationForm.model_validate_json(json.dumps(body)).expectation().daemons == ()
