"""Open MPI: hostfile, rankfile and the command line, all in rank order.

Grammar: Open MPI manual page mpirun(1), HOSTFILES and RANKFILES.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.export import Exported, Exporter, exporters, text_file
from fabric.placement.mpirun import hostfile, mpirun

if TYPE_CHECKING:
    from fabric.placement.export import Order


def _hostfile(order: Order) -> Exported:
    return Exported((text_file("openmpi", "hostfile", "hostfile", hostfile(order)),))


def _rankfile(order: Order) -> Exported:
    lines = ["# Pins every rank to one core; --map-by slot with the hostfile gives the same order"]
    lines += [f"rank {r.rank}={r.host} slot={r.local_rank}" for r in order.placement.ranks]
    return Exported((text_file("openmpi", "rankfile", "rankfile", "\n".join(lines) + "\n"),))


def _command(order: Order) -> Exported:
    settings, notes = order.common()
    text = mpirun(order, settings)
    file = text_file("openmpi", "command", "mpirun.sh", text, executable=True)
    return Exported((file,), tuple(notes))


exporters.add("openmpi")(
    Exporter({"hostfile": _hostfile, "rankfile": _rankfile, "command": _command})
)
