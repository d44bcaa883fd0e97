"""Simulations that do not depend on each other, in processes or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.outcome import simulate
from fabric.workflow.stages import Stage
from fabric.workflow.work import work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.qos.simulate.outcome import Outcome
    from fabric.qos.simulate.scenario import Scenario

_SIMULATION = Stage("simulation", "simulations", simulate, "simulate")


def elsewhere(workers: str) -> Callable[[Mapping[str, Scenario]], dict[str, Outcome]] | None:
    """Return what runs scenarios by their names; None where this process shall run them.

    Parameters
    ----------
    workers : str
        Number of processes, or address of a cluster, ``dask://HOST:PORT``.
    """
    if workers in {"0", "1"}:
        return None
    return lambda scenarios: work_of(None, fresh=True, workers=workers).each(
        _SIMULATION, scenarios, per_task=1
    )
