"""What collectives reach of the line rate: figures that others have published.

A ring of NCCL or RCCL keeps a NIC busy all the time, but for the start of each step, the reduction
on the GPU and copies. No formula gives that share; it is taken from published measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CollectiveKind(StrEnum):
    """A collective that is measured."""

    ALL_REDUCE = "all-reduce"
    ALL_TO_ALL = "all-to-all"


@dataclass(frozen=True, slots=True)
class Published:
    """A bus bandwidth that somebody has published.

    Parameters
    ----------
    system : str
        GPUs and network.
    nodes, nics : int
        Hosts, and NICs of each.
    nic_gbps : float
        Speed of a NIC in Gb/s.
    gbyte_s : float
        Bus bandwidth of large messages in GB/s.
    """

    system: str
    kind: CollectiveKind
    nodes: int
    nics: int
    nic_gbps: float
    gbyte_s: float
    source: str


_NCCL, _TESTS = "github.com/NVIDIA/nccl/issues/", "github.com/NVIDIA/nccl-tests/issues/"
_RING = CollectiveKind.ALL_REDUCE
#: Hosts are 2 where the source does not say how many; a ring does not depend on it.
PUBLISHED = (
    Published("DGX A100, InfiniBand", _RING, 2, 8, 200, 192.0, f"{_NCCL}812 (NVIDIA)"),
    Published("4 NICs, InfiniBand", _RING, 2, 4, 200, 95.1, f"{_TESTS}252 (8 GiB, ring)"),
    Published("A100, RoCE", _RING, 2, 8, 100, 75.0, f"{_NCCL}495 (NVIDIA: a bit low)"),
    Published("H100, InfiniBand", _RING, 2, 8, 400, 376.0, f"{_TESTS}290 (NVIDIA: 46-48 a NIC)"),
    Published("H100, InfiniBand", _RING, 2, 8, 400, 380.0, f"{_TESTS}309 (NVIDIA)"),
    Published(
        "H100, InfiniBand", _RING, 4, 8, 400, 330.9, "git.onestrm.cn/aigatech/vpbenchmarking"
    ),
    Published("H200, InfiniBand", _RING, 248, 8, 400, 350.0, f"{_TESTS}283"),
    Published("MI300X, RoCE", _RING, 2, 8, 400, 350.0, "github.com/ROCm/cvs rccl_config.json"),
    Published(
        "MI300X, RoCE",
        CollectiveKind.ALL_TO_ALL,
        2,
        8,
        400,
        50.0,
        "github.com/ROCm/cvs rccl_config.json",
    ),
)
#: Share of the ceiling that is expected: near the median of the table above, 0.93.
USUAL = 0.93
#: Least share: seven of the eight all-reduces are above it, and the last one its maintainers call
#: low; the all-to-all above has 0.54.
LEAST = {CollectiveKind.ALL_REDUCE: 0.84, CollectiveKind.ALL_TO_ALL: 0.5}


def bus_gbyte_s(
    kind: CollectiveKind, nodes: int, gpus: int, host_gbps: float, payload_share: float = 1.0
) -> float:
    """Return the bus bandwidth at which every host sends at a rate, in GB/s.

    Parameters
    ----------
    nodes, gpus : int
        Hosts, >= 2, and GPUs of each.
    host_gbps : float
        Rate of a host into the network in Gb/s.
    payload_share : float
        Share of it that is payload, 0 to 1.

    Notes
    -----
    The bus bandwidth of an all-reduce is the rate over each link of a ring. That of an all-to-all
    is (n - 1) / n of the bytes of a rank over the time, and (N - 1) / N of the bytes leave
    the host: N / (N - 1) times the rate of a GPU (NVIDIA/nccl-tests, doc/PERFORMANCE.md and
    issue 130).
    """
    gbyte_s = host_gbps * payload_share / 8
    if kind is CollectiveKind.ALL_REDUCE:
        return gbyte_s
    ranks = nodes * gpus
    return gbyte_s / gpus * nodes / (nodes - 1) * (ranks - 1) / ranks
