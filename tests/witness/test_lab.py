"""Plan, apply and plan again on stand-ins: each kind of line of each system goes over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.change.labs import silent
from tests.witness.faults import kinds_of
from tests.witness.systems import SYSTEMS, System, Witnessed, witnessed

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


def cover(system: System, folder: Path) -> Iterator[Witnessed]:
    """Yield the base, then each setting that has a kind of line which none before it has."""
    lines: set[str] = set()
    for number, (title, setting) in enumerate(system.settings.items()):
        work = witnessed(folder / str(number), system, title, setting)
        if work.is_waived:
            continue  # no plan is made of it
        kinds = {line for files in work.files.values() for line in kinds_of(files[0].text)}
        if not kinds <= lines:
            lines |= kinds
            yield work


def cabled(work: Witnessed) -> set[tuple[str, ...]]:
    """Return the cables of a fabric and who its switches are: a lab is wired for them."""
    return {
        (name, design.mac, port.name, port.peer, port.peer_port)
        for name, design in work.designs.items()
        for port in design.ports
        if port.kind != "unused"
    }


def changed(project: Project, folder: Path) -> None:
    """Apply a project, and find nothing left to do."""
    selection = Selection(hosts=False)
    connections = folder / "lab" / CONNECTIONS
    first = plan(project, connections, selection, "rail", silent)
    if not first.empty:
        result = apply(first, folder / "state", connections, OPTIONS, silent)
        assert result.ok, result.reasons
    assert plan(project, connections, selection, "rail", silent).empty


@pytest.mark.waits
@pytest.mark.parametrize("name", SYSTEMS)
def test_each_line_goes_over_the_wire(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """On one lab, from setting to setting; cables of other settings have a lab of their own."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    works = list(cover(SYSTEMS[name], tmp_path / "inventories"))
    waiting = {work.name: work for work in works}
    while waiting:
        first = next(iter(waiting.values()))
        alike = [work for work in waiting.values() if cabled(work) == cabled(first)]
        folder = tmp_path / f"of {first.name}"
        assert first.project is not None
        with laboratory(first.project, folder / "lab"):
            for work in alike:
                del waiting[work.name]
                assert work.project is not None
                with subtests.test(work.name):
                    changed(work.project, folder)
