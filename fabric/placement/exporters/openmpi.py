"""Open MPI: hostfile, rankfile and the command line, all in rank order.

Grammar: Open MPI manual page mpirun(1), HOSTFILES and RANKFILES; openpmix/prrte
``docs/hosts/hostfiles.rst`` and ``docs/placement/rankfiles.rst`` for Open MPI 5, which stands on
PRRTE. Cores of a rankfile are logical numbers inside of a package. Open MPI cannot find the NUMA
node of a rank's GPU: ``--map-by slot --bind-to numa`` binds the ranks of a host to the first nodes,
``ppr:4:numa`` counts on GPUs at every node. So the command binds no rank, and a rankfile is written
where the inventory tells NUMA nodes and cores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import (
    PLACED_OPTIONS,
    SETTINGS_OPTIONS,
    Exported,
    Exporter,
    exporters,
    text_file,
)
from fabric.intent.host_model import core_range
from fabric.placement.mpirun import hostfile_of, mpirun
from fabric.placement.pcie import refused_trait

if TYPE_CHECKING:
    from fabric.placement.export import Order


def _rankfile(order: Order) -> Exported:
    cores = {host: _cores(order, host) for host in order.placement.hosts}
    lines = ["# Pins every rank to its share of the cores at the NUMA node of its GPU"]
    lines += [f"rank {r.rank}={r.host} slot={cores[r.host][r.gpu]}" for r in order.placement.ranks]
    return Exported((text_file("openmpi", "rankfile", "rankfile", "\n".join(lines) + "\n"),))


def _cores(order: Order, host: str) -> list[str]:
    """Return the cores of each GPU: the GPUs at a NUMA node share its cores out evenly."""
    traits = order.fabric.intent.host_traits(host)
    nodes, cores = traits.gpu.numa_nodes, traits.numa_cores
    if len(nodes) < order.fabric.intent.fabric.host.gpus:
        message = f"a rankfile needs the NUMA node of every GPU; {len(nodes)} are set"
        fix = "set host.gpu.numa_nodes and host.numa_cores, or use the hostfile: it binds no rank"
        raise refused_trait(order.fabric, host, ("gpu", "numa_nodes"), message, fix)
    shares = []
    for gpu, node in enumerate(nodes):
        package, first, last = core_range(cores[node]) if node < len(cores) else (0, 0, -1)
        size = (last - first + 1) // nodes.count(node)
        if not size:
            message = f"the cores of NUMA node {node} are not known, or fewer than its GPUs"
            fix = "set host.numa_cores, one entry per NUMA node, such as 0:0-31"
            raise refused_trait(order.fabric, host, ("numa_cores",), message, fix)
        start = first + size * nodes[:gpu].count(node)
        shares.append(f"{package}:{start}" + (f"-{start + size - 1}" if size > 1 else ""))
    return shares


def _command(order: Order) -> Exported:
    settings, notes = order.common()
    text = mpirun(order, settings)
    file = text_file("openmpi", "command", "mpirun.sh", text, executable=True)
    return Exported((file,), tuple(notes))


exporters.add("openmpi")(
    Exporter(
        {"hostfile": hostfile_of("openmpi"), "rankfile": _rankfile, "command": _command},
        ("hostfile", "command"),
        title="host file, rank file and command for Open MPI",
        options={
            "hostfile": PLACED_OPTIONS,
            "rankfile": PLACED_OPTIONS,
            "command": SETTINGS_OPTIONS,
        },
    )
)
