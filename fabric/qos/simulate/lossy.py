"""Queues whose packets may be dropped: admission at the egress, in the same pool or in their own.

The limit is the dynamic threshold of the queue, alpha times what is free (Choudhury and Hahne,
IEEE/ACM Transactions on Networking 6(2), 1998), as in the lossy queues of SONiC (``dynamic_th``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Nodes, Ports


@kernel
def admit_lossy(ports: Ports, nodes: Nodes, port: int, size: int) -> bool:
    """Count a packet to the pool of its egress queue; False when it is dropped.

    Parameters
    ----------
    port : int
        The egress, before the packet is in its queue.
    """
    egress, node = ports[port], nodes[ports[port].node]
    before = max(0, egress.queue - egress.reserve)
    after = max(0, egress.queue + size - egress.reserve)
    free = node.lossy - node.lossy_used if node.lossy > 0 else node.shared - node.used
    taken = after - before
    if after > 0 and after > egress.alpha * max(0, free):
        egress.dropped += 1
        return False
    if node.lossy_shares:
        if taken > max(0, node.shared - node.used):
            egress.dropped += 1
            return False
        node.used += taken
        if node.used > node.most_used:  # noqa: PLR1730 - faster than max()
            node.most_used = node.used
    node.lossy_used += taken
    return True


@kernel
def release_lossy(ports: Ports, nodes: Nodes, port: int, size: int) -> None:
    """Take a packet off the pool after it left the queue of an egress."""
    egress, node = ports[port], nodes[ports[port].node]
    before = max(0, egress.queue + size - egress.reserve)
    taken = before - max(0, egress.queue - egress.reserve)
    node.lossy_used -= taken
    if node.lossy_shares:
        node.used -= taken
