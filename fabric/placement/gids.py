"""GIDs that a host is expected to have: which entry of which device a job uses.

The kernel gives a port two GIDs of its MAC address (index 0 RoCEv1, index 1 RoCEv2), then two for
each address, RoCEv1 first (Linux ``drivers/infiniband/core/cache.c`` and ``roce_gid_mgmt.c``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.topology.naming import nic_names
from fabric.topology.nic_addresses import rdma_address
from fabric.topology.routed import routed_units

if TYPE_CHECKING:
    from fabric.topology.model import Fabric

#: Index of the RoCEv2 GID of the first IPv4 address of a port that has no other address.
FIRST_IPV4_V2 = 3
#: Drivers that keep a RoCEv1 entry beside every RoCEv2 entry.
_BOTH_TYPES = ("mlx5-ofed", "mlx5")


@dataclass(frozen=True, slots=True)
class ExpectedGid:
    """A RoCEv2 GID; ``index`` is None where it cannot be known.

    ``address`` is empty where it follows from a MAC address that nobody tells.
    """

    rdma_device: str
    interface: str
    address: str
    index: int | None


def fixed_index(fabric: Fabric, host: str) -> int | None:
    """Return the index of the RoCEv2 GID of every NIC, or None where it can move.

    With macvlan the port collects the addresses of all pods, so that indexes move; with IPv6
    indexes follow the order in which a NIC gets its addresses, a link-local one among them; other
    drivers than mlx5 fill the table in their own way.
    """
    traits, unit = fabric.intent.host_traits(host), int(fabric.hosts.unit[fabric.host_row[host]])
    has_ipv6 = fabric.subnets.ipv6 is not None and routed_units(fabric.intent.fabric)[unit]
    moving = traits.container_mode == "macvlan" or has_ipv6
    known = traits.nic.driver in _BOTH_TYPES and traits.nic.link_layer == "roce"
    return FIRST_IPV4_V2 if known and not moving else None


def expected_gids(fabric: Fabric, host: str) -> tuple[ExpectedGid, ...]:
    """Return the RoCEv2 GID of each NIC of a host that takes part, by rail."""
    row, names = fabric.host_row[host], nic_names(fabric, host)
    index = fixed_index(fabric, host)
    return tuple(
        ExpectedGid(
            names[rail].rdma_device,
            names[rail].interface,
            rdma_address(fabric, nic),
            index,
        )
        for rail, nic in enumerate(fabric.nics_of_host(row))
        if fabric.nics.enabled[nic]
    )
