"""The buffer that SONiC on NVIDIA Spectrum computes by itself (``buffer_model: dynamic``).

Source of every constant: sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua and
cfgmgr/buffer_check_headroom_mellanox.lua, without a shared headroom pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.spectrum import STEP_BYTES, TWO_UNIT_LANES

if TYPE_CHECKING:
    import numpy.typing as npt

    Sizes = npt.NDArray[np.int64]

#: Pool of the management traffic (``mgmt_pool_size``).
MANAGEMENT_BYTES = 256 * 1024
#: Kept for a mirror session on each port that is up (``egress_mirror_headroom``).
MIRROR_BYTES = 10 * 1024
#: ``size`` of egress_lossy_profile, which the profile list of each port takes once
#: (sonic-net/sonic-buildimage device/mellanox, buffers_defaults_t1.j2).
EGRESS_LOSSY_BYTES = 9216
#: Pools without a size, which share what is left: that for lossless and that for lossy traffic.
INGRESS_POOLS = 2
#: What the check of one port adds for deviations (``accumulative_size``).
DEVIATION_BYTES = 4096
#: What it adds for a mirror session, for each buffer unit (``egress_mirror_size``).
CHECKED_MIRROR_BYTES = 20 * 1024


@dataclass(frozen=True, slots=True)
class ComputedPorts:
    """Ports of a switch as arrays.

    Parameters
    ----------
    lossless_sizes_bytes : array of int
        ``size`` of the lossless group of each port in use: XON threshold and headroom.
    lossless_lanes : array of int
        SerDes lanes of the same ports.
    up_lanes : array of int
        SerDes lanes of every port that is not admin down.
    """

    lossless_sizes_bytes: Sizes
    lossless_lanes: Sizes
    up_lanes: Sizes


def lossy_group_bytes(lanes: Sizes, pipeline_bytes: int) -> Sizes:
    """Return what a lossy priority group takes on ports with so many lanes.

    Parameters
    ----------
    lanes : int or array of int
        Lanes of the port, 1 to 8.
    pipeline_bytes : int
        Pipeline latency of the ASIC in bytes.
    """
    doubled = 2 * pipeline_bytes - STEP_BYTES
    return np.where(lanes == TWO_UNIT_LANES, doubled, pipeline_bytes)


def computed_pool_bytes(ports: ComputedPorts, buffer_bytes: int, pipeline_bytes: int) -> int:
    """Return the size of ``ingress_lossless_pool`` that the switch comes to.

    Parameters
    ----------
    ports : ComputedPorts
        Ports in use and up.
    buffer_bytes : int
        Packet buffer of the ASIC.
    pipeline_bytes : int
        Pipeline latency of the ASIC.

    Returns
    -------
    int
        Bytes; negative where the ports alone take more than the buffer.
    """
    used, up = len(ports.lossless_lanes), len(ports.up_lanes)
    occupied = (
        int(ports.lossless_sizes_bytes.sum())
        + int(lossy_group_bytes(ports.lossless_lanes, pipeline_bytes).sum())
        + used * EGRESS_LOSSY_BYTES
        + int(lossy_group_bytes(ports.up_lanes, pipeline_bytes).sum())  # management groups
        + up * MIRROR_BYTES
        + MANAGEMENT_BYTES
    )
    return (buffer_bytes - occupied) // INGRESS_POOLS


def checked_port_bytes(size_bytes: int, lanes: int, pipeline_bytes: int) -> int:
    """Return what the buffer manager holds against the limit of one port.

    The port has one lossless group of ``size_bytes`` and one lossy group beside the implicit one.

    Parameters
    ----------
    size_bytes : int
        Headroom of the lossless groups of the port in bytes.
    lanes : int
        Lanes of the port, 1 to 8.
    pipeline_bytes : int
        Pipeline latency of the ASIC in bytes.
    """
    units = 2 if lanes == TWO_UNIT_LANES else 1
    lossy = int(lossy_group_bytes(np.array(lanes), pipeline_bytes))
    return DEVIATION_BYTES + units * CHECKED_MIRROR_BYTES + 2 * lossy + size_bytes
