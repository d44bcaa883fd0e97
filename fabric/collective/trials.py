"""What each hypothesis predicts for a test of some hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.expected import ends_of, expected
from fabric.collective.faults import SlowFault
from fabric.collective.flows import crossings
from fabric.collective.published import USUAL, CollectiveKind

if TYPE_CHECKING:
    from fabric.collective.flows import Floats
    from fabric.collective.hypotheses import Hypotheses
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints

#: Hosts of an all-to-all from which on a queue that drops shows fully: kernels that exchange
#: (tests/reallab/slow_cluster.py) lost a quarter with 4 hosts, and a third to a half with 8 and 16.
MEETING = 8
#: Relative error of what shows with fewer hosts; our choice.
_FEW_SENDERS = 0.3


@dataclass(frozen=True, eq=False)
class BandwidthTest:
    """A test of some hosts.

    Parameters
    ----------
    hosts : array of int
        Rows of the hosts in rank order.
    rails : tuple of int
        Rails that it uses.
    """

    kind: CollectiveKind
    hosts: Ints
    rails: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Prediction:
    """What hypotheses predict, one value each.

    Parameters
    ----------
    share : array of float
        Measured over expected bandwidth on the rails of ``rails``; elsewhere it is 1.
    rails : array of int
        Rails that are slow, as bits.
    error : array of float
        Relative error of the share, 0 where it is 1.
    """

    share: Floats
    rails: Ints
    error: Floats


def predict(
    fabric: Fabric, network: Clos, trial: BandwidthTest, suspected: Hypotheses
) -> Prediction:
    """Return what each hypothesis predicts for a trial."""
    used = np.zeros(len(fabric.hosts) + 1, dtype=np.bool_)
    used[trial.hosts] = True  # the last stands for no host
    bits = sum(1 << rail for rail in trial.rails)
    share = np.where(used[suspected.host], suspected.left, 1.0)
    dscp = suspected.are(SlowFault.WRONG_DSCP)
    meeting = _senders_meet(trial)
    share[dscp] **= meeting
    error = np.where(dscp & (meeting < 1), _FEW_SENDERS, suspected.spread)
    rails = suspected.rails & bits
    uneven = suspected.are(SlowFault.UNEVEN_HASH)
    if uneven.any():
        leaves = suspected.leaf[uneven]
        share[uneven], rails[uneven] = _uneven(
            fabric, network, trial, leaves, suspected.left[uneven]
        )
    is_slow = share < 1
    return Prediction(share, np.where(is_slow, rails, 0), np.where(is_slow, error, 0.0))


def _senders_meet(trial: BandwidthTest) -> float:
    """Return how much of a queue that drops shows: 0 with one sender, 1 with `MEETING` or more."""
    if trial.kind is not CollectiveKind.ALL_TO_ALL:
        return 0.0
    return min(1.0, float(np.log2(max(len(trial.hosts) / 2, 1)) / np.log2(MEETING / 2)))


def _uneven(
    fabric: Fabric, network: Clos, trial: BandwidthTest, leaves: Ints, links: Floats
) -> tuple[Floats, Ints]:
    """Return what is left where a leaf uses so many of its uplinks, and on which rails."""
    cables, size = network.cables, len(network.tier)
    speed = np.zeros(size)
    np.maximum.at(speed, cables.lower[cables.up], cables.speed_gbps[cables.up].astype(np.float64))
    needed, bits = np.zeros(size), np.zeros(size, dtype=np.int64)
    for rail in trial.rails:
        ends = ends_of(fabric, network, trial.hosts.tolist(), (rail,))
        for crossing in crossings(trial.kind, ends):
            if speed[crossing.leaf]:
                needed[crossing.leaf] += crossing.gbps / speed[crossing.leaf]
                bits[crossing.leaf] |= 1 << rail
    wide = needed[leaves]
    share = np.minimum(1.0, np.divide(links, wide, out=np.ones(len(wide)), where=wide > 0))
    usual = _hashed(fabric, network, trial) if (share < 1).any() else 1.0
    return np.minimum(1.0, share / usual), bits[leaves]


def _hashed(fabric: Fabric, network: Clos, trial: BandwidthTest) -> float:
    """Return the share that independent hashing is expected to leave."""
    row = expected(fabric, network, trial.hosts.tolist(), kind=trial.kind, rails=trial.rails)
    return row.expected_gbyte_s / USUAL / row.ceiling_gbyte_s if row.ceiling_gbyte_s else 1.0
