"""JAX: a script for every host, one process on each with the GPUs of the job.

``jax.distributed.initialize`` reads JAX_COORDINATOR_ADDRESS and JAX_LOCAL_DEVICE_IDS (jax 0.10.2,
``jax/_src/distributed.py``). It takes the number of processes and the id of this one as arguments
only; the program reads them from JAX_NUM_PROCESSES and JAX_PROCESS_ID, the names that Kubeflow
Trainer uses (Kubeflow documentation, JAX Guide).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import PLACED_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.placement.node_rank import node_script

if TYPE_CHECKING:
    from fabric.placement.export import Order

#: Port of the examples of ``jax.distributed.initialize``; any free one will do.
_PORT = 1234


def _script(order: Order) -> Exported:
    hosts = order.placement.hosts
    gpus = ",".join(map(str, range(order.gpus)))
    body = (
        f"export JAX_COORDINATOR_ADDRESS={hosts[0]}:{_PORT}\n"
        f"export JAX_LOCAL_DEVICE_IDS={gpus}\n"
        f"export JAX_NUM_PROCESSES={len(hosts)}\n"
        'export JAX_PROCESS_ID="$node_rank"\n'
        'exec "$@"\n'
    )
    return Exported((
        text_file("jax", "script", "jax.sh", node_script(order, body), executable=True),
    ))


exporters.add("jax")(
    Exporter(
        {"script": _script},
        title="start script for JAX",
        options={"script": PLACED_OPTIONS},
    )
)
