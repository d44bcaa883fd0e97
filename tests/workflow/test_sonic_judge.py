"""plan judges the merged whole of a SONiC switch before anything is written."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from fabric.devices.candidate import SonicLive, SonicStep
from fabric.observe.snapshot import Running
from fabric.platforms.catalogue import Skus
from fabric.render import render_device
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.yang_judge import Answer, Complaint, Yang
from fabric.validate.rule import rules
from fabric.workflow.sonic_judge import SonicJudge
from tests.cases import each
from tests.change import labs
from tests.change.sonic_bench import config_of
from tests.systems.sonic.test_change_merge import BARE, MODELS, from_the_box, leaf_of

SERVICE = "Ethernet512"


@dataclass(frozen=True)
class FakeYang(Yang):
    """Complains of a row wherever it stands, and knows release 202405 alone."""

    complaint: Complaint | None = None

    def answer(self, config):
        if self.release != "202405":
            return Answer(why_not="no YANG models")
        table, row, *_ = self.complaint.path
        return Answer((self.complaint,) if row in config.get(table, {}) else ())


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    return leaf_of(tmp_path_factory.mktemp("judge"), "ACS-SN5600")


def judged(design, running, judge=None, release="202405", steps=()):
    target = sonic.compose(running, config_of(design))
    result = Running(design.name, "sonic", running, "", None, {}, system={"release": release})
    draft = SimpleNamespace(target=target, candidate=SonicLive(steps))
    reading = SimpleNamespace(draft=draft, running=result)
    connection = SimpleNamespace(platform="sonic")
    artefacts = tuple(render_device(design))
    judge = judge or SonicJudge(Skus(), Yang(None))
    return judge(SimpleNamespace(connection=connection, artefacts=artefacts), reading)


@each("model", [name for name in MODELS if name not in BARE])
def test_what_is_right_passes(tmp_path, model):
    """Also the two models whose image numbers a service port as a lane of a cage."""
    design = leaf_of(tmp_path, model)
    verdict = judged(design, from_the_box(design))
    assert (verdict.refusals, verdict.notes) == ((), ())


def test_a_step_that_sets_off_a_known_defect_is_a_note(design):
    running = config_of(design)
    running["DEVICE_METADATA"]["localhost"]["mac"] = "52:54:00:00:00:01"
    port = next(name for name in running["PFC_WD"] if name != "GLOBAL")
    rows = {"PFC_WD": {port: {"action": "forward"}}}
    verdict = judged(design, running, steps=(SonicStep("load", json.dumps(rows)),))
    assert verdict.refusals == ()
    (note,) = verdict.notes
    assert note.startswith(f"PFC_WD|{port}|action: known defect: ")
    assert note.endswith("[DEF015]")


def test_a_fault_that_runs_in_a_row_of_others_is_a_note(design):
    running = from_the_box(design)
    running["QUEUE"][f"{SERVICE}|0"] = {"scheduler": "scheduler.none"}
    verdict = judged(design, running)
    assert verdict.refusals == ()
    (note,) = verdict.notes
    assert note.startswith(f"unchanged on the switch: QUEUE|{SERVICE}|0")
    assert "[SON029]" in note


def test_a_fault_that_the_merge_makes_is_refused(design):
    """A subnet of another interface, in which those of the fabric come to lie."""
    running = from_the_box(design)
    running["INTERFACE"] = {SERVICE: {}, f"{SERVICE}|10.0.0.1/8": {}}
    verdict = judged(design, running)
    assert verdict.notes == ()
    assert verdict.refusals
    assert all("[SON038]" in item and SERVICE in item for item in verdict.refusals)


def test_a_fault_of_our_rows_is_refused_though_it_runs(design, monkeypatch):
    """What comes of the inventory is written anew: it does not stay, it is ours."""
    running = sonic.compose(from_the_box(design), config_of(design))
    complaint = Complaint(("QUEUE", "Ethernet0|3", "wred_profile"), "bad")
    judge = SonicJudge(Skus(), FakeYang(None, complaint=complaint))
    verdict = judged(design, running, judge)
    assert verdict.notes == ()
    assert [item.partition(" (")[0] for item in verdict.refusals] == [
        "QUEUE|Ethernet0|3|wred_profile: bad"
    ]


@pytest.mark.parametrize("runs", [True, False])
def test_yang_names_the_row(design, runs):
    running = from_the_box(design)
    if runs:
        running["DNS_NAMESERVER"] = {"nonsense": {}}
        complaint = Complaint(("DNS_NAMESERVER", "nonsense"), "bad")
    else:
        complaint = Complaint(("PFC_WD", "Ethernet0", "detection_time"), "bad")
    verdict = judged(design, running, SonicJudge(Skus(), FakeYang(None, complaint=complaint)))
    lines = verdict.notes if runs else verdict.refusals
    assert len(lines) == 1
    assert "|".join(complaint.path) in lines[0]
    assert "[SON040]" in lines[0]
    assert not (verdict.refusals if runs else verdict.notes)


def test_a_rule_that_fails_itself_refuses(design, monkeypatch):
    def fail(_self, _config):
        message = "oops"
        raise RuntimeError(message)

    monkeypatch.setattr(rules["SON030"], "check", fail)
    verdict = judged(design, from_the_box(design))
    assert verdict.refusals == ("rule SON030 could not run (RuntimeError: oops)",)


def test_it_says_of_how_many_switches_nothing_is_known(design):
    judge = SonicJudge(Skus(), FakeYang(None, complaint=Complaint(("X", "y"), "bad")))
    for release in ("202405", "202505", "202505"):
        judged(design, from_the_box(design), judge, release)
    said = []
    judge.tell(lambda device, text: said.append((device, text)))
    assert said == [("", "YANG: not validated: no YANG models (2 switches)")]


def test_plan_refuses_and_says_what_it_did_not_validate(tmp_path, monkeypatch):
    """In a process of its own, on a switch on which somebody has the subnet of the hosts."""
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        words = ["plan", str(project.intent.folder), "--connections", str(connections)]
        command = [sys.executable, "-m", "fabric", *words, "--only", labs.LEAF]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "YANG: not validated: no YANG models; specify their folder" in done.stderr
        lab[labs.LEAF].hand_edit("PORTCHANNEL", "PortChannel1", None, {"admin_status": "up"})
        lab[labs.LEAF].hand_edit("PORTCHANNEL_INTERFACE", "PortChannel1", None, {"NULL": "NULL"})
        lab[labs.LEAF].hand_edit(
            "PORTCHANNEL_INTERFACE", "PortChannel1|10.64.0.1/16", None, {"NULL": "NULL"}
        )
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 3, done.stdout + done.stderr
        assert f"rocefab: {labs.LEAF}: " in done.stderr
        assert "devices were read" not in done.stderr
        assert f"{labs.LEAF}: it cannot be planned" in done.stderr
        assert "PortChannel1" in done.stderr
        assert "[SON038]" in done.stderr
