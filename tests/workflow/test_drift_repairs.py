"""Repairs of drift --watch on the lab: how many an hour, one that fails, a wrong inventory."""

from __future__ import annotations

import copy
import os

from fabric.change.journal import Journal
from fabric.lab.faults import Fault
from fabric.report.drifts import REPAIR
from fabric.workflow.drift_service import _Files
from tests.change import labs
from tests.waiting import until
from tests.workflow.test_drift_watch import (
    HARMLESS,
    REPAIR_LINE,
    applied,
    begun,
    ended,
    repaired,
    replace,
    runs,
    watching,
    with_policy,
)

ONE_AN_HOUR = "drift: {repair: harmless, repairs_per_hour: 1}"


#: Read at each look, whatever it is for.
READ = "sonic-cfggen|running"


def read_again(leaf):
    """Wait for three more looks at a device: the second one would repair it."""
    seen = Fault("slow", pattern=READ, seconds=0.0, nth=1 << 30)
    leaf.faults.add(seen)
    until(lambda: seen.seen >= 3, "the device is read again")


def test_the_limit_of_an_hour_holds_for_the_next_process_too(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, ONE_AN_HOUR)
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        once = [begun(labs.LEAF), ended(labs.LEAF)]
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until(once, "the first is repaired")
            watch.end()
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until([*once, begun(labs.LEAF)], "the second is reported")
            read_again(lab[labs.LEAF])
            watch.end()
        assert not repaired(lab)
        assert runs(tmp_path) == ["", "drift"]


def test_a_repair_whose_apply_fails_is_rolled_back_and_reported_once(tmp_path, monkeypatch):
    """The fault strikes once: a second try would succeed, and there is none."""
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, REPAIR_LINE)
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        before = copy.deepcopy(lab[labs.LEAF].running)
        lab[labs.LEAF].faults.add(Fault("refuse_line", pattern="config (load|apply-patch)"))
        failed = [begun(labs.LEAF), begun(labs.LEAF, REPAIR)]
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until(failed, "the repair fails")
            assert lab[labs.LEAF].running == before
            read_again(lab[labs.LEAF])
            assert len(watch.events()) == 2
            (event,) = [one for one in watch.events() if one.finding.rule == REPAIR]
            watch.end()
        assert runs(tmp_path) == ["", "drift"]
        run = Journal(tmp_path / "state").runs()[-1]
        assert event.finding.message.startswith(f"its repair failed: run {run.id}: ")


def test_nothing_is_repaired_while_the_inventory_is_wrong(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, REPAIR_LINE)
        file = tmp_path / "inventory" / "fabric.yaml"
        good = file.read_text()
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            read_again(lab[labs.LEAF])
            replace(file, good.replace("rails: 1", "rails: two"))
            until(lambda: "the one before it counts" in watch.errors.read_text(), "it is wrong")
            lab[labs.LEAF].hand_edit(*HARMLESS, {})
            watch.until([begun(labs.LEAF)], "the drift is reported")
            read_again(lab[labs.LEAF])
            assert runs(tmp_path) == [""]
            replace(file, good)
            watch.until(
                [begun(labs.LEAF), ended(labs.LEAF)],
                "it is repaired after that",
            )
            watch.end()
        assert runs(tmp_path) == ["", "drift"]


def test_files_are_hashed_when_they_have_another_time(tmp_path, monkeypatch):
    folder = labs.write_inventory(tmp_path / "inventory", labs.INVENTORY)
    files, file = _Files(folder), folder / "fabric.yaml"
    monkeypatch.setattr("fabric.intent.contents.inventory_hash", refuse)
    assert not files.have_changed()
    monkeypatch.undo()
    os.utime(file, (1, 1))
    assert not files.have_changed()  # another time, the same content
    text = file.read_text()
    file.unlink()
    assert not files.have_changed()  # an editor replaces it
    file.write_text(text.replace("tiny", "other"))
    assert files.have_changed()
    assert not files.have_changed()


def refuse(_folder):
    raise AssertionError("it was hashed")
