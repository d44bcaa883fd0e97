"""SIT008: the management interface is no NIC of a lossless fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.topology.naming import names_in
from fabric.topology.site import kinds_of_shared_hosts
from fabric.validate.origins import fabric_place
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


@rules.add("SIT008")
class ManagementApart(SiteRule):
    """The management interface is not a NIC of a lossless fabric."""

    severity = Severity.WARNING
    why = (
        "A change of that fabric flaps the link, and with it the management access to the host; "
        "the "
        "start of jobs shares the fabric with its storage or gradients."
    )
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c, mlx5_toggle_port_link; NVIDIA "
        "NCCL user guide, NCCL_SOCKET_IFNAME"
    )
    guards = ("host.management_interface", "host.management_rdma_device")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Look for the management names of each fabric among the NICs of the other."""
        for one, other in ((first, second), (second, first)):
            profile = one.intent.fabric.host
            wanted = {profile.management_interface, profile.management_rdma_device}
            for host in kinds_of_shared_hosts(first, second):
                if other.intent.host_traits(host).nic.link_layer != "roce":
                    continue
                nics = names_in(other.intent, host)
                hit = next((n for n in nics if {n.interface, n.rdma_device} & wanted), None)
                if hit:
                    at_interface = hit.interface == profile.management_interface
                    field = "management_interface" if at_interface else "management_rdma_device"
                    yield self.finding(
                        f"{getattr(profile, field)} is a NIC of the fabric {other.name}",
                        "use an interface outside the fabric, or one of a front-end "
                        "fabric with link_layer ethernet",
                        place=fabric_place(one.intent, "host", field),
                        device=host,
                    )
