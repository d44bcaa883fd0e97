"""What the settings of one host of a placement follow from, and settings with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from fabric.core.units import dscp_to_traffic_class_byte
from fabric.intent.classes import class_named, lossless_classes
from fabric.intent.resolve import PolicyResolver
from fabric.placement.nccl_release import nccl_release
from fabric.topology.naming import nic_names
from fabric.topology.nic_addresses import nic_pools, uses_ipv6

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from fabric.core.findings import Position
    from fabric.intent.classes import LosslessClass
    from fabric.intent.host_model import HostTraits
    from fabric.placement.nccl_release import NcclRelease
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric


#: Interface of a pod that is not on the network of its host (Kubernetes: the first of a CNI).
POD_INTERFACE = "eth0"


@dataclass(frozen=True, slots=True)
class JobImage:
    """What a job says of itself; None is what the inventory says.

    Parameters
    ----------
    nccl_version : str or None
        Release of NCCL in its image.
    lossless_class : str or None
        Name of the class that its data is sent in.
    """

    nccl_version: str | None = None
    lossless_class: str | None = None


DEFAULT_IMAGE = JobImage()


@dataclass(frozen=True)
class JobHost:
    """What the settings of one host of a placement follow from."""

    fabric: Fabric
    placement: Placement
    name: str
    release: NcclRelease
    lossless: LosslessClass

    @cached_property
    def traits(self) -> HostTraits:
        """What the host is like."""
        return self.fabric.intent.host_traits(self.name)

    @cached_property
    def roce(self) -> bool:
        """Whether RoCE runs over its cables."""
        return self.traits.nic.link_layer == "roce"

    @cached_property
    def names_known(self) -> bool:
        """Whether a job sees the RDMA devices under the names of the inventory."""
        return self.traits.container_mode != "virtual-function"

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """RDMA devices of the rails in use, port by port; without those that carry nothing."""
        names = nic_names(self.fabric, self.name)
        return tuple(
            names[self.fabric.nic_ports * rail + port].rdma_device for rail, port in self.ports
        )

    @cached_property
    def ports(self) -> tuple[tuple[int, int], ...]:
        """Rail and NIC port of each of these devices."""
        nics = self.fabric.nics_of_host(self.fabric.host_row[self.name])
        per_nic = self.fabric.nic_ports
        return tuple(
            (rail, port)
            for rail, port in product(self.placement.rails, range(per_nic))
            if nics[rail * per_nic + port] not in self.placement.spared
        )

    @cached_property
    def bootstrap(self) -> str:
        """Interface outside of the rails, as the job sees it."""
        if self.traits.container_mode == "host-network":
            return self.fabric.intent.fabric.host.management_interface
        return POD_INTERFACE

    @cached_property
    def is_ipv6(self) -> bool:
        """Whether RDMA uses IPv6."""
        return uses_ipv6(self.fabric, self.fabric.host_row[self.name])

    @cached_property
    def pool(self) -> IPv4Network | IPv6Network:
        """Pool of the addresses that RDMA uses."""
        return self.pools[0]

    @cached_property
    def pools(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """Pools of the addresses of its NICs, that of RDMA first."""
        return nic_pools(self.fabric, self.fabric.host_row[self.name])

    @cached_property
    def dscp(self) -> int:
        """DSCP of RoCE data."""
        return self.lossless.roce_dscp

    @cached_property
    def class_byte(self) -> str:
        """IP traffic class byte of RoCE data."""
        return str(dscp_to_traffic_class_byte(self.dscp))

    @cached_property
    def dual_port(self) -> bool:
        """Whether two rails share a card."""
        return self.traits.nic.ports_per_card > 1


def job_host(
    fabric: Fabric, placement: Placement, host: str, image: JobImage = DEFAULT_IMAGE
) -> JobHost:
    """Return what the settings of a host follow from.

    Parameters
    ----------
    image : JobImage
        What the job brings.

    Raises
    ------
    InputError
        When there is no such release, or no such class.
    """
    release = image.nccl_version or fabric.intent.host_traits(host).nccl_version
    classes = lossless_classes(PolicyResolver(fabric.intent).host(host))
    lossless = class_named(classes, image.lossless_class, host)
    return JobHost(fabric, placement, host, nccl_release(release), lossless)


#: Variables that set the traffic class byte: its two lower bits are ECN, which the NIC sets itself
#: (RFC 3168 section 5; docs/hosts.md).
_CLASS_BYTES = frozenset(("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"))
_ECN_BITS = 2


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable and why it has this value."""

    name: str
    value: str
    reason: str

    def means(self, value: str) -> bool:
        """Tell whether another value has the same effect: a traffic class counts by its DSCP."""
        if self.name in _CLASS_BYTES and value.isascii() and value.isdecimal():
            return int(value) >> _ECN_BITS == int(self.value) >> _ECN_BITS
        return value == self.value


@dataclass(frozen=True, slots=True)
class UserValue:
    """A variable that the user has set, and where it stands."""

    value: str
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A variable that is not set, on purpose."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What the ranks of a host are told; a name stands in one of the two lists.

    ``pools`` are those of the addresses of its NICs.
    """

    settings: tuple[Setting, ...]
    left_out: tuple[LeftOut, ...]
    pools: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def values(self) -> dict[str, str]:
        """Name -> value."""
        return {item.name: item.value for item in self.settings}
