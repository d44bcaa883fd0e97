"""Work on failures that does not depend on each other, in processes or on a cluster."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.workflow.stages import Stage
from fabric.workflow.work import work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fabric.topology.routes_failures import Mapped

#: Batches of failures that take a process about as long as its start: our choice.
BATCHES = 5
#: Devices of a fabric from which on two runs of the rules take longer than the start of a process:
#: our choice, a few seconds.
DEVICES = 1000


def mapped(workers: str, per_process: int) -> Mapped:
    """Return what works on items, in order, as `map` does.

    Parameters
    ----------
    workers : str
        Number of processes, or address of a cluster, ``dask://HOST:PORT``; 0 takes a process for
        so many items, up to one for each processor.
    per_process : int
        Items that a process is worth, > 0.
    """
    return partial(_mapped, workers, per_process)


def _mapped(
    workers: str, per_process: int, work: Callable[[Any], Any], items: Iterable[Any]
) -> Iterable[Any]:
    every = list(items) if workers != "1" else []
    if workers == "0":
        workers = str(min(os.cpu_count() or 1, len(every) // per_process))
    if workers in {"0", "1"}:
        return map(work, every or items)
    stage = Stage("failure", "batches of failures", work, "failures")
    inputs = {str(number): item for number, item in enumerate(every)}
    return work_of(None, fresh=True, workers=workers).each(stage, inputs, per_task=1).values()
