"""What a probe must reach on a lossless fabric.

Wire overhead of a RoCEv2 RC packet without VLAN tag and without RETH: 14 Ethernet + 20 IPv4 + 8 UDP
+ 12 BTH + 4 ICRC + 4 FCS + 20 preamble and gap (InfiniBand Architecture Specification volume 1,
annex A17; IEEE 802.3). Published rates of RDMA WRITE over 100 Gb/s are 98.3 to 99.6 percent of the
ceiling that follows (PMC7842203, table 2); 98.5 percent is asked for, with messages of 64 KiB or
more and one pair at a time on a link.

Of an incast, 80 percent of the ceiling are asked for, all flows together: DCQCN, which starts at
the whole rate, loses up to a fifth until it is steady (fluid model of ``fabric.qos.dcqcn``; Y. Zhu
et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015). Flows are alike when
Jain's index is 0.95 or more (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import percent_to_share

if TYPE_CHECKING:
    from collections.abc import Sequence

WIRE_BYTES = 14 + 20 + 8 + 12 + 4 + 4 + 20
ACCEPTED_PERCENT = 98.5
INCAST_PERCENT = 80.0
FAIRNESS = 0.95
MESSAGE_BYTES = 65536


def ceiling_gbps(speed_gbps: float, mtu_bytes: int) -> float:
    """Return the rate of payload that a link can carry with packets of an MTU, in Gb/s."""
    return speed_gbps * mtu_bytes / (mtu_bytes + WIRE_BYTES)


def needed_gbps(speed_gbps: float, mtu_bytes: int) -> float:
    """Return the rate that one pair of NICs must reach, in Gb/s."""
    return ceiling_gbps(speed_gbps, mtu_bytes) * percent_to_share(ACCEPTED_PERCENT)


def incast_needed_gbps(speed_gbps: float, mtu_bytes: int) -> float:
    """Return the rate that all flows into one NIC must reach together, in Gb/s."""
    return ceiling_gbps(speed_gbps, mtu_bytes) * percent_to_share(INCAST_PERCENT)


def fairness(rates: Sequence[float]) -> float:
    """Return Jain's index of rates: 1 when all are equal, 1/n when one flow has all."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0
