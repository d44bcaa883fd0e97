"""What each device is to have at its ports, by what its readings are judged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fabric.health.plan import Expected
from fabric.workflow.project import Project
from fabric.workflow.stages import Stage
from fabric.workflow.work import work_of

if TYPE_CHECKING:
    from pathlib import Path

#: Devices that a process designs about as fast as it starts: our choice.
PER_PROCESS = 1500


def _nothing(_: object) -> Any:
    """Keep nothing between runs: what is made costs less than its key."""
    return None


_SWITCH = Stage("expected switch", "switches", Expected.of_switch, _nothing, _nothing, "design")
_HOST = Stage("expected host", "hosts", Expected.of_host, _nothing, _nothing, "design")


def expected(project: Project) -> dict[str, Expected]:
    """Return what every switch and every host is to have, made where the project works."""
    return project.each_switch(_SWITCH) | project.each_host(_HOST)


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
