"""The fabric as a tree of groups of hosts, which is how schedulers know a network.

A rail-optimised host hangs on one leaf per rail, but a scheduler takes a host under one switch; so
the leaves of a unit, which all its hosts share, are one group: by the name of the leaf where there
is one, else by that of the unit. The spines of a pod are one group as well, and so are the switches
above pods: a Clos is not a tree, and Slurm takes a leaf with two parents without complaint.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabric.topology.model import Fabric

#: Slurm's limit of a switch name (topology.conf manual page); Kubernetes takes 63 in a label.
MAX_NAME = 64


@dataclass(frozen=True)
class Group:
    """Hosts that meet at one layer of switches.

    Parameters
    ----------
    name : str
        Name of the layer, which no other group has.
    members : tuple of str
        Hosts of a unit; groups of a pod or of the core.
    unit : str
        Name of the unit; empty for a pod and the core.
    leaves : tuple of str
        Switches that a unit stands for.
    """

    name: str
    members: tuple[str, ...]
    unit: str = ""
    leaves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tree:
    """Groups of each level, from the hosts up.

    Parameters
    ----------
    units : tuple of Group
        Units, those of one pod one after the other.
    pods : tuple of Group
        Pods; empty where there are none.
    core : Group or None
        What is above all others; None for a unit alone, and for units that no spine connects.
    tenants : tuple of str
        Tenants that the hosts are divided among, which no group tells apart.
    """

    units: tuple[Group, ...]
    pods: tuple[Group, ...] = ()
    core: Group | None = None
    tenants: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups, those of the upper levels last."""
        return (*self.units, *self.pods, *((self.core,) if self.core else ()))

    @property
    def apart(self) -> bool:
        """Whether there are units that no switch connects."""
        return self.core is None and len(self.units) > 1

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """Hosts of the smallest unit, and its doubles up to as many units as there are."""
        base = min(len(unit.members) for unit in self.units)
        return tuple(base << level for level in range(len(self.units).bit_length()))

    def limited_to(self, hosts: Collection[str]) -> Tree:
        """Return the tree of some hosts, chosen by whoever asks; other groups are not in it."""
        units = _limited(self.units, hosts)
        pods = _limited(self.pods, {unit.name for unit in units})
        below = {group.name for group in pods or units}
        core = _limited((self.core,) if self.core else (), below)
        return Tree(units, pods, core[0] if core else None)


def _limited(groups: tuple[Group, ...], names: Collection[str]) -> tuple[Group, ...]:
    """Return the groups that have some of the names, with these alone."""
    kept = (
        replace(group, members=tuple(name for name in group.members if name in names))
        for group in groups
    )
    return tuple(group for group in kept if group.members)


def tree(fabric: Fabric) -> Tree:
    """Return the tree of a fabric.

    Raises
    ------
    InputError
        With each name that is too long, or that two groups would have.
    """
    units = _units(fabric)
    pods: dict[str, list[Group]] = {}
    for unit, entry in zip(units, fabric.intent.fabric.units, strict=True):
        pods.setdefault(entry.pod or "", []).append(unit)
    ordered = tuple(unit for group in pods.values() for unit in group)
    above = tuple(Group(pod, _names(below)) for pod, below in pods.items() if pod)
    name = f"{fabric.intent.fabric.name}-{'super-spines' if above else 'spines'}"
    core = Group(name, _names(above or ordered)) if len(fabric.uplinks) else None
    result = Tree(ordered, above, core, fabric.tenants.names if fabric.tenants else ())
    findings = list(_wrong_names(result))
    if findings:
        raise InputError("the fabric cannot be written as a tree", findings)
    return result


def _units(fabric: Fabric) -> list[Group]:
    """Return the units in the order of the inventory."""
    rows: list[list[str]] = [[] for _ in fabric.intent.fabric.units]
    switches = fabric.switches
    of_leaves = switches.unit[: switches.leaf_count].tolist()
    for name, row in zip(switches.names, of_leaves, strict=False):
        rows[row].append(name)
    return [
        Group(
            leaves[0] if len(leaves) == 1 else f"{unit.name}-leaves",
            tuple(hostlist.expand(unit.hosts)),
            unit.name,
            tuple(leaves),
        )
        for unit, leaves in zip(fabric.intent.fabric.units, rows, strict=True)
    ]


def _names(groups: tuple[Group, ...] | list[Group]) -> tuple[str, ...]:
    return tuple(group.name for group in groups)


def _wrong_names(made: Tree) -> Iterator[Finding]:
    counts = Counter(_names(made.groups))
    for name, count in counts.items():
        if len(name) > MAX_NAME:
            message = f"{name!r} is longer than the {MAX_NAME} characters of a Slurm switch name"
            yield Finding("PLC002", Severity.ERROR, message, "shorten the name")
        if count > 1:
            message = f"two switches would have the name {name!r} in Slurm"
            fix = "rename the unit, the pod or the fabric"
            yield Finding("PLC002", Severity.ERROR, message, fix)
