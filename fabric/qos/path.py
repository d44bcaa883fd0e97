"""The path between two NICs: its round trip time and what is on the way in one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.wire import PAUSE_FRAME_BYTES, SIGNAL_M_PER_S
from fabric.topology.clos import clos
from fabric.topology.distance import longest_way

if TYPE_CHECKING:
    from fabric.topology.distance import Costs
    from fabric.topology.model import Fabric, Ints

#: Delay of a hop beside its cable: NIC or switch, transceivers and coding. The topologies of HPCC's
#: simulator count 1000 ns a link (alibaba-edu/High-Precision-Congestion-Control 9950bbbf
#: simulation/mix/fat.txt). Switches alone are faster; a larger figure is on the safe side for Kmin.
HOP_NS = 1000.0
#: Cables from here on lead to another site: the end of the flat rows of deep-buffer tables
#: (sonic-net/sonic-buildimage 086b03bd, Arista-7280DR3AK-36S, pg_profile_lookup.ini).
LONG_CABLE_M = 2000
#: A RoCEv2 packet of 4096 bytes on the wire: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4,
#: preamble and gap 20 (InfiniBand Architecture Specification, annex A17; IEEE 802.3). With IPv6 it
#: is half a percent longer, which is less than what models of congestion tell apart.
ROCE_PACKET_BYTES = 4096 + 82
#: What a notice takes of the wire: as much as the smallest frame, a PFC frame. A CNP and an
#: acknowledgement are up to 14 bytes longer: 1.1 ns at 100G.
NOTICE_BYTES = PAUSE_FRAME_BYTES
#: Path MTUs of RoCE, and what Linux keeps of the MTU of the network device for headers: the largest
#: that fits it less 96 bytes (include/rdma/ib_addr.h, iboe_get_mtu).
_ROCE_MTUS_BYTES, _HEADERS_BYTES = (256, 512, 1024, 2048, 4096), 96


@dataclass(frozen=True, slots=True)
class Hop:
    """One cable of a path."""

    speed_gbps: float
    cable_m: float


def one_way_s(hops: tuple[Hop, ...], frame_bytes: float, hop_ns: float = HOP_NS) -> float:
    """Return the time that a frame takes through an idle path, stored and forwarded at each hop.

    Parameters
    ----------
    hops : tuple of Hop
        Cables in order.
    frame_bytes : float
        Size of the frame on the wire.
    hop_ns : float
        Delay of each hop beside its cable and the frame itself.
    """
    return sum(
        ns_to_s(hop_ns)
        + hop.cable_m / SIGNAL_M_PER_S
        + frame_bytes / gbps_to_bytes_per_s(hop.speed_gbps)
        for hop in hops
    )


def round_trip_s(
    hops: tuple[Hop, ...],
    frame_bytes: float = ROCE_PACKET_BYTES,
    notice_bytes: float = NOTICE_BYTES,
    hop_ns: float = HOP_NS,
) -> float:
    """Return the time from the first bit of a data frame to its notice, through an idle path.

    ``notice_bytes`` is the CNP or acknowledgement on its way back, with preamble and gap.

    Parameters
    ----------
    hops : tuple of Hop
        Cables of the path, from NIC to NIC.
    frame_bytes : float
        Data frame in bytes, > 0.
    notice_bytes : float
        Notice (CNP) with preamble and gap in bytes, > 0.
    hop_ns : float
        Delay of one switch in ns, >= 0.

    Returns
    -------
    float
        Seconds.
    """
    back = tuple(reversed(hops))
    return one_way_s(hops, frame_bytes, hop_ns) + one_way_s(back, notice_bytes, hop_ns)


def roce_mtu_bytes(mtu_bytes: int) -> int:
    """Return the MTU of RoCE packets that follows from that of the network device, in bytes."""
    fitting = [size for size in _ROCE_MTUS_BYTES if size <= mtu_bytes - _HEADERS_BYTES]
    return max(fitting, default=_ROCE_MTUS_BYTES[0])


def line_rate_efficiency(mtu_bytes: int, *, vlan: bool = False, ipv6: bool = False) -> float:
    """Return the share of the line rate that is payload, for a path MTU of RoCEv2.

    Each packet of an RC connection adds 14 Ethernet, 20 IPv4, 8 UDP, 12 BTH, 4 ICRC, 4 FCS and 20
    of preamble and gap (InfiniBand Architecture Specification annex A17; IEEE 802.3 clause 4); a
    VLAN tag 4, IPv6 20 more.

    Parameters
    ----------
    mtu_bytes : int
        Path MTU of RoCEv2 in bytes: 256 to 4096.
    vlan, ipv6 : bool
        Whether frames have a VLAN tag, and an IPv6 header.

    Returns
    -------
    float
        Share, 0 to 1.
    """
    overhead = 14 + 20 + 8 + 12 + 4 + 4 + 20 + (4 if vlan else 0) + (20 if ipv6 else 0)
    return mtu_bytes / (mtu_bytes + overhead)


def longest_path(fabric: Fabric) -> tuple[Hop, ...]:
    """Return the cables between the two hosts whose round trip is longest; none without a pair.

    `longest_way` says which paths count.
    """
    way = longest_way(clos(fabric), _hop_s)
    return tuple(Hop(*cable) for cable in way.cables) if way else ()


def _hop_s(speed_gbps: Ints, cable_m: Ints) -> Costs:
    """Return the share of each cable in a round trip, without the delay that all have."""
    frame_s = (ROCE_PACKET_BYTES + NOTICE_BYTES) / gbps_to_bytes_per_s(1)
    return 2 * cable_m / SIGNAL_M_PER_S + frame_s / speed_gbps
