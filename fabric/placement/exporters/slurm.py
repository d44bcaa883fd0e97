"""Slurm: its topology as a tree and as blocks, nodes and partitions, and a hostfile.

Formats: manual pages of topology.conf, topology.yaml (25.05 and later) and slurm.conf. slurmctld
22.05 loads the tree and the nodes, 26.11 all of it. A weight of a node would override the topology
(Slurm's topology guide), so none is written. Names are folded as ``scontrol show hostlist`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.core.exports import PLACED_OPTIONS, Exported, Exporter, exporters, refused, text_file
from fabric.placement.engine.tenancy import (
    hosts_by_tenant,
    mixed_tenants,
    outside_of_tenants,
    tenant_of_hosts,
)
from fabric.placement.k8s.manifest import yaml_text
from fabric.placement.tree import Tree, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.exports import Part
    from fabric.core.findings import Finding
    from fabric.placement.export import Order
    from fabric.topology.model import Fabric

_HEAD = "# Written by rocefab from the inventory."
_TREE, _BLOCKS = "roce", "blocks"
_APART = "# No spine connects these units: no job can span two of them."


def slurm(fabric: Fabric) -> str:
    """Return ``topology.conf``: one line for the leaves of each unit, one per pod, and one root.

    Units that no spine connects have no root in common.

    Raises
    ------
    InputError
        When names are too long for Slurm, or stand for two of its switches.
    """
    return tree_text(tree(fabric))


def tree_text(made: Tree) -> str:
    """Return ``topology.conf`` for topology/tree."""
    lines = [f"{_HEAD} TopologyPlugin=topology/tree", *tree_notes(made)]
    for group in made.groups:
        lines += _comment(group.leaves, group.name)
        key = "Nodes" if group.unit else "Switches"
        lines.append(f"SwitchName={group.name} {key}={hostlist.fold(group.members)}")
    return _text(lines)


def tree_notes(made: Tree) -> list[str]:
    """Return lines of comment: what Slurm is not told by the groups."""
    names = ", ".join(made.tenants)
    mixed = f"# Hosts of several tenants ({names}): give each its partitions."
    return [*([_APART] if made.apart else []), *([mixed] if made.tenants else [])]


def _comment(leaves: tuple[str, ...], name: str) -> list[str]:
    """Return the line that names the leaves, where the name of the group does not."""
    return [f"# {name}: {hostlist.fold(leaves)}"] if leaves not in {(), (name,)} else []


def blocks(fabric: Fabric) -> str:
    """Return ``topology.conf`` for topology/block: units of one pod are next to each other.

    Raises
    ------
    InputError
        As for `slurm`, and when no spine connects the units: blocks have no limit for that.
    """
    made = tree(fabric)
    if made.apart:
        message = "no spine connects the units, but a job in blocks may span several"
        raise refused("PLC002", message, "export the tree, with --what topology")
    return block_text(made, made.block_sizes)


def block_text(made: Tree, sizes: tuple[int, ...]) -> str:
    """Return ``topology.conf`` for topology/block with some sizes of blocks."""
    lines = [f"{_HEAD} TopologyPlugin=topology/block, of Slurm 24.05 and later", *tree_notes(made)]
    lines += [f"BlockName={unit.unit} Nodes={hostlist.fold(unit.members)}" for unit in made.units]
    return _text([*lines, f"BlockSizes={','.join(map(str, sizes))}"])


def topologies(fabric: Fabric) -> str:
    """Return ``topology.yaml``: the tree as the default of the cluster, and the blocks.

    Raises
    ------
    InputError
        As for `slurm`.
    """
    made = tree(fabric)
    listed: list[dict[str, Any]] = [
        {"topology": _TREE, "cluster_default": True, **tree_entry(made)}
    ]
    if not made.apart:
        entry = block_entry(made, made.block_sizes)
        listed.append({"topology": _BLOCKS, "cluster_default": False, **entry})
    return topologies_text(listed, tree_notes(made))


def topologies_text(listed: list[dict[str, Any]], notes: list[str]) -> str:
    """Return ``topology.yaml`` with some topologies, and lines of comment above them."""
    head = [
        f"{_HEAD} For Slurm 25.05 and later.",
        "# Without TopologyPlugin in slurm.conf; topology.conf is not read where this file is.",
    ]
    return _text([*head, *notes, "---"]) + yaml_text(listed)


def tree_entry(made: Tree) -> dict[str, Any]:
    """Return what ``topology.yaml`` has of a tree."""
    return {"tree": {"switches": _switches(made)}}


def block_entry(made: Tree, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Return what ``topology.yaml`` has of blocks."""
    inner = [{"block": unit.unit, "nodes": hostlist.fold(unit.members)} for unit in made.units]
    return {"block": {"block_sizes": [*sizes], "blocks": inner}}


