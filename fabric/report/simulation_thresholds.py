"""simulate: thresholds of the queue of a plot, where they are one value each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.simulate.switch import NEVER
from fabric.qos.thresholds import occupancies_bytes

if TYPE_CHECKING:
    from fabric.qos.simulate.summary import Summary

#: Names in a legend, in the order of the values.
KMIN, KMAX, XOFF = "Kmin", "Kmax", "XOFF"


def thresholds(run: Summary, class_number: int = 0) -> dict[str, float]:
    """Return thresholds in bytes of a class at the port with the longest queue, by their names.

    Kmin and Kmax are absent where the port marks nothing. XOFF is the queue at which the senders
    are paused; see `xoff_bytes`.
    """
    outcome = run.outcome
    line = int(outcome.ports["line"][run.queue_port])
    port = outcome.ports[outcome.scenario.row(line, class_number)]
    marks = {KMIN: float(port["kmin"]), KMAX: float(port["kmax"])} if port["kmin"] < NEVER else {}
    xoff = xoff_bytes(run)
    return marks if xoff is None else {**marks, XOFF: xoff}


def configured(run: Summary, class_number: int = 0) -> dict[str, float]:
    """Return Kmin and Kmax in bytes as they are configured, where the switch has other values."""
    scenario = run.outcome.scenario
    line = int(run.outcome.ports["line"][run.queue_port])
    cable = scenario.cables[line // 2]
    end = cable.far if line % 2 else cable.near
    marking = end.classes(len(scenario.classes))[class_number].marking
    values = marking.set_bytes if marking else None
    return dict(zip((KMIN, KMAX), map(float, values), strict=True)) if values else {}


def xoff_bytes(run: Summary) -> float | None:
    """Return the queue at which all senders through the port with the longest queue are paused.

    Returns
    -------
    float or None
        None where it is no one value: with several classes or paths by choice, where flows leave
        the switch by other ports too, and where the ports that they come in by differ.

    Notes
    -----
    The threshold of each ingress is alpha times what is free of the pool (Choudhury and Hahne,
    IEEE/ACM Transactions on Networking 6, 1998), or a fixed fill level. The n ingress ports hold
    equal parts of the queue.
    """
    outcome, row = run.outcome, run.queue_port
    scenario, ports = outcome.scenario, outcome.ports
    if len(scenario.classes) > 1 or scenario.routes or not ports["is_switch"][row]:
        return None
    node = ports["node"][row]
    hops = {hop for stream in scenario.streams for hop in pairwise(stream.path)}
    here = [(before, after) for before, after in hops if ports["node"][after] == node]
    arrivals = [before ^ 1 for before, _ in here]  # the other end of its cable
    fields = ("alpha", "pause", "reserve")
    ingress = {tuple(float(ports[field][at]) for field in fields) for at in arrivals}
    if {after for _, after in here} != {row} or len(ingress) != 1:
        return None
    alpha, pause_bytes, reserve_bytes = ingress.pop()
    users = len(arrivals)
    pool_bytes = float(outcome.nodes["shared"][node])
    if pause_bytes:
        return users * (pause_bytes + reserve_bytes)
    held, _ = occupancies_bytes(np.full(users, alpha), np.full(users, np.inf), pool_bytes)
    return float(held.sum()) + users * reserve_bytes
