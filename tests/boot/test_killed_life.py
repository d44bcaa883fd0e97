"""kill -9 at each write of a replacement: the same command again reaches the same end."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from fabric.boot.log import State, read_log, states
from fabric.intent.inventory import load
from fabric.workflow import apply as applying
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import Selection
from fabric.workflow.plan import plan, write_plan
from fabric.workflow.project import Project
from fabric.workflow.replace import Replacement, Unit
from tests.boot.killed import run_killed
from tests.boot.swapped import contact, swap, written
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1, traffic_stopped=True)
#: Both commands write twice: inventory and connections, connections and boot log.
KILLS = list(product((1, 2), ("before", "after")))
#: Of the 12 writes of an apply to one switch; tests/change/test_kill.py tries all of another.
APPLY = (1, 5, 8, 11)


def serials(folder: Path) -> list[str | None]:
    return [one.value.serial for one in load(folder).device_overrides[labs.LEAF]]


def trusted(file: Path) -> str:
    return str(json.loads(file.read_text())["devices"][labs.LEAF].get("trust", ""))


@pytest.mark.fault(8)
def test_nothing_is_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four replacements of one switch: each command of each is killed at another place."""
    monkeypatch.chdir(tmp_path)
    text = written(tmp_path, labs.of_models({"7060X6-64PE": "ACS-SN5600"}))
    inventory, state, log = (tmp_path / name for name in ("inventory", "state", "boot.log"))
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, file):
        first = apply(labs.planned(project, file), state, file, OPTIONS, labs.silent)
        assert first.ok, first.reasons
        for (number, when), of_apply in zip(KILLS, APPLY, strict=True):
            done = number - (when == "before")  # writes that took place
            serial, old, was = f"NEW{number}{when}", serials(inventory), trusted(file)
            words = ("replace", labs.LEAF, "--serial", serial, "--inventory", inventory)
            killed = run_killed(number, when, *words, "--connections", file)
            assert killed.returncode == -9, killed.stderr
            assert serials(inventory) == ([serial] if done >= 1 else old)
            assert trusted(file) == ("" if done >= 2 else was)
            again = Replacement(inventory, labs.LEAF, Unit(serial), file).run()
            left = (again.edited is not None, again.old_key)
            assert left == (done < 1, done < 2), "it does what is left, and nothing twice"
            assert (serials(inventory), trusted(file)) == ([serial], "")

            swap(lab, Project(inventory), labs.LEAF, file, mac=f"02:00:00:00:0c:{number:02d}")
            words = ("first-contact", inventory, "--connections", file, "--boot-log", log)
            killed = run_killed(number, when, *words, "--only", labs.LEAF)
            assert killed.returncode == -9, killed.stderr
            assert trusted(file) == (lab[labs.LEAF].trust if done >= 1 else "")
            assert contact(tmp_path, labs.LEAF, file) == {}
            assert trusted(file) == lab[labs.LEAF].trust
            reached = states(read_log(log), [labs.LEAF])
            assert reached == {labs.LEAF: State.REACHABLE}

            now = Project(inventory)
            leaf = plan(now, file, Selection(only=labs.LEAF), "rail", labs.silent)
            write_plan(tmp_path / "plan.json", leaf.to_json())
            words = ("apply", tmp_path / "plan.json", "--connections", file, "--state", state)
            killed = run_killed(of_apply, when, *words, "--commit", "--traffic-stopped")
            assert killed.returncode == -9, killed.stderr
            if applying.status(state)[-1]["state"] == "interrupted":
                assert applying.resume(state, file, OPTIONS, labs.silent).ok
            else:  # it was killed before it touched anything
                assert apply(leaf, state, file, OPTIONS, labs.silent).ok
            assert labs.unhealthy(now, file) == []
            assert applying.status(state)[-1]["state"] == "done"
