"""Intel Tofino-2: the headroom that SONiC computes on the switch.

Source: sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_headroom_barefoot.lua.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s
from fabric.qos.headroom.spectrum import SIGNAL_M_PER_S, SMALL_FRAME_BYTES, STEP_BYTES
from fabric.qos.headroom.terms import Headroom, Link, Term, ceil_to, total
from fabric.qos.headroom.wire import response_bytes

#: Speed at which the script doubles the response of the peer.
DOUBLE_RESPONSE_GBPS = 400


@dataclass(frozen=True, slots=True)
class TofinoSettings:
    """Figures of the ASIC (``ASIC_TABLE``) and the share of smallest frames."""

    cell_bytes: int
    pipeline_bytes: float
    mac_phy_bytes: float
    small_packet_percent: float = 100.0

    def packing_factor(self) -> float:
        """Return the buffer bytes for each byte on the wire."""
        cell = self.cell_bytes
        two_cells = cell > 2 * SMALL_FRAME_BYTES
        worst = cell / SMALL_FRAME_BYTES if two_cells else 2 * cell / (1 + cell)
        return (100 - self.small_packet_percent + self.small_packet_percent * worst) / 100


def tofino(link: Link, settings: TofinoSettings) -> Headroom:
    """Return headroom, XON threshold and size (the XON threshold) of a lossless priority group.

    Raises
    ------
    ValueError
        When a speed has no pause quanta.
    """
    speed = link.speed_gbps
    doubled = np.where(speed == DOUBLE_RESPONSE_GBPS, 2.0, 1.0)
    # the script divides the bytes on the cable by 1024 instead of 1000
    cable = 2 * link.cable_m * gbps_to_bytes_per_s(1) * speed / SIGNAL_M_PER_S * 1000 / 1024
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("cable, both ways", cable),
        Term("MAC and PHY", np.full_like(speed, settings.mac_phy_bytes)),
        Term("response of the peer", doubled * response_bytes(speed)),
        Term("lossless frame just begun", link.lossless_mtu_bytes, packed=False),
    )
    headroom = total("tofino-2", terms, settings.packing_factor(), STEP_BYTES)
    xon = np.broadcast_to(ceil_to(settings.pipeline_bytes, STEP_BYTES), speed.shape)
    return replace(headroom, xon_threshold_bytes=xon, size_bytes=xon)
