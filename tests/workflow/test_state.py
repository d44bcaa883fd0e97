"""One state folder for each inventory, found from wherever a command runs."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from fabric.change.apply import Options
from fabric.change.journal import Journal, State
from fabric.core.errors import JournalError
from fabric.workflow import apply as workflow
from fabric.workflow import state as states
from fabric.workflow.plan import origin_of
from tests.change import memory_fabric
from tests.cli.runs import process, run

EXAMPLES = Path(__file__).parents[2] / "inventory"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of a user with one inventory, in which commands run."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("ROCEFAB_STATE", raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    monkeypatch.setattr(workflow, "_reachable", lambda *_: memory_fabric.connections(tmp_path))
    shutil.copytree(EXAMPLES / "mixed", work / "inv")
    return tmp_path


@pytest.fixture
def plan(home):
    return dataclasses.replace(memory_fabric.make_plan(home), origin=origin_of(Path("inv")))


def apply(plan, state=None):
    return workflow.apply(plan, state, None, Options(poll_s=0.01), lambda *_: None)


def test_a_run_is_found_again_from_the_folder_above_and_inside(home, plan, monkeypatch):
    assert apply(plan).ok
    (folder,) = (home / "xdg" / "rocefab").iterdir()
    assert folder.name.startswith("memory-")
    assert len(folder.name) == len("memory-") + 8
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not Path(".rocefab").exists()
    assert " done " in run("status").out
    assert run("status", "1", "--inventory", "inv").out.count(" done ") == 3
    monkeypatch.chdir("inv")
    assert " done " in run("status").out
    monkeypatch.chdir(home)
    assert " done " in run("status").out
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    assert run("status").err == "no runs yet of an inventory in this folder\n"
    assert " done " in run("status", "--inventory", home / "work" / "inv").out
    assert "leaf1" in run("rollback", "1", "--inventory", home / "work" / "inv").out


def test_a_link_to_the_inventory_and_another_name_of_the_fabric_are_the_same(home, plan):
    assert apply(plan).ok
    Path("link").symlink_to("inv")
    first = states.of_inventory(Path("inv"), "memory")
    assert states.of_inventory(Path("link"), "renamed") == first
    assert states.of_inventory(Path("link") / ".." / "inv") == first


def test_the_option_and_the_variable_win(home, plan, monkeypatch):
    assert apply(plan).ok
    assert run("status", "--state", "mine").err == "no runs in mine yet\n"
    assert process("status", cwd=Path.cwd(), ROCEFAB_STATE="mine").err == "no runs in mine yet\n"


def test_two_inventories_are_named(home, plan):
    assert apply(plan).ok
    shutil.copytree("inv", "other")
    again = dataclasses.replace(memory_fabric.make_plan(home), origin=origin_of(Path("other")))
    assert apply(dataclasses.replace(again, waves=(), devices={})).ok
    ended = run("status")
    assert ended.code == 2
    assert "several state folders belong to" in ended.err
    assert " done " in run("status", "--inventory", "other").out


def test_an_interrupted_run_of_an_earlier_version_is_named(home, plan):
    journal = Journal(Path(".rocefab"))
    interrupted = journal.begin("apply", "memory", plan.to_json())
    with pytest.raises(
        JournalError, match=r"\.rocefab holds run 1, .*rollback 1 --commit --state \.rocefab"
    ):
        apply(plan)
    assert not (home / "xdg").exists()
    assert "interrupted" in run("status").out, "the only one here"
    journal.record(interrupted, "", State.DONE)
    assert apply(plan).ok
    assert "several state folders" in run("status").err


def test_a_plan_cannot_name_a_folder_elsewhere(home, plan):
    folder = states.of_plan(dataclasses.replace(plan, fabric="../../../etc/x"))
    assert folder.parent == home / "xdg" / "rocefab"


def test_a_folder_that_cannot_be_written_is_said(home, plan):
    (home / "xdg").write_text("a file")
    with pytest.raises(JournalError, match="cannot be written: .*use --state"):
        apply(plan)
