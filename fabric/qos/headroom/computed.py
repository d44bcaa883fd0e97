"""The buffer that SONiC on NVIDIA Spectrum computes by itself (``buffer_model: dynamic``).

Source of every constant: sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua and
cfgmgr/buffer_check_headroom_mellanox.lua. Ports that are down take nothing: their profiles are
replaced by ones without a size (cfgmgr/buffermgrdyn.cpp, reclaimReservedBufferForPort).
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
#: Kept for each port with a lossless group where they share a headroom (``private_headroom``).
PRIVATE_BYTES = 10 * 1024
#: Shared headroom where the promised one comes to nothing (``shp_size = 655360``).
LEAST_SHARED_HEADROOM_BYTES = 655_360
#: ``size`` of egress_lossy_profile, which the profile list of each port takes once
#: (sonic-net/sonic-buildimage device/mellanox, buffers_defaults_t1.j2).
EGRESS_LOSSY_BYTES = 9216
#: Pools without a size, which share what is left: that for lossless and that for lossy traffic.
INGRESS_POOLS = 2
#: What the check of one port adds for deviations (``accumulative_size``).
DEVIATION_BYTES = 4096
#: What it adds for a mirror session, for each buffer unit (``egress_mirror_size``).
CHECKED_MIRROR_BYTES = 20 * 1024
#: Names of parts of the buffer.
LOSSLESS_GROUPS, SHARED_HEADROOM = "lossless groups", "shared headroom"


def _none() -> Sizes:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class ComputedPorts:
    """Ports of a switch as arrays.

    Parameters
    ----------
    lossless_sizes_bytes : array of int
        ``size`` of the lossless groups of each port in use: XON threshold and own headroom.
    lossless_lanes : array of int
        SerDes lanes of the same ports.
    up_lanes : array of int
        SerDes lanes of every port that is not admin down.
    shared_sizes_bytes : array of int
        Headroom that the groups of the same ports take from a shared headroom; empty where each
        has its own.
    """

    lossless_sizes_bytes: Sizes
    lossless_lanes: Sizes
    up_lanes: Sizes
    shared_sizes_bytes: Sizes = field(default_factory=_none)


@dataclass(frozen=True, slots=True)
class ComputedAsic:
    """Figures of an ASIC that the pools follow from, in bytes.

    Parameters
    ----------
    descriptors_bytes : int
        Kept for modification descriptors; then nothing is kept for mirror sessions.
    """

    buffer_bytes: int
    pipeline_bytes: int
    descriptors_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """What the buffer manager takes from the buffer for one purpose; ``count`` ports need it."""

    name: str
    count: int
    amount_bytes: int


@dataclass(frozen=True, slots=True)
class ComputedPool:
    """The pools that the switch comes to, and what it takes from the buffer before.

    Parameters
    ----------
    parts : tuple of Part
        What is not for sharing; the shared headroom is one of them.
    buffer_bytes : int
        Packet buffer of the ASIC.
    shared_headroom_bytes : int
        ``xoff`` of ``ingress_lossless_pool``; 0 where each group has its own headroom.
    """

    parts: tuple[Part, ...]
    buffer_bytes: int
    shared_headroom_bytes: int = 0

    @property
    def left_bytes(self) -> int:
        """What the ports leave; negative where they take more than the buffer."""
        return self.buffer_bytes - sum(part.amount_bytes for part in self.parts)

    @property
    def pool_bytes(self) -> int:
        """Size of ``ingress_lossless_pool``; 0 where nothing is left."""
        return max(0, -(-self.left_bytes // INGRESS_POOLS))


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


def computed_pool(
    ports: ComputedPorts, asic: ComputedAsic, over_subscription: int = 0
) -> ComputedPool:
    """Return the pools that the switch comes to.

    Parameters
    ----------
    ports : ComputedPorts
        Ports in use and up.
    over_subscription : int
        ``over_subscribe_ratio``: the shared headroom is what the groups are promised divided by
        it; 0 leaves each group its own.
    """
    used, up = len(ports.lossless_lanes), len(ports.up_lanes)
    lossy, management = (
        int(lossy_group_bytes(lanes, asic.pipeline_bytes).sum())
        for lanes in (ports.lossless_lanes, ports.up_lanes)
    )
    parts = [
        Part(LOSSLESS_GROUPS, used, int(ports.lossless_sizes_bytes.sum())),
        Part("lossy groups", used, lossy),
        Part("lossy egress profiles", used, used * EGRESS_LOSSY_BYTES),
        Part("management groups", up, management),
        Part("mirror sessions", up, 0 if asic.descriptors_bytes else up * MIRROR_BYTES),
        Part("management pool", 1, MANAGEMENT_BYTES),
        Part("modification descriptors", 1, asic.descriptors_bytes),
    ]
    shared = 0
    if over_subscription:
        private = used * PRIVATE_BYTES
        promised = max(0, int(ports.shared_sizes_bytes.sum()) - private)
        shared = -(-promised // over_subscription) or LEAST_SHARED_HEADROOM_BYTES
        parts += [
            Part("private headroom", used, private),
            Part(SHARED_HEADROOM, used, shared),
        ]
    taken = tuple(part for part in parts if part.amount_bytes)
    return ComputedPool(taken, asic.buffer_bytes, shared)


def checked_port_bytes(size_bytes: int, lanes: int, pipeline_bytes: int) -> int:
    """Return what the buffer manager holds against the limit of one port.

    The port has lossless groups of ``size_bytes`` and one lossy group beside the implicit one.

    Parameters
    ----------
    size_bytes : int
        ``size`` of the lossless groups of the port in bytes.
    lanes : int
        Lanes of the port, 1 to 8.
    pipeline_bytes : int
        Pipeline latency of the ASIC in bytes.
    """
    units = 2 if lanes == TWO_UNIT_LANES else 1
    lossy = int(lossy_group_bytes(np.array(lanes), pipeline_bytes))
    return DEVIATION_BYTES + units * CHECKED_MIRROR_BYTES + 2 * lossy + size_bytes
