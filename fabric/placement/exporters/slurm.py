"""Slurm: ``topology.conf`` for ``topology/tree``.

A rail-optimised host hangs on one leaf per rail, but Slurm takes a node under one switch only; so
the leaves of a unit, which all its hosts share, are the lowest switch: by the name of the leaf
where there is one, else by that of the unit, with the leaves in a comment. The spine layer is one
virtual switch: a Clos is not a tree, and a leaf with two parents is read as one without complaint.
Names are folded as Slurm's own ``scontrol show hostlist`` folds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.export import Exported, Exporter, exporters, text_file

if TYPE_CHECKING:
    from fabric.placement.export import Order
    from fabric.topology.model import Fabric

#: Slurm's limit of a switch name (topology.conf manual page).
MAX_NAME = 64


def slurm(fabric: Fabric) -> str:
    """Return ``topology.conf``: one line for the leaves of each unit, one per pod, and one root.

    Units that no spine connects have no root in common.

    Raises
    ------
    InputError
        When a name is too long for Slurm, or stands for two of its switches.
    """
    file = fabric.intent.fabric
    root = f"{file.name}-spines"
    leaves = _leaves(fabric)
    names = [name for name, _ in leaves]
    used = [*names, *(pod for pod in _pods(fabric) if pod), root]
    for name in used:
        if len(name) > MAX_NAME:
            message = f"{name!r} is longer than the {MAX_NAME} characters of a Slurm switch name"
            raise _refused(message, "shorten the name")
    double = next((name for name in used if used.count(name) > 1), None)
    if double:
        message = f"two switches would have the name {double!r} in Slurm"
        raise _refused(message, "rename the unit, the pod or the fabric")
    lines = ["# Written by rocefab from the inventory. TopologyPlugin=topology/tree"]
    for (name, switches), unit in zip(leaves, file.units, strict=True):
        lines += [f"# {name}: {hostlist.fold(switches)}"] if switches not in ([], [name]) else []
        lines.append(f"SwitchName={name} Nodes={hostlist.fold(hostlist.expand(unit.hosts))}")
    pods = _pods(fabric)
    lines += [
        f"SwitchName={pod} Switches={hostlist.fold(units)}" for pod, units in pods.items() if pod
    ]
    if len(fabric.uplinks) or len(names) == 1:
        top = [pod for pod in pods if pod] or names
        lines.append(f"SwitchName={root} Switches={hostlist.fold(top)}")
    return "\n".join(lines) + "\n"


def _leaves(fabric: Fabric) -> list[tuple[str, list[str]]]:
    """Return for each unit the name that Slurm knows its leaves by, and the leaves."""
    rows: list[list[str]] = [[] for _ in fabric.intent.fabric.units]
    switches = fabric.switches
    units = switches.unit[: switches.leaf_count].tolist()
    for name, unit in zip(switches.names, units, strict=False):
        rows[unit].append(name)
    return [
        (names[0] if len(names) == 1 else f"{unit.name}-leaves", names)
        for unit, names in zip(fabric.intent.fabric.units, rows, strict=True)
    ]


def _pods(fabric: Fabric) -> dict[str, list[str]]:
    """Return the leaves of each pod; the pod is empty where there are none."""
    leaves_by_pod: dict[str, list[str]] = {}
    for (name, _), unit in zip(_leaves(fabric), fabric.intent.fabric.units, strict=True):
        leaves_by_pod.setdefault(unit.pod or "", []).append(name)
    return leaves_by_pod


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("PLC002", Severity.ERROR, message, fix)
    return InputError("the fabric cannot be exported to Slurm", [finding])


def _topology(order: Order) -> Exported:
    text = slurm(order.fabric)
    return Exported((text_file("slurm", "topology", "topology.conf", text),))


exporters.add("slurm")(Exporter({"topology": _topology}))
