"""Fabrics of any size for placement, made as tables, and seeded states of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fabric.placement.engine.state import Condition, Health, RunningJob, State
from fabric.placement.engine.traffic import parse_traffic
from fabric.topology import Fabric
from fabric.topology.model import Hosts, Nics, Switches, Uplinks
from tests.topology import fabrics

KINDS = ("ring", "all-to-all", "ring:1,all-to-all:1")
#: Of jobs that are asked for; those that run have no tree.
ASKED = (*KINDS, "tree")


@dataclass(frozen=True)
class Shape:
    """Hosts of each unit, and what is above them; units are shared out to the pods in order."""

    units: tuple[int, ...]
    rails: int = 2
    spines: int = 4
    uplink_gbps: int = 400
    links: int = 1
    pods: int = 1
    supers: int = 0


@cache
def built(shape: Shape) -> Fabric:
    """Return a rail-optimised fabric: a leaf for each unit and rail, spines in each pod."""
    small = fabrics.fabric(rails=shape.rails, host__gpus=shape.rails)
    units, rails = len(shape.units), shape.rails
    leaves, spines = units * rails, shape.spines * shape.pods
    pod_of_unit = np.arange(units) * shape.pods // units if shape.pods > 1 else np.full(units, -1)
    pods = max(1, shape.pods)
    switches = _switches(small.switches, shape, leaves, spines, pod_of_unit)
    unit = np.repeat(np.arange(units), shape.units)
    slot = np.concatenate([np.arange(size) for size in shape.units])
    names = tuple(f"h{number:05d}" for number in range(len(unit)))
    lower, upper = [], []
    for leaf in range(leaves):
        pod = max(int(pod_of_unit[leaf // rails]), 0)
        for spine in range(shape.spines):
            lower += [leaf] * shape.links
            upper += [leaves + pod * shape.spines + spine] * shape.links
    per_lane = shape.supers // shape.spines if shape.supers else 0
    for pod in range(pods if shape.supers else 0):
        for spine in range(shape.spines):
            for number in range(per_lane):
                lower.append(leaves + pod * shape.spines + spine)
                upper.append(leaves + spines + spine * per_lane + number)
    return replace(
        small,
        rails=rails,
        nic_ports=1,
        switches=switches,
        hosts=Hosts(names, unit, slot),
        nics=_nics(unit, slot, rails),
        uplinks=_uplinks(np.array(lower, dtype=int), np.array(upper, dtype=int), shape.uplink_gbps),
    )


def _switches(
    some: Switches, shape: Shape, leaves: int, spines: int, pod_of_unit: np.ndarray
) -> Switches:
    number = np.arange(leaves + spines + shape.supers)
    tier = (number >= leaves).astype(np.int64) + (number >= leaves + spines)
    names = [f"leaf{n // shape.rails}-{n % shape.rails}" for n in range(leaves)]
    names += [f"spine{n}" for n in range(spines)] + [f"core{n}" for n in range(shape.supers)]
    pod = np.full(len(number), -1)
    if shape.pods > 1:
        pod[:leaves] = np.repeat(pod_of_unit, shape.rails)
        pod[leaves : leaves + spines] = np.repeat(np.arange(shape.pods), shape.spines)
    asn = np.where(
        tier == 0, 65000 + number, np.where(tier == 1, 64600 + np.maximum(pod, 0), 64512)
    )
    rail, unit = (np.full(len(number), -1) for _ in range(2))
    rail[:leaves], unit[:leaves] = number[:leaves] % shape.rails, number[:leaves] // shape.rails
    return Switches(
        tuple(names), leaves, tier, unit, rail, pod, np.full(len(number), -1), asn, number,
        (some.skus[0],) * len(number),
    )  # fmt: skip


def _nics(unit: np.ndarray, slot: np.ndarray, rails: int) -> Nics:
    host, rail = np.repeat(np.arange(len(unit)), rails), np.tile(np.arange(rails), len(unit))
    zero = np.zeros(len(host), dtype=np.int64)
    return Nics(
        host, rail, zero, np.repeat(unit, rails) * rails + rail, np.repeat(slot, rails) + 1,
        zero, zero, zero + 200, zero + 5, zero == 0,
    )  # fmt: skip


def _uplinks(lower: np.ndarray, upper: np.ndarray, gbps: int) -> Uplinks:
    zero = np.zeros(len(lower), dtype=np.int64)
    first = np.searchsorted(lower, lower)  # lower is ascending
    port = np.arange(len(lower)) - first + 1
    return Uplinks(lower, port, upper, port, zero, zero + gbps, zero + 40, zero == 0, zero + 31)


def crossed(fabric: Fabric, seed: int) -> Fabric:
    """Return a fabric whose first unit has a cable crossed with each of the next two units.

    On different hosts and rails, so that no group has a leaf of the unit for itself.
    """
    random = np.random.default_rng(seed)
    hosts = [np.flatnonzero(fabric.hosts.unit == unit) for unit in range(3)]
    mine = random.choice(hosts[0], 2, replace=False)
    theirs = [random.choice(hosts[1]), random.choice(hosts[2])]
    rails = np.array([0, 1])
    one, other = mine * fabric.rails + rails, np.array(theirs) * fabric.rails + rails
    leaf, port = fabric.nics.leaf.copy(), fabric.nics.port.copy()
    for column in (leaf, port):
        column[[*one, *other]] = column[[*other, *one]]
    return replace(fabric, nics=replace(fabric.nics, leaf=leaf, port=port))


#: Sizes of the published figures: S, M (units and pods as many as in Alibaba's table), L.
SMALL = (
    Shape((8,) * 4),
    Shape((8,) * 6, uplink_gbps=200),
    Shape((8,) * 8, uplink_gbps=100),
    Shape((4, 8, 8, 12, 8, 8), spines=3, uplink_gbps=200),
    Shape((8,) * 5, uplink_gbps=100),
    Shape((4, 4, 6, 8, 12), spines=2, uplink_gbps=400),
)
MEDIUM = Shape((7,) * 105 + (8,) * 14, rails=8, spines=8, uplink_gbps=200, pods=3, supers=16)
LARGE = Shape((64,) * 64, rails=8, spines=32, uplink_gbps=400)
LARGEST = Shape((64,) * 256, rails=8, spines=32, pods=32, supers=64)


def any_small(seed: int) -> Shape:
    """Return a small fabric of any shape, a third of them with two pods."""
    random = np.random.default_rng(seed)
    units = tuple(random.integers(2, 10, int(random.integers(3, 8))).tolist())
    rails, spines = int(random.integers(1, 3)), int(random.integers(2, 5))
    gbps, pods = int(random.choice([100, 200, 400])), 1 + int(random.integers(3) == 0)
    return Shape(units, rails, spines, gbps, 1, pods, 2 * spines * (pods - 1))


def scattered(fabric: Fabric, seed: int, size: int = 32, busy: float = 0.6) -> State:
    """Return a state in which jobs have hosts all over the fabric, ``busy`` of all."""
    random = np.random.default_rng(seed)
    rows = random.permutation(len(fabric.hosts))[: int(busy * len(fabric.hosts))].tolist()
    return State(
        (),
        tuple(
            RunningJob(
                f"job{number}",
                tuple(fabric.hosts.names[row] for row in sorted(rows[at : at + size])),
                parse_traffic(KINDS[number % len(KINDS)]),
            )
            for number, at in enumerate(range(0, len(rows), size))
        ),
    )


def state(fabric: Fabric, seed: int) -> State:
    """Return a state: half to nine tenths of the hosts run jobs, some uplinks and a leaf do not.

    Jobs take neighbouring hosts, as a scheduler that fills from the left, and then some end.
    """
    random = np.random.default_rng(seed)
    hosts, switches = fabric.hosts.names, fabric.switches
    busy = random.uniform(0.5, 0.9) * len(hosts)
    jobs, at = [], 0
    while at < len(hosts):
        size = int(random.integers(1, max(len(hosts) // 6, 3)))
        taken = hosts[at : at + size]
        if random.random() < busy / len(hosts) and taken:
            traffic = parse_traffic(KINDS[int(random.integers(len(KINDS)))])
            jobs.append(RunningJob(f"job{len(jobs)}", taken, traffic))
        at += size
    conditions = []
    first = np.flatnonzero(fabric.uplinks.lower < switches.leaf_count)
    lost = random.choice(first, int(random.integers(0, max(len(first) // 20, 2))), replace=False)
    for cable in np.unique(lost).tolist():
        leaf = int(fabric.uplinks.lower[cable])
        port = switches.skus[leaf].port(int(fabric.uplinks.lower_port[cable]))
        conditions.append(Condition(f"{switches.names[leaf]}:{port}", Health.DOWN))
    if random.random() < 0.3:
        leaf = int(random.integers(switches.leaf_count))
        conditions.append(Condition(switches.names[leaf], Health.DRAINED, "maintenance"))
    return State(tuple(conditions), tuple(jobs))
