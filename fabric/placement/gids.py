"""GIDs that a host is expected to have: which entry of which device a job uses.

The kernel gives a port two GIDs of its MAC address (index 0 RoCEv1, index 1 RoCEv2), then two for
each address, RoCEv1 first (Linux ``drivers/infiniband/core/cache.c`` and ``roce_gid_mgmt.c``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import ipv4_text
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from fabric.intent.host_model import HostTraits
    from fabric.topology.model import Fabric

#: Index of the RoCEv2 GID of the first IPv4 address of a port that has no other address.
FIRST_IPV4_V2 = 3
#: Drivers that keep a RoCEv1 entry beside every RoCEv2 entry.
_BOTH_TYPES = ("mlx5-ofed", "mlx5")


@dataclass(frozen=True, slots=True)
class ExpectedGid:
    """A RoCEv2 GID; ``index`` is None where it cannot be known."""

    rdma_device: str
    interface: str
    address: str
    index: int | None


def fixed_index(traits: HostTraits) -> int | None:
    """Return the index of the RoCEv2 GID of every NIC, or None where it can move.

    With macvlan the port collects the addresses of all pods, so that indexes move; other drivers
    than mlx5 fill the table in their own way.
    """
    moving = traits.container_mode == "macvlan"
    known = traits.nic.driver in _BOTH_TYPES and traits.nic.link_layer == "roce"
    return FIRST_IPV4_V2 if known and not moving else None


def expected_gids(fabric: Fabric, host: str) -> tuple[ExpectedGid, ...]:
    """Return the RoCEv2 GID of each NIC of a host that takes part, by rail."""
    row, names = fabric.host_row[host], nic_names(fabric, host)
    index = fixed_index(fabric.intent.host_traits(host))
    return tuple(
        ExpectedGid(
            names[rail].rdma_device,
            names[rail].interface,
            ipv4_text(int(fabric.nics.address[nic])),
            index,
        )
        for rail, nic in enumerate(fabric.nics_of_host(row))
        if fabric.nics.enabled[nic]
    )
