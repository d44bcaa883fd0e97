"""JOB005: Jobs do not rely on GID indexes that can change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.nccl_release import Reads, nccl_release
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB005")
class MovingGid(ModelRule):
    """Jobs do not rely on GID indexes that can change."""

    why = (
        "With macvlan a port gets one GID per pod, so indexes change; a "
        "wrong index is RoCEv1 or the GID of another pod."
    )
    source = (
        "Linux drivers/infiniband/core/roce_gid_mgmt.c (upper devices add GIDs to the port); "
        "NVIDIA/nccl v2.20.5-1 src/transport/net_ib.cc (NCCL_IB_GID_INDEX default 0), v2.21.5-1 "
        "(search)"
    )
    guards = ("host.nccl_version", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a release of NCCL that needs an index."""
        for pods in pods_of(model):
            version = pods.cluster.traits.nccl_version
            if pods.mode == "macvlan" and version and not _searches(version):
                yield self.finding(
                    f"NCCL {version} needs a fixed GID index, but with macvlan indexes change",
                    "use NCCL 2.21 or newer, or another container_mode",
                    place=pods.place(model, "nccl_version"),
                    device=pods.cluster.hosts[0],
                )


def _searches(version: str) -> bool:
    return nccl_release(version).reads(Reads.GID_SEARCH)
