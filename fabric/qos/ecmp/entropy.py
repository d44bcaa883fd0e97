"""What ECMP can tell RoCEv2 flows apart by: the UDP source port.

Addresses, protocol and destination port 4791 are the same for all queue pairs of two NICs. Linux
makes the source port of the flow label, and the flow label, where nobody sets one, of both queue
pair numbers (include/rdma/ib_verbs.h, rdma_flow_label_to_udp_sport and rdma_calc_flow_label).
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric.qos.ecmp.load import used_share

#: Destination port of RoCEv2 (IANA; InfiniBand Architecture Specification, annex A17).
ROCE_PORT = 4791
#: First source port, and bits that vary (include/rdma/ib_verbs.h).
LEAST_PORT, PORT_BITS = 0xC000, 14
_PORT_MASK = (1 << PORT_BITS) - 1
_LABEL_MASK = 0xFFFFF


def flow_label(local_qpn: int, remote_qpn: int) -> int:
    """Return the flow label of a connection whose upper layer sets none.

    Parameters
    ----------
    local_qpn, remote_qpn : int
        Queue pair numbers, 24 bits.
    """
    value = local_qpn * remote_qpn & (1 << 64) - 1
    value ^= value >> 20
    value ^= value >> 40
    return value & _LABEL_MASK


def source_port(label: int) -> int:
    """Return the UDP source port of a flow label (20 bits)."""
    return LEAST_PORT | ((label & _PORT_MASK) ^ ((label & _LABEL_MASK) >> PORT_BITS))


@dataclass(frozen=True, slots=True)
class Entropy:
    """How many paths the queue pairs between two NICs reach.

    Parameters
    ----------
    tuples : float
        Expected number of different 5-tuples.
    paths : float
        Expected number of links that carry one.
    reason : str
        Why.
    """

    tuples: float
    paths: float
    reason: str


def entropy(queue_pairs: int, links: int, *, pinned: bool = False) -> Entropy:
    """Return how many paths the queue pairs between two NICs reach.

    Parameters
    ----------
    queue_pairs, links : int
        At least 1 each.
    pinned : bool
        Whether the host gives every queue pair one flow label, and with it one source port.

    Raises
    ------
    ValueError
        When a number is below 1.
    """
    if min(queue_pairs, links) < 1:
        raise ValueError("queue_pairs and links must be at least 1")
    ports = 1 << PORT_BITS
    if pinned:
        tuples, why = 1.0, "one flow label makes one source port: all queue pairs share a path"
    else:
        tuples = float(used_share(queue_pairs, ports)) * ports
        why = f"source ports are drawn from {ports}; each link is as likely"
    return Entropy(tuples, float(used_share(tuples, links)) * links, why)
