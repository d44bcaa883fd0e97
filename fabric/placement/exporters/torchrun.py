"""torchrun: a script for every host, which knows the host's place in the rank order.

Static rendezvous keeps the order, RANK = node rank * processes per node + local rank; with c10d
ranks follow from arrival (PyTorch documentation, torchrun).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.export import Exported, Exporter, exporters, text_file

if TYPE_CHECKING:
    from fabric.placement.export import Order

#: Default of torchrun (PyTorch documentation, torchrun, --master-port).
MASTER_PORT = 29500


def _script(order: Order) -> Exported:
    hosts = order.placement.hosts
    cases = "".join(f"  {host}) node_rank={rank} ;;\n" for rank, host in enumerate(hosts))
    text = (
        "#!/bin/sh\n# Written by rocefab from the inventory; run it on every host of the job.\n"
        f'name=$(hostname -s)\ncase "$name" in\n{cases}'
        '  *) echo "$name is not a host of this job" >&2; exit 2 ;;\nesac\n'
        f"exec torchrun --nnodes {len(hosts)} --nproc-per-node {order.gpus} "
        f'--node-rank "$node_rank" \\\n'
        f'  --master-addr {hosts[0]} --master-port {MASTER_PORT} "$@"\n'
    )
    return Exported((text_file("torchrun", "script", "torchrun.sh", text, executable=True),))


exporters.add("torchrun")(Exporter({"script": _script}))
