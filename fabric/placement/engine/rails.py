"""Which NICs the GPUs of a job use.

A column is a NIC port of a host: rail * ``nic_ports`` + port. Jobs on whole hosts send from a
rail to the same rail (NCCL's default, ``NCCL_CROSS_NIC`` 2 or 0). Jobs on some GPUs use the NICs of
these, for which there are as many columns again: the NIC port that serves the GPUs which a usual
host has on that rail. The two differ on hosts whose GPUs are on other rails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.naming import rails_of_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.model import Fabric, Ints


def used_columns(fabric: Fabric, gpus_per_node: int) -> Ints:
    """Return the columns that the first GPUs of a host use, ascending."""
    profile = fabric.intent.fabric.host
    used = rails_of_gpus(profile, profile.gpus, fabric.rails)[:gpus_per_node]
    columns = _ports(fabric, np.unique(np.array(used, dtype=np.int64)))
    return columns if gpus_per_node == profile.gpus else columns + fabric.nics_per_host


def nic_of_column(fabric: Fabric) -> Ints:
    """Return the number of the NIC port that serves each column, shape (hosts, columns)."""
    ports = np.arange(fabric.nics_per_host)
    table = np.tile(ports, (len(fabric.hosts), 2))
    for row, rails in _others(fabric):
        table[row, len(ports) :] = _ports(fabric, rails)
    return table


def _others(fabric: Fabric) -> Iterator[tuple[int, Ints]]:
    """Yield the rows of hosts whose GPUs are on other rails, and their rail for each rail."""
    profile, intent = fabric.intent.fabric.host, fabric.intent
    usual = rails_of_gpus(profile, profile.gpus, fabric.rails)
    for name, overrides in intent.host_overrides.items():
        row = fabric.host_row.get(name)
        if row is None or not any(one.value.traits for one in overrides):
            continue
        own = rails_of_gpus(intent.host_traits(name), profile.gpus, fabric.rails)
        if own != usual:
            rails = np.arange(fabric.rails)
            rails[list(reversed(usual))] = own[::-1]  # the first GPU of a rail counts
            yield row, rails


def _ports(fabric: Fabric, rails: Ints) -> Ints:
    """Return the ports of the NICs of some rails."""
    first = rails[:, None] * fabric.nic_ports
    return np.asarray(first + np.arange(fabric.nic_ports)).reshape(-1)
