"""JOB009: a job of pods can span units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB009")
class JobsAcrossUnits(ModelRule):
    """A job of pods can span units."""

    severity = Severity.WARNING
    why = (
        "All pods of a job have one list of networks; if each unit has its own subnets, "
        "a job must fit in one unit."
    )
    source = (
        "k8snetworkplumbingwg/multus-cni docs/how-to-use.md (annotation of the pod template); "
        "Mellanox/nvidia-k8s-ipam README (a network has one pool)"
    )
    guards = ("addressing.vlan_per", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for subnets that end with the unit."""
        for pods in pods_of(model):
            units = len(pods.cluster.units)
            if units > 1 and not pods.cluster.one_subnet_per_nic:
                yield self.finding(
                    f"pods of {units} units are in different subnets of a rail, so a job "
                    "cannot span units",
                    "use addressing.vlan_per: nic",
                    place=model.place("addressing", "vlan_per"),
                    device=pods.cluster.hosts[0],
                )
                return
