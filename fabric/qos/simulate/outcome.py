"""A run and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.simulate.build import instant
from fabric.qos.simulate.compiled import COMPILED
from fabric.qos.simulate.engine import run
from fabric.qos.simulate.state import Flow, Hop, Law, Node, Packet, Port, rows, store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.simulate.build import Instant
    from fabric.qos.simulate.scenario import Scenario
    from fabric.qos.simulate.state import Records

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """State at the end of a run, and its samples.

    Parameters
    ----------
    ports, nodes, flows, laws : record arrays
        See :mod:`fabric.qos.simulate.state`.
    queues : array of int, shape (samples, ports)
        Egress queues in bytes.
    delivered : array of int, shape (samples, flows)
        Bytes that the receivers took in order.
    """

    scenario: Scenario
    ports: Records
    nodes: Records
    flows: Records
    laws: Records
    queues: Ints
    delivered: Ints


def simulate(scenario: Scenario, *, compiled: bool = COMPILED) -> Outcome:
    """Run a scenario.

    Parameters
    ----------
    compiled : bool
        Whether the kernels are compiled; needs numba.

    Raises
    ------
    ValueError
        When the scenario is not valid; the message says how.
    """
    first = instant(scenario)
    if compiled:
        run(*_parts(first))  # type: ignore[arg-type]
    else:
        _interpret(first)
    end = first.until
    ports = first.ports
    ports["queue_area"] += ports["queue"] * (end - ports["queue_time"]).astype(float)
    ports["paused_ps"] += np.where(ports["paused"], end - ports["paused_at"], 0)
    return Outcome(
        scenario,
        ports,
        first.nodes,
        first.flows,
        first.laws,
        first.queues.reshape(-1, len(ports)),
        first.delivered.reshape(-1, len(first.flows)),
    )


def _parts(first: Instant) -> tuple[object, ...]:
    return tuple(getattr(first, name) for name in first.__slots__)


def _interpret(first: Instant) -> None:
    kinds = (Port, Node, Flow, Packet, Hop, Hop, Law)
    arrays = _parts(first)
    objects = [rows(kind, array) for kind, array in zip(kinds, arrays, strict=False)]
    lists = [array.tolist() for array in (first.path, first.queues, first.delivered, first.begin)]
    run(*objects, *lists, first.until)
    for array, one in zip(arrays, objects, strict=False):
        store(array, one)
    first.queues[:], first.delivered[:] = lists[1], lists[2]
