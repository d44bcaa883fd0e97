"""Suspects in the order of their probability, by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.faults import SlowFault
from fabric.collective.hypotheses import KINDS
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.collective.flows import Floats
    from fabric.collective.hypotheses import Hypotheses
    from fabric.collective.posterior import Posterior
    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place that may be the cause.

    Parameters
    ----------
    device : str
        Host or leaf; empty where nothing is wrong.
    ports : tuple of str
        NICs of the host; empty for all of it.
    probability : float
        0 to 1, if there is one fault.
    faults : tuple of (SlowFault, float)
        Kinds with their probabilities, the likeliest first.
    """

    device: str
    ports: tuple[str, ...]
    probability: float
    faults: tuple[tuple[SlowFault, float], ...]

    @property
    def name(self) -> str:
        """Device and ports."""
        return " ".join((self.device or "no fault", *self.ports))


def suspects(fabric: Fabric, posterior: Posterior, most: int = 10) -> list[Suspect]:
    """Return the likeliest places."""
    listed, probability = posterior.suspected, posterior.probability
    _, first, where = np.unique(listed.place, return_index=True, return_inverse=True)
    mass = np.bincount(where, probability)
    rows = np.argsort(-mass, kind="stable")[:most]
    return [
        Suspect(
            *_name(fabric, listed, int(first[row])),
            float(mass[row]),
            _faults(listed.kind[where == row], probability[where == row]),
        )
        for row in rows.tolist()
    ]


def _name(fabric: Fabric, listed: Hypotheses, row: int) -> tuple[str, tuple[str, ...]]:
    if listed.leaf[row] >= 0:
        return fabric.switches.names[listed.leaf[row]], ()
    if listed.host[row] < 0:
        return "", ()
    name = fabric.hosts.names[listed.host[row]]
    if KINDS[listed.kind[row]] is SlowFault.WRONG_DSCP:
        return name, ()
    nics = nic_names(fabric, name)
    numbers = [rail for rail in range(fabric.rails) if listed.rails[row] >> rail & 1]
    ports = range(fabric.nic_ports)
    rows = (rail * fabric.nic_ports + port for rail in numbers for port in ports)
    return name, tuple(nics[row].interface for row in rows)


def _faults(kinds: NDArray[np.int8], probability: Floats) -> tuple[tuple[SlowFault, float], ...]:
    weight = np.bincount(kinds, probability, len(KINDS))
    order = np.argsort(-weight, kind="stable")
    return tuple((KINDS[kind], float(weight[kind])) for kind in order.tolist() if weight[kind] > 0)
