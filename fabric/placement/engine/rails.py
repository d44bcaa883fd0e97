"""Which rails the GPUs of a job use, and the ports of their NICs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.naming import rails_of_gpus

if TYPE_CHECKING:
    from fabric.topology.model import Fabric, Ints


def used_rails(fabric: Fabric, gpus_per_node: int) -> tuple[int, ...]:
    """Return the rails of the first GPUs of a host, ascending."""
    profile = fabric.intent.fabric.host
    used = rails_of_gpus(profile, profile.gpus, fabric.rails)[:gpus_per_node]
    return tuple(sorted(set(used)))


def columns_of(fabric: Fabric, rails: tuple[int, ...]) -> Ints:
    """Return the ports of the NICs of some rails: rail * ``nic_ports`` + port."""
    first = np.array(rails, dtype=np.int64)[:, None] * fabric.nic_ports
    return (first + np.arange(fabric.nic_ports)).reshape(-1)
