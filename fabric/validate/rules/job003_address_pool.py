"""JOB003: pools of pod addresses hold the pods, and outlast ARP entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import S_PER_H
from fabric.validate.pods import longest_refresh_s, pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB003")
class AddressPool(ModelRule):
    """Pod address pools are large enough, and reuse waits until ARP entries expire."""

    why = (
        "If an address is reused while a leaf still has its old entry, packets go to a MAC that "
        "no longer exists."
    )
    source = "RFC 826; Mellanox/nvidia-k8s-ipam pkg/ipam-node/allocator (round robin)"
    guards = (
        "kubernetes.pod_starts_per_hour",
        "kubernetes.pods_per_nic",
        "addressing.host_prefix_length",
        "arp.timeout_s",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the addresses of a NIC by the starts of pods."""
        settings, refresh_s = model.intent.fabric.kubernetes, longest_refresh_s(model)
        for pods in pods_of(model):
            free, rate = pods.free_addresses, settings.pod_starts_per_hour
            place = model.place("addressing", "host_prefix_length")
            if free < pods.pods_per_nic:
                yield self.finding(
                    f"{pods.pods_per_nic} pods of a NIC need addresses, but only {max(free, 0)} "
                    "are free",
                    "use a shorter addressing.host_prefix_length",
                    place=place,
                    device=pods.cluster.hosts[0],
                )
            elif rate and free * S_PER_H < rate * refresh_s and pods.mode != "physical-function":
                yield self.finding(
                    f"{rate} pod starts per hour reuse the {free} addresses of a NIC after "
                    f"{free * S_PER_H // rate} s, but leaves keep ARP entries for up to "
                    f"{refresh_s} s",
                    "use a shorter addressing.host_prefix_length or a shorter arp.timeout_s",
                    place=place,
                    device=pods.cluster.hosts[0],
                    severity=Severity.WARNING,
                )
