"""What each device is to have at its ports, by what its readings are judged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.health.plan import Expected
from fabric.workflow.project import Project
from fabric.workflow.stages import Stage
from fabric.workflow.work import work_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Devices that a process designs about as fast as it starts: our choice.
PER_PROCESS = 1500


@dataclass(frozen=True)
class _Expecting:
    """Says what a device is to have, by its row."""

    design: Callable[[int], Any]
    of: Callable[[Any], Expected]

    def __call__(self, row: int) -> Expected:
        return self.of(self.design(row))


def expected(project: Project) -> dict[str, Expected]:
    """Return what every switch and every host is to have, made where the project works."""
    switches = _Expecting(project.devices.of_row, Expected.of_switch)
    hosts = _Expecting(project.hosts.of_row, Expected.of_host)
    return {
        **project.work.each(
            Stage("expected switch", "switches", switches, "design"), project.devices.rows
        ),
        **project.work.each(Stage("expected host", "hosts", hosts, "design"), project.hosts.rows),
    }


def project_of(inventory: Path, workers: str) -> Project:
    """Return the project of a command that judges.

    Parameters
    ----------
    workers : str
        Number of processes, or address of a cluster, ``dask://HOST:PORT``, that design; 0 takes
        as many as there are processors and work for.
    """
    project = Project(inventory)
    if workers == "0":
        devices = len(project.fabric.switches) + len(project.fabric.hosts)
        workers = str(max(1, min(os.cpu_count() or 1, devices // PER_PROCESS)))
    project.work = work_of(None, fresh=True, workers=workers)
    return project
