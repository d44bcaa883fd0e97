"""MPICH and Intel MPI: machine file and command line of Hydra, their process manager.

``host:number`` fills the hosts one after the other (MPICH wiki, Using the Hydra Process Manager;
Intel MPI Library Developer Reference, mpiexec.hydra, -machinefile, -genv, -iface). Nothing binds
the ranks: MPICH does so only with ``-bind-to``, Intel MPI pins by NUMA node by itself.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fabric.core.exports import (
    PLACED_OPTIONS,
    SETTINGS_OPTIONS,
    Exported,
    Exporter,
    exporters,
    text_file,
)

if TYPE_CHECKING:
    from fabric.placement.export import Order


def _machines(order: Order) -> Exported:
    text = "".join(f"{host}:{order.gpus}\n" for host in order.placement.hosts)
    return Exported((text_file("hydra", "machinefile", "machinefile", text),))


def _command(order: Order) -> Exported:
    settings, notes = order.common()
    ranks = str(len(order.placement.ranks))
    lines = [
        ["mpiexec.hydra", "-machinefile", "machinefile", "-n", ranks, "-iface", order.bootstrap],
        *(["-genv", item.name, item.value] for item in settings),
    ]
    body = " \\\n  ".join(shlex.join(line) for line in lines)
    text = (
        "#!/bin/sh\n# Written by rocefab from the inventory; run it next to the machinefile.\n"
        f'exec {body} \\\n  "$@"\n'
    )
    file = text_file("hydra", "command", "mpiexec.sh", text, executable=True)
    return Exported((file,), tuple(notes))


exporters.add("hydra")(
    Exporter(
        {"machinefile": _machines, "command": _command},
        title="machine file and command for MPICH and Intel MPI",
        options={"machinefile": PLACED_OPTIONS, "command": SETTINGS_OPTIONS},
    )
)
