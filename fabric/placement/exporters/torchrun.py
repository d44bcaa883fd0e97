"""torchrun: a script for every host, which knows the host's place in the rank order.

Static rendezvous keeps the order, RANK = node rank * processes per node + local rank; with c10d
ranks follow from arrival (PyTorch documentation, torchrun).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import PLACED_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.placement.node_rank import node_script

if TYPE_CHECKING:
    from fabric.placement.export import Order

#: Default of torchrun (PyTorch documentation, torchrun, --master-port).
MASTER_PORT = 29500


def _script(order: Order) -> Exported:
    hosts = order.placement.hosts
    body = (
        f"exec torchrun --nnodes {len(hosts)} --nproc-per-node {order.gpus} "
        f'--node-rank "$node_rank" \\\n'
        f'  --master-addr {hosts[0]} --master-port {MASTER_PORT} "$@"\n'
    )
    text = node_script(order, body)
    return Exported((text_file("torchrun", "script", "torchrun.sh", text, executable=True),))


def _table(order: Order) -> Exported:
    """Return ``node_rank,host`` lines, for a launcher that starts torchrun itself."""
    rows = [f"{rank},{host}\n" for rank, host in enumerate(order.placement.hosts)]
    text = "".join(["node_rank,host\n", *rows])
    return Exported((text_file("torchrun", "table", "node-ranks.csv", text),))


exporters.add("torchrun")(
    Exporter(
        {"script": _script, "table": _table},
        ("script",),
        title="start script for torchrun, and the table of its ranks",
        options={"script": PLACED_OPTIONS, "table": PLACED_OPTIONS},
    )
)
