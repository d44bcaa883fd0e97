"""Where addresses come from: ``addressing`` of the inventory."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fabric.intent.policy import Model
from fabric.intent.scalars import AddressOffset, Network, Network6


class Ipv6Plan(Model):
    """IPv6 of NICs on routed ports, and of the links between switches."""

    hosts: Network6 = Field(
        description="Pool of the NIC ports: a /64 for each rail, and with slaac for each NIC."
    )
    assignment: Literal["static", "slaac"] = Field(
        "static",
        description="static: a /127 for each NIC, leaf even, NIC odd. slaac: a /64 for each NIC, "
        "whose address follows from its MAC address.",
    )
    uplinks: Network6 | None = Field(
        None,
        description="Pool of /127 links between switches; needed with bgp.peering numbered.",
    )
    rdma: bool = Field(
        False,  # noqa: FBT003
        description="Whether RDMA uses IPv6; it does where there is no addressing.hosts.",
    )


class Addressing(Model):
    """Address pools; addresses are derived from unit, rail and slot, so that growth is stable."""

    loopbacks: Network = Field(
        description="Loopback pool: spines use the lower half, leaves the upper half, "
        "super-spines the second quarter."
    )
    uplinks: Network | None = Field(
        None,
        description="Pool of /31 links between leaves and spines; needed where their sessions are "
        "numbered.",
    )
    uplinks_per_leaf: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each leaf."
    )
    core_links: Network | None = Field(
        None,
        description="Pool of /31 links between spines and super-spines; needed where their "
        "sessions are numbered.",
    )
    core_links_per_spine: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each spine."
    )
    hosts: Network | None = Field(
        None,
        description="Pool of the NIC subnets; hosts have a route to the pool on each rail. "
        "With planes, each port has routes to the subnets of its plane only: by default, to half "
        "of the pool. Needed without ipv6.",
    )
    host_prefix_length: int = Field(24, ge=8, le=30, description="Length of one NIC subnet.")
    gateway_offset: AddressOffset = Field(1, description="Gateway = network address + this.")
    first_host_offset: AddressOffset = Field(2, description="First host = network address + this.")
    vlan_first: int = Field(101, ge=2, le=4094, description="VLAN of rail 0 (or of port 1).")
    vlan_per: Literal["rail", "nic", "none"] = Field(
        "rail",
        description="Whether the NICs of a rail on a leaf share one VLAN and subnet, or each NIC "
        "has its own; none: each NIC is on a routed port without a VLAN.",
    )
    routed_hosts: Network | None = Field(
        None,
        description="Pool of routed NIC ports, cut by rail, leaf and port; default: hosts. Needed "
        "where some units have VLANs.",
    )
    routed_prefix_length: int = Field(
        31,
        ge=26,
        le=31,
        description="Length of the subnet of a routed NIC port. 31: leaf even, NIC odd; shorter: "
        "the leaf is first, the NIC second, and the rest is free for virtual functions or pods.",
    )
    advertise: Literal["nic", "leaf"] = Field(
        "nic",
        description="What a leaf announces of routed NIC ports: the subnet of each, or one prefix "
        "for each rail, which hides that a NIC is cut off.",
    )
    ipv6: Ipv6Plan | None = Field(None, description="IPv6 of NICs, which are on routed ports.")

    @property
    def ipv4(self) -> bool:
        """Whether NICs have IPv4 addresses."""
        return bool(self.hosts or self.routed_hosts)

    @property
    def rdma_ipv6(self) -> bool:
        """Whether RDMA of routed NIC ports uses IPv6."""
        return self.ipv6 is not None and (self.ipv6.rdma or not self.ipv4)
