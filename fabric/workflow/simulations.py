"""Simulations that do not depend on each other, in processes or on a cluster."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from fabric.qos.simulate.outcome import simulate
from fabric.workflow.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.qos.simulate.outcome import Outcome
    from fabric.qos.simulate.scenario import Scenario

#: How an outcome would be kept; `Work` has no store here, so nothing is.
_FORM = (pickle.dumps, pickle.loads)  # noqa: S301 - nothing is read


def elsewhere(workers: str) -> Callable[[Mapping[str, Scenario]], dict[str, Outcome]] | None:
    """Return what runs scenarios by their names; None where this process shall run them.

    Parameters
    ----------
    workers : str
        Number of processes, or address of a cluster, ``dask://HOST:PORT``.
    """
    if workers in {"0", "1"}:
        return None
    return lambda scenarios: _work(workers).each("simulation", simulate, scenarios, _FORM)


def _work(workers: str) -> Work:
    if workers.isdecimal():
        return Work(workers=int(workers))
    from fabric.workflow.cluster import Cluster

    return Work(executor=Cluster(workers, inputs=1))
