"""Slurm: ``topology.conf`` for ``topology/tree``.

A rail-optimised host hangs on one leaf per rail, but Slurm takes a node under one switch only; so
the unit, whose hosts share all their leaves, is the lowest switch. The spine layer is one virtual
switch: a Clos is not a tree, and a leaf with two parents is read as one without complaint.
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
    """Return ``topology.conf``: one line per unit and one root.

    Raises
    ------
    InputError
        When a name is too long for Slurm, or stands for two of its switches.
    """
    file = fabric.intent.fabric
    root = f"{file.name}-spines"
    names = [unit.name for unit in file.units]
    for name in (*names, root):
        if len(name) > MAX_NAME:
            message = f"{name!r} is longer than the {MAX_NAME} characters of a Slurm switch name"
            raise _refused(message, "shorten the name")
    if root in names:
        message = f"{root!r} is the name of a unit and of the spine layer"
        raise _refused(message, "rename the unit or the fabric")
    lines = ["# Written by rocefab from the inventory. TopologyPlugin=topology/tree"]
    lines += [
        f"SwitchName={unit.name} Nodes={hostlist.fold(hostlist.expand(unit.hosts))}"
        for unit in file.units
    ]
    lines.append(f"SwitchName={root} Switches={hostlist.fold(names)}")
    return "\n".join(lines) + "\n"


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("PLC002", Severity.ERROR, message, fix)
    return InputError("the fabric cannot be exported to Slurm", [finding])


def _topology(order: Order) -> Exported:
    text = slurm(order.fabric)
    return Exported((text_file("slurm", "topology", "topology.conf", text),))


exporters.add("slurm")(Exporter({"topology": _topology}))
