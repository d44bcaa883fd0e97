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
from fabric.workflow.state_owners import note_owner
from tests.change import memory_fabric
from tests.cli.runs import process, run

EXAMPLES = Path(__file__).parents[2] / "inventory"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of a user with one inventory, in which commands run."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("ROCEFAB_STATE", raising=False)
    work = tmp_path / "site"
    work.mkdir()
    monkeypatch.chdir(work)
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(tmp_path))
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
    assert " done " in run("status", "--inventory", home / "site" / "inv").out
    assert "leaf[1-2]" in run("rollback", "1", "--inventory", home / "site" / "inv").out


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


def test_a_folder_without_a_journal_has_no_runs(home, plan):
    """`rocefab serve` keeps its state beside the journal that there may be."""
    service = home / "xdg" / "rocefab" / "fabric-00000000"
    note_owner(service, Path("other").resolve(), "fabric")
    assert run("status").err == "no runs yet of an inventory in this folder\n"
    assert apply(plan).ok
    assert " done " in run("status").out
    assert "leaf[1-2]" in run("rollback", "1").out
    note_owner(service, Path("other").resolve(), "fabric")
    ended = run("status", "1", "--inventory", "other")
    assert (ended.code, "no runs yet of other" in ended.err) == (2, True)


@pytest.mark.parametrize("options", [(), ("--check",), ("--state", "own")])
def test_serve_makes_no_state_folder_for_an_inventory_that_does_not_load(home, options):
    for folder, text in (("nofab", ""), ("wrong", "name: [")):
        if text:
            Path(folder).mkdir()
            (Path(folder) / "fabric.yaml").write_text(text)
        ended = run("serve", folder, *options)
        assert (ended.code, folder in ended.err) == (2, True)
    assert not (home / "xdg").exists()
    assert not Path("own").exists()


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


def test_a_state_goes_with_an_inventory_that_is_moved(home, plan):
    """By the name of its fabric; the next run notes where it is."""
    planned = dataclasses.replace(plan, fabric="mixed")
    assert apply(planned).ok
    (folder,) = (home / "xdg" / "rocefab").iterdir()
    moved = home / "elsewhere" / "other-name"
    moved.parent.mkdir()
    shutil.move("inv", moved)
    ended = run("status", "--inventory", moved)
    assert " done " in ended.out
    assert f"the state in {folder} was written for mixed in {home}/site/inv, which is gone" in (
        ended.err
    )
    again = dataclasses.replace(planned, origin=origin_of(moved), waves=(), devices={})
    assert apply(again).ok
    assert [*(home / "xdg" / "rocefab").iterdir()] == [folder]
    assert run("status", "--inventory", moved).err == ""
    assert "which is gone" in Journal(folder).events(2)[0].detail


def test_two_fabrics_of_one_name_have_two_states(home, plan):
    planned = dataclasses.replace(plan, fabric="mixed")
    assert apply(planned).ok
    first = states.of_inventory(Path("inv"))
    shutil.copytree("inv", "copy")
    second = states.of_inventory(Path("copy"))
    assert second != first
    assert run("status", "--inventory", "copy").err.startswith("no runs yet")


def test_an_inventory_in_the_place_of_one_that_was_moved_has_its_own_state(home, plan):
    planned = dataclasses.replace(plan, fabric="mixed")
    assert apply(planned).ok
    first = states.of_inventory(Path("inv"))
    shutil.move("inv", "moved")
    again = dataclasses.replace(planned, origin=origin_of(Path("moved")), waves=(), devices={})
    assert apply(again).ok
    shutil.copytree("moved", "inv")
    second = states.of_inventory(Path("inv"))
    assert second not in {first, states.of_inventory(Path("moved"))}
    assert states.of_inventory(Path("moved")) == first


def test_a_plan_from_another_machine_leaves_the_note(home, plan):
    """Its inventory is at another path here, whose state it is."""
    planned = dataclasses.replace(plan, fabric="mixed")
    first = states.of_plan(planned)
    shutil.move("inv", "moved")
    assert states.of_plan(dataclasses.replace(planned, origin=origin_of(Path("moved")))) == first
    assert states.of_plan(planned) == first
    assert (first / "inventory").read_text() == f"{home}/site/moved\n"
    assert states.taken_by(planned) == ""


def test_a_fabric_of_another_name_takes_nothing_over(home, plan):
    assert apply(dataclasses.replace(plan, fabric="mixed")).ok
    shutil.move("inv", "moved")
    file = Path("moved") / "fabric.yaml"
    file.write_text(file.read_text().replace("name: mixed", "name: another"))
    assert not states.of_inventory(Path("moved")).exists()


def test_of_two_inventories_that_are_gone_none_is_taken_over(home, plan):
    planned = dataclasses.replace(plan, fabric="mixed")
    for name in ("inv", "second"):
        if name != "inv":
            shutil.copytree("inv", name)
        origin = origin_of(Path(name))
        assert apply(dataclasses.replace(planned, origin=origin, waves=(), devices={})).ok
    shutil.move("inv", "moved")
    shutil.rmtree("second")
    assert not states.of_inventory(Path("moved")).exists()


def test_a_folder_of_an_earlier_version_is_found(home, plan):
    """Its name has the fabric and the path; it has no note of the fabric, perhaps none at all."""
    assert apply(dataclasses.replace(plan, fabric="mixed")).ok
    (folder,) = (home / "xdg" / "rocefab").iterdir()
    (folder / "fabric").unlink()
    assert states.of_inventory(Path("inv")) == folder
    shutil.move("inv", "moved")
    assert states.of_inventory(Path("moved")) == folder
    shutil.move("moved", "inv")
    (folder / "inventory").unlink()
    assert states.of_inventory(Path("inv")) == folder


def test_a_plan_cannot_name_a_folder_elsewhere(home, plan):
    folder = states.of_plan(dataclasses.replace(plan, fabric="../../../etc/x"))
    assert folder.parent == home / "xdg" / "rocefab"


def test_a_folder_that_cannot_be_written_is_said(home, plan):
    (home / "xdg").write_text("a file")
    with pytest.raises(JournalError, match="cannot be written: .*use --state"):
        apply(plan)
