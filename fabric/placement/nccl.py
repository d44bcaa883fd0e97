"""NCCL, UCX and Gloo settings for a placement, each with its reason.

Names, defaults and grammar: NVIDIA/nccl 2.30.7 (``src/transport/net_ib``, environment page of
the user guide), openucx/ucx. Written for NCCL 2.21 and later, which find the GID by content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import dscp_to_traffic_class_byte
from fabric.intent.resolve import PolicyResolver
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric

#: 4.096 us * 2^22 = 17 s: rides out a routing change on a large fabric (NCCL default: 20).
TIMEOUT = 22


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable and why it has this value."""

    name: str
    value: str
    reason: str


def settings(fabric: Fabric, placement: Placement, host: str) -> tuple[Setting, ...]:
    """Return the environment of the ranks on one host of a placement."""
    file = fabric.intent.fabric
    names = nic_names(fabric, host)
    devices = [names[rail].rdma_device for rail in placement.rails]
    management = file.host.management_interface
    dscp = PolicyResolver(fabric.intent).host(host).roce_dscp
    byte = str(dscp_to_traffic_class_byte(dscp))
    return (
        Setting(
            "NCCL_IB_HCA",
            f"={','.join(devices)}",
            "the NICs of the rails in use and no other; '=' stops mlx5_1 from matching mlx5_10",
        ),
        Setting(
            "NCCL_SOCKET_IFNAME", f"={management}", "bootstrap goes over the management network"
        ),
        Setting("NCCL_IB_ROCE_VERSION_NUM", "2", "RoCEv2: the fabric routes"),
        Setting("NCCL_IB_ADDR_FAMILY", "AF_INET", "the rails have IPv4 addresses"),
        Setting(
            "NCCL_IB_ADDR_RANGE",
            str(file.addressing.hosts),
            "the GID is found by its address; no index is fixed, as indexes move",
        ),
        Setting(
            "NCCL_IB_TC",
            byte,
            f"DSCP {dscp} << 2: the class that the fabric does not drop",
        ),
        Setting("NCCL_IB_TIMEOUT", str(TIMEOUT), "17 s ride out a routing change"),
        Setting(
            "NCCL_IB_QPS_PER_CONNECTION",
            str(file.host.nccl_queue_pairs),
            "more queue pairs give ECMP more UDP source ports to spread",
        ),
        Setting("NCCL_CROSS_NIC", "2", "prefer the same rail; the spines connect the others"),
        Setting("UCX_NET_DEVICES", ",".join(f"{name}:1" for name in devices), "as NCCL_IB_HCA"),
        Setting("UCX_IB_TRAFFIC_CLASS", byte, "as NCCL_IB_TC; the default of UCX is 106"),
        Setting("GLOO_SOCKET_IFNAME", management, "Gloo is TCP: never on the rails"),
    )
