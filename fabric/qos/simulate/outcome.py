"""A run and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.simulate.build import instant
from fabric.qos.simulate.compiled import COMPILED, compiled
from fabric.qos.simulate.engine import run
from fabric.qos.simulate.state import (
    Flow,
    Hop,
    Law,
    Packet,
    SimulatedNode,
    SimulatedPort,
    rows,
    store,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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
        Bytes that the receivers took.
    late : array of int
        Packets by how many packets each came late: behind the furthest that arrived before it; all
        zero without choices.
    """

    scenario: Scenario
    ports: Records
    nodes: Records
    flows: Records
    laws: Records
    queues: Ints
    delivered: Ints
    late: Ints


def simulate(scenario: Scenario, *, fast: bool = COMPILED) -> Outcome:
    """Run a scenario.

    Parameters
    ----------
    fast : bool
        Whether the kernels are compiled; needs numba.

    Raises
    ------
    ValueError
        When the scenario is not valid; the message says how.
    """
    first = instant(scenario)
    tables = (first.ports, first.nodes, first.flows, first.packets, first.trail, first.seen)
    if fast:
        compiled(run)(*tables, first.laws, *_lists(first), first.until)
    else:
        _interpret(first, (*tables, first.laws))
    end = first.until
    ports = first.ports
    ports["queue_area"] += ports["queue"] * (end - ports["queue_time"]).astype(float)
    paused = ports["paused"] > 0
    ports["paused_ps"] += np.where(paused, end - ports["paused_at"], 0)
    ports["last_pause"][paused] = end
    return Outcome(
        scenario,
        ports,
        first.nodes,
        first.flows,
        first.laws,
        first.queues.reshape(-1, len(ports)),
        first.delivered.reshape(-1, len(first.flows)),
        first.late,
    )


def _lists(first: Instant) -> tuple[Ints, ...]:
    return first.path, first.routes, first.late, first.queues, first.delivered, first.begin


def _call(kernel: Callable[..., None], *arguments: object) -> None:
    """Call a kernel with records or objects: it takes both, and a type checker knows one."""
    kernel(*arguments)


def _interpret(first: Instant, tables: tuple[Records, ...]) -> None:
    kinds = (SimulatedPort, SimulatedNode, Flow, Packet, Hop, Hop, Law)
    objects = [rows(kind, table) for kind, table in zip(kinds, tables, strict=True)]
    lists = [array.tolist() for array in _lists(first)]
    _call(run, *objects, *lists, first.until)
    for table, one in zip(tables, objects, strict=True):
        store(table, one)
    first.late[:], first.queues[:], first.delivered[:] = lists[2], lists[3], lists[4]
