"""HST002: the NICs of a host have different names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.validate.origins import rail_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import HostDesign
    from fabric.validate.world import Model


@rules.add("HST002")
class UniqueNames(ModelRule):
    """The NICs of a host have different names."""

    why = "Two rails would be configured on one NIC, and the second would overwrite the first."
    source = "Linux net/core/dev.c (interface names are unique)"
    guards = (
        "host.interfaces",
        "host.rdma_devices",
        "hosts.nics.interface",
        "hosts.nics.rdma_device",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the names of hosts with overrides and of one host without."""
        own = model.intent.host_overrides
        plain = next((name for name in model.hosts if name not in own), None)
        for name in (*own, *([plain] if plain else [])):
            host = model.hosts[name]
            for field, used in _names(host).items():
                for double, count in Counter(used).items():
                    if count > 1:
                        rails = [nic.rail for nic in host.nics if getattr(nic, field) == double]
                        places = [rail_place(model.intent, name, rail, field) for rail in rails]
                        default = model.place("host", f"{field}s")
                        yield self.finding(
                            f"{double} is used for {count} NICs of a host",
                            "use a different name for each NIC",
                            place=next((place for place in places if place), default),
                            device=name,
                        )


def _names(host: HostDesign) -> dict[str, list[str]]:
    """Return all names of interfaces and of RDMA devices of a host."""
    devices = [host.management_rdma_device] if host.management_rdma_device else []
    return {
        "interface": [host.management_interface, *(nic.interface for nic in host.nics)],
        "rdma_device": [*devices, *(nic.rdma_device for nic in host.nics)],
    }
