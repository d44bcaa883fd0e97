"""Where each switch stands and which ports it uses: tier, unit, rail, pod, plane and number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.topology.hardware import role_model

if TYPE_CHECKING:
    from fabric.intent.inventory import Intent
    from fabric.intent.model import FabricFile
    from fabric.intent.platform_model import RolePlatform
    from fabric.platforms.model import Sku
    from fabric.topology.model import Bools, Fabric, Ints

#: Letters of the ports of a NIC, and of the planes that they lead to.
PORT_LETTERS = "ab"


@dataclass(frozen=True, eq=False)
class Layout:
    """Switches in rows: leaves first, then spines, then super-spines; -1 where nothing applies.

    Parameters
    ----------
    tier, unit, rail, pod, plane : array of int, shape (n,)
        As in ``Switches``.
    number : array of int, shape (n,)
        Place among the switches of the same tier, pod and plane.
    pods : tuple of str
        Names of the pods, in the order in which units name them.
    leaf_of : array of int, shape (units, rails, NIC ports)
        Leaf of each NIC port; -1 where there is none.
    skus : tuple of str or None
        Switch model that the inventory says of each switch; empty in a generated design.
    asn, loopback : array of int, shape (n,)
        What the inventory says of each switch; -1 where it says nothing. Empty as ``skus``.
    """

    names: tuple[str, ...]
    tier: Ints
    unit: Ints
    rail: Ints
    pod: Ints
    plane: Ints
    number: Ints
    pods: tuple[str, ...]
    leaf_of: Ints
    skus: tuple[str | None, ...] = ()
    asn: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    loopback: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def leaf_count(self) -> int:
        """Rows below this are leaves."""
        return int((self.tier == 0).sum())

    @cached_property
    def group(self) -> Ints:
        """Number of the pod and plane of each switch, equal for those that are cabled together."""
        return np.maximum(self.pod, 0) * (int(self.plane.max(initial=0)) + 1) + np.maximum(
            self.plane, 0
        )

    def of_tier(self, tier: int) -> Ints:
        """Return the rows of a tier, ascending."""
        return np.flatnonzero(self.tier == tier)


def rank_within(key: Ints) -> Ints:
    """Return for each item how many before it have the same key.

    Parameters
    ----------
    key : array of int, shape (n,)
        Key of each item.

    Returns
    -------
    array of int, shape (n,)
        Rank from 0 among the items with the same key.
    """
    order = np.argsort(key, kind="stable")
    _, first, counts = np.unique(key[order], return_index=True, return_counts=True)
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.repeat(first, counts)
    return rank


def pod_names(file: FabricFile) -> tuple[str, ...]:
    """Return the pods in the order in which units, then switches of a list, name them first."""
    named = [*(unit.pod for unit in file.units), *(entry.pod for entry in file.switches)]
    return tuple(dict.fromkeys(pod for pod in named if pod))


def spines_per_pod(intent: Intent) -> int:
    """Return how many places are kept for the spines of a pod and plane.

    The default depends on the leaf alone, so that it stays when spines are added.
    """
    file = intent.fabric
    if file.super_spines and file.super_spines.spines_per_pod:
        return file.super_spines.spines_per_pod
    if file.spines is None:
        return 1
    start = uplink_start(file.platforms.leaf, role_model(intent, "leaf"))
    free = len(usable_ports(file.platforms.leaf, role_model(intent, "leaf"))) - start
    return max(1, free // file.spines.links_per_leaf)


def spine_place(intent: Intent, layout: Layout) -> Ints:
    """Return the place of each spine among all places that are kept for spines."""
    rows = layout.of_tier(1)
    if intent.fabric.design == "explicit":
        return layout.number[rows]
    per_pod = spines_per_pod(intent) if layout.pods else 0
    place = np.maximum(layout.pod[rows], 0) * per_pod + layout.number[rows]
    return place * intent.fabric.planes + np.maximum(layout.plane[rows], 0)


def generated(intent: Intent) -> Layout:
    """Return the switches that follow from units, rails, spines and super-spines."""
    file = intent.fabric
    leaves, spines, cores = _leaves(file), _spines(file), _cores(file)
    parts = (leaves, spines, cores)
    return replace(
        leaves,
        names=tuple(name for part in parts for name in part.names),
        tier=np.concatenate([part.tier for part in parts]),
        unit=np.concatenate([part.unit for part in parts]),
        rail=np.concatenate([part.rail for part in parts]),
        pod=np.concatenate([part.pod for part in parts]),
        plane=np.concatenate([part.plane for part in parts]),
        number=np.concatenate([part.number for part in parts]),
    )


def _leaves(file: FabricFile) -> Layout:
    rails = 1 if file.design == "classic-tor" else file.rails
    shape = (len(file.units), rails, file.nic_ports)
    unit, rail, port = (grid.ravel() for grid in np.indices(shape))
    pods = pod_names(file)
    pod = np.array([pods.index(one.pod) if one.pod else -1 for one in file.units])[unit]
    plane = port if file.planes > 1 else np.full(len(unit), -1)
    rows = np.arange(len(unit)).reshape(shape)
    return Layout(
        names=_leaf_names(file, rails),
        tier=np.zeros(len(unit), dtype=np.int64),
        unit=unit,
        rail=np.full(len(unit), -1) if file.design == "classic-tor" else rail,
        pod=pod,
        plane=plane,
        number=rank_within(np.maximum(pod, 0) * file.planes + np.maximum(plane, 0)),
        pods=pods,
        leaf_of=np.broadcast_to(rows, (shape[0], file.rails, shape[2])),
    )


def _leaf_names(file: FabricFile, rails: int) -> tuple[str, ...]:
    if file.leaf_names:
        names = hostlist.expand(file.leaf_names)
        return tuple(names[: len(file.units) * rails * file.nic_ports])
    ends = [f"-{letter}" for letter in PORT_LETTERS] if file.nic_ports > 1 else [""]
    classic = file.design == "classic-tor"
    middle = ["leaf"] if classic else [f"rail{rail}" for rail in range(rails)]
    return tuple(
        f"{_prefix(file)}{unit.name}-{word}{end}"
        for unit in file.units
        for word in middle
        for end in ends
    )


def _spines(file: FabricFile) -> Layout:
    pods = pod_names(file)
    count = file.spines.count if file.spines else 0
    pod, plane, number = (
        grid.ravel() for grid in np.indices((max(1, len(pods)), file.planes, count))
    )
    if file.spine_names:
        names = hostlist.expand(file.spine_names)[:count]
    else:
        names = [
            _numbered(f"{pods[where]}-spine" if pods else "spine", file, which, one)
            for where, which, one in zip(pod.tolist(), plane.tolist(), number.tolist(), strict=True)
        ]
    return _above(file, 1, names, pod if pods else np.full(len(pod), -1), plane, number)


def _cores(file: FabricFile) -> Layout:
    count = file.super_spines.count if file.super_spines else 0
    plane, number = (grid.ravel() for grid in np.indices((file.planes, count)))
    names = [
        _numbered("core", file, which, one)
        for which, one in zip(plane.tolist(), number.tolist(), strict=True)
    ]
    return _above(file, 2, names, np.full(len(plane), -1), plane, number)


def _numbered(word: str, file: FabricFile, plane: int, number: int) -> str:
    if file.planes == 1:
        return f"{_prefix(file)}{word}{number + 1:02d}"
    return f"{_prefix(file)}{word}-{PORT_LETTERS[plane]}{number + 1:02d}"


def _prefix(file: FabricFile) -> str:
    return f"{file.switch_prefix}-" if file.switch_prefix else ""


def _above(
    file: FabricFile, tier: int, names: list[str], pod: Ints, plane: Ints, number: Ints
) -> Layout:
    none = np.full(len(pod), -1)
    return Layout(
        names=tuple(names),
        tier=np.full(len(pod), tier),
        unit=none,
        rail=none,
        pod=pod,
        plane=plane if file.planes > 1 else none,
        number=number,
        pods=(),
        leaf_of=none,
    )


@lru_cache(maxsize=256)
def _usable(model: Sku, reserved: tuple[str, ...]) -> Ints:
    numbers = model.port_numbers()
    taken = {numbers.get(name) for text in reserved for name in hostlist.expand(text)}
    return np.array([number for number in numbers.values() if number not in taken], dtype=np.int64)


def usable_ports(platform: RolePlatform | None, model: Sku) -> Ints:
    """Return the port numbers that the design may use, ascending: all that are not reserved."""
    return _usable(model, platform.reserved_ports if platform else ())


def uplink_start(platform: RolePlatform, model: Sku) -> int:
    """Return how many usable ports of a leaf are kept for hosts; uplinks come after them."""
    return platform.host_ports or len(usable_ports(platform, model)) // 2


def core_start(platform: RolePlatform | None, model: Sku, *, cores: bool) -> int:
    """Return how many usable ports of a spine are kept for leaves; super-spines come after."""
    usable = len(usable_ports(platform, model))
    down_ports = platform.down_ports if platform else None
    return down_ports or (usable // 2 if cores else usable)


def nth_port(usable: Ints, index: Ints) -> Ints:
    """Return the usable port at each place; places beyond the last are counted on.

    Parameters
    ----------
    usable : array of int, shape (ports,)
        Numbers of the usable ports, ascending, from 1.
    index : array of int
        Places from 0.
    """
    last = int(usable[-1]) if len(usable) else 0
    beyond = last + 1 + index - len(usable)
    if not len(usable):
        return beyond
    return np.where(index < len(usable), usable[np.minimum(index, len(usable) - 1)], beyond)


def designed_pairs(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return lower and upper switch of every pair that the design cables.

    A leaf belongs to the spines of its pod and plane; a spine to the super-spines of its plane,
    and of its group where there are groups. -1 for pod or plane stands for all.
    """
    switches, top = fabric.switches, fabric.intent.fabric.super_spines
    groups = top.groups if top else 1
    leaves, spines, cores = (switches.of_tier(tier) for tier in range(3))
    number = np.zeros(len(switches), dtype=np.int64)
    for rows in (spines, cores):
        number[rows] = rank_within(switches.pod[rows] * 2 + switches.plane[rows]) % groups
    low, high = (
        _alike(switches.pod, leaves, spines) & _alike(switches.plane, leaves, spines),
        (_alike(switches.plane, spines, cores) & _alike(number, spines, cores)),
    )
    (leaf, spine), (low_spine, core) = np.nonzero(low), np.nonzero(high)
    return (
        np.concatenate([leaves[leaf], spines[low_spine]]),
        np.concatenate([spines[spine], cores[core]]),
    )


def down_paths(fabric: Fabric) -> Ints:
    """Return the equal paths down from each switch: cables to one leaf, or to spines of one pod.

    Returns
    -------
    array of int, shape (switches,)
        0 at the leaves.
    """
    up, switches = fabric.uplinks, fabric.switches
    below = np.where(switches.tier[up.upper] > 1, switches.pod[up.lower] + 1, up.lower)
    ends, cables = np.unique(up.upper * len(switches) + below, return_counts=True)
    paths = np.zeros(len(switches), dtype=np.int64)
    np.maximum.at(paths, ends // len(switches), cables)
    return paths


def equal_paths(fabric: Fabric) -> Ints:
    """Return the most equal paths of each switch: over all its uplinks, or down."""
    up = fabric.uplinks
    above = np.bincount(up.lower[up.enabled], minlength=len(fabric.switches))
    most: Ints = np.maximum(above, down_paths(fabric))
    return most


def _alike(column: Ints, lower: Ints, upper: Ints) -> Bools:
    low, high = column[lower][:, None], column[upper][None, :]
    mask: Bools = (low == high) | (low < 0) | (high < 0)
    return mask
