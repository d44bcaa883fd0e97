"""Running configurations of eight systems, read from devices and proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.workflow.laboratory import laboratory
from fabric.workflow.project import Project
from tests.cli.runs import Ended, run

MIXED = Path("inventory/mixed").absolute()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab of eight switch systems on which the inventory has been applied."""
    folder = tmp_path_factory.mktemp("running")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", "correct-horse-battery-staple")
        patch.setenv("ROCEFAB_CONNECTIONS", str(folder / "lab" / "connections.json"))
        patch.chdir(folder)
        with laboratory(Project(MIXED), folder / "lab") as devices:
            _run(0, "plan", str(MIXED), "--no-hosts", "--out", "plan.json")
            _run(0, "apply", "plan.json", "--commit")
            yield devices


def _run(code: int, *words: str) -> Ended:
    ended = run(*words)
    assert ended.code == code, ended.said
    return ended


def test_what_runs_is_proved_and_kept(lab: Lab, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    ended = _run(0, "prove", str(MIXED), "--running", "--snapshot", str(kept))
    assert "56 of 56 pairs of NICs that the design connects" in ended.err
    assert len([file for file in kept.rglob("*") if file.is_file()]) == 10

    _run(0, "prove", str(MIXED), "--snapshot", str(kept))
    ended = _run(2, "prove", str(MIXED), "--running", "--snapshot", str(kept))
    assert "is not an empty folder" in ended.err


def test_a_port_that_was_shut_by_hand_is_found(lab: Lab) -> None:
    lab["eos-leaf"].hand_edit("interface Ethernet1/1\n   shutdown\n")
    try:
        ended = _run(4, "prove", str(MIXED), "--running")
    finally:
        lab["eos-leaf"].hand_edit("interface Ethernet1/1\n   no shutdown\n")
    assert "eos-leaf Ethernet1/1: " in ended.out
    assert "the port is shut down" in ended.out
    assert "[BAT014]" in ended.out


def test_a_switch_that_is_away_proves_nothing(lab: Lab) -> None:
    fault = Fault("cut_at_byte", count=0, times=0)
    lab["spine01"].faults.add(fault)
    ended = _run(3, "prove", str(MIXED), "--running")
    assert "spine01" in ended.err
    assert "proved" not in ended.out
