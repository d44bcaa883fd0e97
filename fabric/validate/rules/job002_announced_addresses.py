"""JOB002: pods announce their addresses before the job starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB002")
class AnnouncedAddresses(ModelRule):
    """Pods announce their addresses before the job starts."""

    severity = Severity.WARNING
    why = (
        "A pod can start before its leaf has learned its address: the first RDMA packets "
        "are lost, and NCCL fails."
    )
    source = (
        "RFC 5227 section 3 (announcements); Linux Documentation/networking/ip-sysctl.rst, "
        "arp_notify (only when a device comes up, which is before a pod has it)"
    )
    guards = ("kubernetes.tools_image", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for the image by which pods announce themselves."""
        for pods in pods_of(model):
            if model.intent.fabric.kubernetes.tools_image is None:
                yield self.finding(
                    "pods have their own addresses on the rails, and nothing announces them",
                    "set kubernetes.tools_image to an image with ip, arping and ping",
                    place=model.place("kubernetes", "tools_image"),
                    device=pods.cluster.hosts[0],
                )
                return
