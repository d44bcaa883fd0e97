"""The next test: the hosts whose result is least certain.

Each candidate tests some hosts, every rail by itself at the same time. Hypotheses that predict the
same are not told apart by it. What it tells is the mutual information of outcomes and places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.groups import host_groups, rails_by_owner
from fabric.collective.published import CollectiveKind
from fabric.collective.trials import MEETING, BandwidthTest, predict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.collective.flows import Floats
    from fabric.collective.groups import HostGroup
    from fabric.collective.posterior import Posterior
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints

#: Results that are nearer to each other than this, as a logarithm, are not told apart: six times
#: the relative error of a result.
_WIDTH = {CollectiveKind.ALL_REDUCE: 0.15, CollectiveKind.ALL_TO_ALL: 0.35}
#: Of two tests that tell as much an all-reduce is better: less noise, less load on the fabric.
_ALL_TO_ALL_COSTS = 0.05
#: What it is worth to tell kinds of one place apart, over what it is worth to tell places apart.
_OF_KINDS = 0.05
#: Probability from which on a host is suspected, over that of the likeliest; our choice.
_SUSPECTED = 1e-3
#: Bits below which a test is not worth its time; our choice.
LEAST_BITS = 0.01


@dataclass(frozen=True, eq=False)
class Proposal:
    """A test that is worth running.

    Parameters
    ----------
    bits : float
        What it tells, in bits.
    """

    trial: BandwidthTest
    bits: float


def next_test(fabric: Fabric, network: Clos, posterior: Posterior) -> Proposal:
    """Return the test that tells most, each rail by itself, in the group with most suspicion.

    Another group has its turn where no test of that one tells anything.
    """
    best = Proposal(
        BandwidthTest(CollectiveKind.ALL_REDUCE, np.arange(len(fabric.hosts)), ()), -1.0
    )
    probability = posterior.probability
    mass = _mass(fabric, posterior, probability)
    groups = (group for group in host_groups(fabric) if len(group.hosts) > 1)
    for group in sorted(groups, key=lambda group: -float(mass[group.hosts].sum())):
        best = _in_group(fabric, network, posterior, group, best)
        if best.bits >= LEAST_BITS:
            break
    return best


def _in_group(
    fabric: Fabric, network: Clos, posterior: Posterior, group: HostGroup, best: Proposal
) -> Proposal:
    """Return the test of hosts of a group that tells most; ``best`` where none tells more."""
    probability = posterior.probability
    many = min(MEETING, len(group.hosts))
    for hosts in _candidates(fabric, network, posterior, probability, group.hosts):
        rails = rails_by_owner(fabric, hosts.tolist()).get(group.owner, ())
        kinds = CollectiveKind if len(hosts) >= many else (CollectiveKind.ALL_REDUCE,)
        for kind in kinds if rails else ():
            trial = BandwidthTest(kind, hosts, rails)
            bits = _bits(fabric, network, posterior, probability, trial)
            if bits > best.bits + 1e-9:
                best = Proposal(trial, bits)
    return best


def _bits(
    fabric: Fabric, network: Clos, posterior: Posterior, probability: Floats, trial: BandwidthTest
) -> float:
    """Return what a test tells, less what an all-to-all costs."""
    prediction = predict(fabric, network, trial, posterior.suspected)
    step = np.rint(-np.log(np.maximum(prediction.share, 1e-3)) / _WIDTH[trial.kind])
    outcome = np.where(step > 0, prediction.rails, 0) * 64 + step.astype(np.int64)
    outcome = np.where(prediction.rails > 0, outcome, 0)
    place = posterior.suspected.place
    labels, number = np.unique(outcome, return_inverse=True)
    number = number.reshape(-1)
    outcomes = _entropy(number, probability)
    both = _entropy(place * len(labels) + number, probability)
    about_places = outcomes + _entropy(place, probability) - both
    bits = about_places + _OF_KINDS * (outcomes - about_places)
    return bits - (_ALL_TO_ALL_COSTS if trial.kind is CollectiveKind.ALL_TO_ALL else 0.0)


def _entropy(labels: Ints, probability: Floats) -> float:
    weight = np.bincount(labels, weights=probability)
    weight = weight[weight > 0]
    return float(-(weight * np.log2(weight)).sum())


def _candidates(
    fabric: Fabric, network: Clos, posterior: Posterior, probability: Floats, every: Ints
) -> Iterator[Ints]:
    """Yield sets of some hosts in rank order: all, and halves of what is suspected."""
    yield every
    mass = _mass(fabric, posterior, probability)
    mass = np.where(np.isin(np.arange(len(mass)), every), mass, 0.0)
    for half in _halves(mass):
        yield _with_company(fabric, mass, half, every, 2)
        if len(half) < MEETING:
            yield _with_company(fabric, mass, half, every, MEETING)
    at_leaves = posterior.suspected.leaf >= 0
    if probability[at_leaves].sum() > _SUSPECTED:
        yield from _of_units(fabric, network, posterior, probability, every)


def _mass(fabric: Fabric, posterior: Posterior, probability: Floats) -> Floats:
    """Return how likely a fault is at each host."""
    at_hosts = posterior.suspected.host >= 0
    suspected = posterior.suspected.host[at_hosts]
    return np.bincount(suspected, probability[at_hosts], len(fabric.hosts)).astype(np.float64)


def _halves(mass: Floats) -> Iterator[Ints]:
    """Yield half of the suspected hosts by probability, in two ways."""
    suspected = np.flatnonzero(mass > _SUSPECTED * mass.max(initial=0.0))
    if len(suspected) < 2:  # noqa: PLR2004 - nothing to part
        if len(suspected):
            yield suspected
        return
    before = np.cumsum(mass[suspected])
    count = int(np.abs(before - before[-1] / 2).argmin()) + 1
    yield suspected[: min(count, len(suspected) - 1)]
    order = suspected[np.argsort(-mass[suspected], kind="stable")]
    chosen: list[int] = []
    weight = 0.0
    for host in order.tolist():
        if weight + mass[host] <= before[-1] / 2 * (1 + 1e-9) or not chosen:
            chosen.append(host)
            weight += mass[host]
    yield np.sort(np.array(chosen, dtype=np.int64))


def _with_company(fabric: Fabric, mass: Floats, hosts: Ints, every: Ints, least: int) -> Ints:
    """Return at least so many hosts: others that are not suspected are added, of the unit first."""
    if len(hosts) >= least:
        return hosts
    others = np.setdiff1d(every, hosts)
    is_far = fabric.hosts.unit[others] != fabric.hosts.unit[hosts[0]]
    is_suspected = mass[others] > _SUSPECTED * mass.max()
    order = np.lexsort((mass[others], is_far, is_suspected))
    return np.sort(np.append(hosts, others[order][: least - len(hosts)]))


def _of_units(
    fabric: Fabric, network: Clos, posterior: Posterior, probability: Floats, among: Ints
) -> Iterator[Ints]:
    """Yield some hosts: those in half of the suspected units, which are two at least."""
    at_leaves = posterior.suspected.leaf >= 0
    unit_of = network.unit[posterior.suspected.leaf[at_leaves]]
    known = unit_of >= 0
    weight = np.bincount(unit_of[known], probability[at_leaves][known], network.units)
    mass = weight.astype(np.float64)
    every = np.arange(network.units)
    likeliest = int(mass.argmax())
    for half in _halves(mass):
        cleared = np.flatnonzero(mass <= _SUSPECTED * mass.max())
        for units in (half, np.append(half, cleared), np.delete(every, likeliest)):
            hosts = among[np.isin(fabric.hosts.unit[among], _two(units, mass))]
            if len(hosts) > 1:
                yield hosts


def _two(units: Ints, mass: Floats) -> Ints:
    """Return two units at least: uplinks carry nothing else. The least suspected is added."""
    if len(units) > 1 or len(mass) < 2:  # noqa: PLR2004 - nothing to add
        return units
    others = np.delete(np.arange(len(mass)), units)
    return np.append(units, others[mass[others].argmin()])