def _switches(made: Tree) -> list[dict[str, str]]:
    top = [made.core] if made.core else []
    return [
        {"switch": group.name, "nodes" if group.unit else "children": hostlist.fold(group.members)}
        for group in (*top, *made.pods, *made.units)
    ]


def partitions(fabric: Fabric, degraded: frozenset[str] = frozenset()) -> str:
    """Return lines for ``slurm.conf``: features of nodes, and a partition for each topology.

    Where there are tenants, each has its own partitions; hosts without a tenant have the others.

    Parameters
    ----------
    degraded : frozenset of str
        Hosts that get the feature ``degraded``.

    Raises
    ------
    InputError
        As for `slurm`, and when a degraded host does not exist.
    """
    unknown = sorted(degraded - set(fabric.host_row))
    if unknown:
        message = f"the degraded host {unknown[0]!r} does not exist"
        raise refused("PLC002", message, "`rocefab show hosts` lists the hosts")
    lines = [
        f"{_HEAD} Lines for slurm.conf of Slurm 25.05 and later.",
        "# Topology= needs topology.yaml. A node is defined once: add its CPUs, memory and GPUs",
        "# here, but no Weight, which would override the topology.",
    ]
    for features, hosts in _by_features(fabric, degraded).items():
        lines.append(f"NodeName={hostlist.fold(hosts)} Features={','.join(features)}")
    names = (_TREE,) if tree(fabric).apart else (_TREE, _BLOCKS)
    for tenant, hosts in hosts_by_tenant(fabric).items():
        nodes = hostlist.fold(hosts)
        if tenant is None:
            lines.append(f"# In no partition, as no tenant has all their NICs: {nodes}")
            continue
        end = f"-{tenant}" if tenant else ""
        lines += [f"PartitionName={name}{end} Nodes={nodes} Topology={name}" for name in names]
    return _text(lines)


def _by_features(fabric: Fabric, degraded: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
    """Return hosts by features: unit, pod, tenant, number of rails that are cabled, degraded."""
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    rails = np.count_nonzero(fabric.nics.enabled.reshape(shape).all(axis=2), axis=1).tolist()
    units = fabric.intent.fabric.units
    found: dict[tuple[str, ...], list[str]] = {}
    rows = zip(
        fabric.hosts.names,
        fabric.hosts.unit.tolist(),
        tenant_of_hosts(fabric),
        rails,
        strict=True,
    )
    for name, row, tenant, count in rows:
        pod = units[row].pod
        features = (f"unit-{units[row].name}", *((f"pod-{pod}",) if pod else ()))
        features += (*((f"tenant-{tenant}",) if tenant else ()), f"rails-{count}")
        features += ("degraded",) if name in degraded else ()
        found.setdefault(features, []).append(name)
    return found


def hostfile(order: Order) -> str:
    """Return the hosts of the tasks in rank order, one line a task."""
    return _text([rank.host for rank in order.placement.ranks])


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _file(part: str, path: str, text: str, notes: tuple[Finding, ...] = ()) -> Exported:
    return Exported((text_file("slurm", part, path, text),), notes)


def _topology(part: str, path: str, make: Callable[[Fabric], str]) -> Part:
    """Return the part of a topology, which cannot say whose the nodes are."""
    fix = "give each tenant its partitions: `rocefab export slurm --what partitions`"
    return lambda it: _file(part, path, make(it.fabric), mixed_tenants(it.fabric, path, fix))


exporters.add("slurm")(
    Exporter(
        {
            "topology": _topology("topology", "topology.conf", slurm),
            "topology-yaml": _topology("topology-yaml", "topology.yaml", topologies),
            "block": _topology("block", "block/topology.conf", blocks),
            "partitions": lambda it: _file(
                "partitions",
                "partitions.conf",
                partitions(it.fabric, it.degraded),
                outside_of_tenants(it.fabric, "a partition"),
            ),
            "hostfile": lambda it: _file("hostfile", "hostfile", hostfile(it)),
        },
        standard=("topology",),
        title="topology, partitions and features for Slurm",
        options={
            "topology": (),
            "topology-yaml": (),
            "block": (),
            "partitions": ("--degraded",),
            "hostfile": PLACED_OPTIONS,
        },
    )
)
