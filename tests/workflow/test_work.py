"""What is made of devices one by one is counted as devices, in this process and in others."""

from __future__ import annotations

import pytest

from fabric.core.steps import steps, timed, watched
from fabric.workflow.project import Project
from fabric.workflow.stages import Stage
from fabric.workflow.work import Work
from tests.topology.fabrics import INVENTORY


def squared(number: int) -> int:
    """Return the square, as if rules had been run."""
    return next(number for _ in steps("rules", [number])) ** 2


@pytest.mark.parametrize("workers", [1, 2])
def test_devices_are_counted(workers: int) -> None:
    told: list[tuple[str, int, int]] = []
    inputs = {f"device{number}": number for number in range(5)}
    with watched(lambda *words: told.append(words)):
        made = Work(workers=workers).each(Stage("square", "switches", squared), inputs)
    assert made == {f"device{number}": number**2 for number in range(5)}
    assert told == [("switches", done, 5) for done in range(6)]


def test_render_counts_switches_and_hosts_and_times_its_stages() -> None:
    told: list[tuple[str, int, int]] = []
    with timed() as seconds, watched(lambda *words: told.append(words)):
        project = Project(INVENTORY / "demo")
        assert (len(project.switch_artefacts), len(project.host_artefacts)) == (6, 4)
    assert {(what, total) for what, _, total in told} == {("switches", 6), ("hosts", 4)}
    assert list(seconds) == ["load", "design", "render"]
