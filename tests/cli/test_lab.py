"""The main job through the command line, on the lab: what a user sees, and the exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabric.core import hostlist
from fabric.lab.faults import Fault
from tests.change import labs
from tests.cli.runs import everything_below, run

PASSWORD = "correct-horse-battery-staple"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A lab fresh from the box, with a password of its own, and a folder to work in."""
    with monkeypatch.context() as patch:
        for name in ("ROCEFAB_CONNECTIONS", "ROCEFAB_STATE", "ROCEFAB_USERNAME"):
            patch.delenv(name, raising=False)
        with _lab(tmp_path, patch) as lab:
            patch.setenv("ROCEFAB_CONNECTIONS", str(tmp_path / "lab" / "connections.json"))
            patch.chdir(tmp_path)
            yield lab


def _lab(folder: Path, patch: pytest.MonkeyPatch):
    from fabric.workflow.laboratory import laboratory
    from fabric.workflow.project import Project

    patch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    return laboratory(Project(labs.write_inventory(folder / "inventory")), folder / "lab")


class Witness:
    """Runs commands and remembers everything that they said."""

    def __init__(self) -> None:
        self.said = ""

    def __call__(self, code: int, words: str):
        ended = run(*words.split())
        assert ended.code == code, f"{words}: {ended.code}\n{ended.said}"
        self.said += ended.said
        return ended


@pytest.mark.fault(22)
def test_the_main_job(site, tmp_path: Path) -> None:
    lab, tell = site, Witness()
    untouched = _states(lab)

    ended = tell(5, "plan inventory --out plan.json --detailed-exitcode --by device")
    assert re.search(r"^3 devices .*in 3 waves", ended.out, re.MULTILINE)
    assert "wrote plan.json; run `rocefab apply plan.json --commit` to apply it" in ended.err
    assert re.findall(r"^(?:su1|spine|gpu)", ended.err, re.MULTILINE) == []
    only = tell(0, "plan inventory --only gpu1").out
    assert only.startswith("1 device to change in 1 wave ")
    assert "\nwave 1\n  gpu1 (host): " in only

    ended = tell(0, "apply plan.json")
    assert "Dry run" in ended.err
    assert "at most 12.0 min until all waves look healthy (240 s for each)" in ended.out
    # The differences come last.
    assert re.search(r"\nno packet will be sent: .*\n\n\S+\n    ", ended.out)
    assert "3 devices" in ended.out
    assert _states(lab) == untouched
    assert not (tmp_path / ".rocefab").exists()
    assert tell(0, "status").err == "no runs yet of an inventory in this folder\n"
    tell(4, "drift inventory")

    ended = tell(0, "apply plan.json --commit")
    assert ended.out == ""
    assert "run 1: done" in ended.err
    assert [row["state"] for row in json.loads(tell(0, "status --format json").out)] == ["done"]
    assert tell(0, "status 1").out.count(" done ") == 3
    assert (
        tell(2, "status 9").err
        == "rocefab: run 9 does not exist; `rocefab status` lists the runs\n"
    )

    assert tell(0, "verify inventory --wait-s 10").err == "3 of 3 devices are as planned\n"
    assert all(item["ok"] for item in json.loads(tell(0, "verify inventory --format json").out))
    tell(0, "drift inventory")
    ended = tell(0, "plan inventory --out empty.json --detailed-exitcode")
    assert ended.out.startswith("No changes. 3 devices match the inventory.")
    assert "contains no changes" in tell(0, "apply empty.json --commit").err
    assert "changed after it was planned" in tell(3, "apply plan.json --commit").err
    lab[labs.LEAF].hand_edit("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "900000")
    ended = tell(4, "drift inventory")
    assert "runs 900000, planned 1500000" in ended.out
    assert ended.err == "2 of 3 devices are as planned\n"
    result = json.loads(tell(4, "drift inventory --format json").out)
    assert [item["device"] for item in result if not item["ok"]] == [labs.LEAF]
    assert "changed again after run 1" in tell(3, "rollback 1 --commit").err

    lab[labs.LEAF].hand_edit("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "1500000")
    ended = tell(0, "rollback 1")
    went = re.findall(r"^wave \d: (\S+) \(1 device\): by ", ended.out, re.MULTILINE)
    assert sorted(went) == sorted([labs.HOST, labs.LEAF, labs.SPINE])
    assert f"takes NICs of 1 host ({labs.HOST}) out of service: stop the jobs there" in ended.out
    assert "Dry run: the devices of the waves would be rolled back" in ended.err
    tell(0, "rollback 1 --commit")
    assert re.search(r":\d\d UTC +done, rolled back by runs \d and \d ", tell(0, "status").out)
    tell(4, "drift inventory")

    kept = "".join(
        content.decode(errors="replace")
        for name, content in everything_below(tmp_path).items()
        if name != "lab/password"
    )
    assert PASSWORD not in tell.said
    assert PASSWORD not in kept


@pytest.mark.fault(13)
def test_a_device_that_is_away_does_not_hide_the_others(site) -> None:
    lab = site
    lab[labs.LEAF].faults.add(Fault("cut_at_byte", count=0, times=0))
    for words in ("verify inventory", "drift inventory"):
        ended = run(*words.split())
        assert ended.code == 3
        assert f"{labs.LEAF}: could not be read: " in ended.out
        assert f"\n{labs.HOST}: " in "\n" + ended.out
        assert f"\n{labs.SPINE}: " in "\n" + ended.out
        assert PASSWORD not in ended.said
    ended = run(*"drift inventory --format junit".split())
    assert (ended.code, f"{labs.LEAF}: it could not be read" in ended.out) == (3, True)
    ended = run("plan", "inventory", "--out", "plan.json")
    assert (ended.code, ended.out) == (3, "")
    assert labs.LEAF in ended.err
    assert not Path("plan.json").exists()


@pytest.mark.fault(14, 22)
def test_a_wrong_password_is_not_shown(site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", "not-the-password")
    ended = run("verify", "inventory")
    assert ended.code == 3
    devices = hostlist.fold([labs.LEAF, labs.SPINE, labs.HOST])
    assert f"{devices}: could not be read: cannot log in: the login is rejected; set " in ended.out
    assert "not-the-password" not in ended.said


def _states(lab) -> tuple[str, str, str]:
    return (
        json.dumps(lab[labs.LEAF].running, sort_keys=True),
        lab[labs.SPINE].running_text,
        str(lab[labs.HOST].qos["eth1"]),
    )
