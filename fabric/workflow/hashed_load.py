"""What the fullest cable of a job carries where its queue pairs are hashed, not sprayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.traffic import Collective
from fabric.qos.ecmp.load import MOST_FLOWS, quick_max_load

if TYPE_CHECKING:
    from fabric.placement.engine.engine import Engine
    from fabric.placement.engine.query import Answer
    from fabric.placement.engine.traffic import Traffic
    from fabric.topology.model import Ints


def hashed_load(engine: Engine, answer: Answer, traffic: Traffic) -> float:
    """Return the expected load of the fullest link when flows are hashed, not sprayed.

    Each connection that leaves a leaf of the largest unit has ``host.nccl_queue_pairs`` queue
    pairs, and each pair takes one of the leaf's live uplinks at random (`fabric.qos.ecmp.load`).
    """
    fabric, gbps = engine.fabric, engine.index.available.now.cable_gbps
    unit, hosts = max(answer.units, key=lambda item: item[1])
    leaves = _leaves(engine, answer, unit)
    links = int((gbps[fabric.uplinks_of(int(leaves[0]))] > 0).sum())
    if not answer.load or not links:
        return answer.load
    nics = int((leaves == leaves[0]).sum())
    connections = _connections(traffic, (hosts, len(answer.rows)), (nics, len(leaves)))
    flows = min(connections * fabric.intent.fabric.host.nccl_queue_pairs, MOST_FLOWS)
    return answer.load * quick_max_load(flows, links) * links / flows


def _leaves(engine: Engine, answer: Answer, unit: int) -> Ints:
    """Return the leaf of each NIC port that the job uses, on its first host of a unit."""
    fabric, spared = engine.fabric, engine.index.available.now.spared
    row = int(answer.rows[fabric.hosts.unit[answer.rows] == unit][0])
    ports = np.array([port for port in fabric.nics_of_host(row) if port not in spared])
    rail = ports % fabric.nics_per_host // fabric.nic_ports
    return np.asarray(fabric.nics.leaf[ports[np.isin(rail, answer.rails)]])


def _connections(traffic: Traffic, hosts: tuple[int, int], nics: tuple[int, int]) -> int:
    """Return how many connections leave a leaf.

    A ring leaves it by one for each NIC of a host there, an all-to-all by one for each pair of
    hosts and NIC. Without PXN each NIC sends to every NIC of the other hosts on another leaf.

    Parameters
    ----------
    hosts, nics : tuple of (int, int)
        Hosts of the job on the leaf and in all; NICs of a host on the leaf and in all.
    """
    (here, every), (on_leaf, of_host) = hosts, nics
    layout = traffic.layout
    spreads = Collective.ALL_TO_ALL in dict(traffic.shares)
    if layout:
        spreads = layout.sizes.get("ep", 1) > 1
    if not spreads:
        return on_leaf
    if traffic.pxn:
        return max(here * (every - here), 1) * on_leaf
    return max(here * on_leaf * ((every - 1) * of_host - (here - 1) * on_leaf), 1)
