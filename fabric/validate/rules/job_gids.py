"""Rules about the GIDs that jobs use (JOB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.gids import fixed_index
from fabric.placement.nccl_release import Reads, nccl_release
from fabric.placement.pcie import traits_place
from fabric.validate.origins import Place
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB012")
class SearchedGid(ModelRule):
    """NCCL gets the GID of each NIC: it searches, or its index is known."""

    why = (
        "Without a search and an index NCCL takes index 0, which is RoCEv1 and link-local, and "
        "says nothing: connections time out."
    )
    source = (
        "NVIDIA/nccl v2.20.5-1 src/transport/net_ib.cc (NCCL_IB_GID_INDEX default 0), v2.21.5-1 "
        "(search, NCCL_IB_ADDR_FAMILY)"
    )
    guards = ("host.nccl_version", "addressing.ipv6.hosts", "host.nic.driver")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host; JOB005 judges pods with macvlan."""
        for kind in host_kinds(model):
            name, traits = kind.host.name, kind.host.traits
            version = traits.nccl_version
            if traits.nic.link_layer != "roce" or traits.container_mode == "macvlan" or not version:
                continue
            if nccl_release(version).reads(Reads.GID_SEARCH):
                continue
            if fixed_index(model.fabric, name) is None:
                cause = f"driver {traits.nic.driver}"
                if any(nic.uses_ipv6 for nic in kind.host.nics):
                    cause = "IPv6, whose GIDs follow the order of addresses"
                yield self.finding(
                    f"NCCL {version} searches no GID, and no index is known with "
                    f"{cause}{kind.others}",
                    "use NCCL 2.21 or newer",
                    place=Place(*traits_place(model.fabric, name, "nccl_version")),
                    device=name,
                )
