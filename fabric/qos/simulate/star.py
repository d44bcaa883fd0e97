"""Senders and a receiver on a single switch: the incast of papers and of other simulators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.simulate.classes import Ingress
from fabric.qos.simulate.scenario import Cable, End

if TYPE_CHECKING:
    from fabric.qos.dcqcn.parameters import CongestionPoint

#: HPCC's simulator (alibaba-edu/High-Precision-Congestion-Control 9f4be2a9): headroom of three
#: times what is on the cable (simulation/scratch/third.cc), reserve and offset (switch-mmu.cc).
_HEADROOM_TRIPS, _RESERVE_BYTES, _XON_OFFSET_BYTES = 3, 4096, 3072


@dataclass(frozen=True, slots=True, kw_only=True)
class Star:
    """A switch with equal cables.

    Parameters
    ----------
    senders : int
        Hosts that send to one receiver, >= 1.
    delay_us : float
        One-way delay of each cable.
    buffer_bytes : int
        Whole buffer of the switch; headroom and reserves are taken from it.
    alpha : float
        Share of the free pool that one port may hold.
    response_ns : float
        Time from the arrival of a pause until the sender stops.
    classes : int
        Lossless classes, each with its headroom and reserve at each port, >= 1.
    """

    senders: int
    speed_gbps: float = 100.0
    delay_us: float = 1.0
    buffer_bytes: int = 32 * 2**20
    alpha: float = 0.125
    response_ns: float = 0.0
    classes: int = 1

    @property
    def headroom_bytes(self) -> int:
        """Headroom of a port."""
        flying = gbps_to_bytes_per_s(self.speed_gbps) * ns_to_s(self.delay_us * 1000)
        return int(_HEADROOM_TRIPS * flying)

    @property
    def receiver_port(self) -> int:
        """Egress port of the switch that leads to the receiver."""
        return 2 * self.senders + 1

    def shared_bytes(self) -> tuple[int | None, ...]:
        """Return the pool of each node: hosts, the receiver, the switch."""
        hosts = self.senders + 1
        taken = self.classes * hosts * (self.headroom_bytes + _RESERVE_BYTES)
        return (*(None for _ in range(hosts)), self.buffer_bytes - taken)

    def cables(self, marking: CongestionPoint | None) -> tuple[Cable, ...]:
        """Return the cables from each host to the switch."""
        ingress = Ingress(
            alpha=self.alpha,
            headroom_bytes=self.headroom_bytes,
            reserve_bytes=_RESERVE_BYTES,
            xon_offset_bytes=_XON_OFFSET_BYTES,
        )
        far = End(node=self.senders + 1, ingress=ingress, marking=marking)
        return tuple(
            Cable(
                near=End(node=host, response_ns=self.response_ns),
                far=far,
                speed_gbps=self.speed_gbps,
                delay_ns=self.delay_us * 1000,
            )
            for host in range(self.senders + 1)
        )

    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Return the path of each sender."""
        return tuple((2 * host, self.receiver_port) for host in range(self.senders))

    def names(self) -> tuple[str, ...]:
        """Return the name of each egress port."""
        hosts = [*(f"sender{number + 1}" for number in range(self.senders)), "receiver"]
        return tuple(name for host in hosts for name in (host, f"switch to {host}"))
