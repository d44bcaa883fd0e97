"""JOB001: addresses of pods rise, and are not used again at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import longest_refresh_s, pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB001")
class RisingAddresses(ModelRule):
    """Pod addresses are allocated in rotation, not reused at once."""

    severity = Severity.WARNING
    why = (
        "A leaf that still has the ARP entry of the previous pod sends to a MAC that no longer "
        "exists; the "
        "new pod is not reachable until the entry expires."
    )
    source = (
        "k8snetworkplumbingwg/whereabouts pkg/allocate/allocate.go (IterateForAssignment, the "
        "lowest free address); Mellanox/nvidia-k8s-ipam pkg/ipam-node/allocator (the one after "
        "the last)"
    )
    guards = ("kubernetes.address_plugin", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a plugin that takes the lowest free address."""
        settings = model.intent.fabric.kubernetes
        for pods in pods_of(model):
            if settings.address_plugin == "whereabouts":
                yield self.finding(
                    "whereabouts gives a new pod the address of the previous one at once, "
                    f"and leaves keep its ARP entry for up to {longest_refresh_s(model)} s",
                    "use nv-ipam, which allocates in rotation",
                    place=model.place("kubernetes", "address_plugin"),
                    device=pods.cluster.hosts[0],
                )
                return
