"""SIT002: a NIC of a host is in one fabric of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.naming import names_in
from fabric.topology.site import kinds_of_shared_hosts
from fabric.validate.origins import fabric_place, rail_place
from fabric.validate.rule import SiteRule, rules
from fabric.validate.traits import traits_place_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member
    from fabric.validate.origins import Place

_WORDS = {"interface": "interface", "rdma_device": "RDMA device"}


@rules.add("SIT002")
class UniqueNics(SiteRule):
    """A NIC of a host is in one fabric of a site."""

    why = "Two fabrics would set one NIC, and the later one would overwrite the first."
    source = "Linux net/core/dev.c (interface names are unique)"
    guards = (
        "host.interfaces",
        "host.rdma_devices",
        "host.nic.pci_addresses",
        "hosts.nics.interface",
        "hosts.nics.rdma_device",
    )

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the names and PCI addresses of NICs on every kind of host in both."""
        for host in kinds_of_shared_hosts(first, second):
            for what, double, place in _doubles(first, second, host):
                yield self.finding(
                    f"{what} {double} is also used by a NIC in the fabric {first.name}",
                    "use another NIC, or remove it from one fabric",
                    place=place,
                    device=host,
                )


def _doubles(first: Member, second: Member, host: str) -> Iterator[tuple[str, str, Place]]:
    """Yield what a NIC is called in both fabrics, and where the second says so."""
    ports = second.fabric.nic_ports
    for field, what in _WORDS.items():
        taken = {getattr(names, field) for names in names_in(first.intent, host)}
        for number, names in enumerate(names_in(second.intent, host)):
            if getattr(names, field) in taken:
                rail, port = divmod(number, ports)
                place = rail_place(second.intent, host, rail, field, port)
                default = fabric_place(second.intent, "host", f"{field}s")
                yield what, getattr(names, field), place or default
    known, mine = (one.intent.host_traits(host).nic.pci_addresses for one in (first, second))
    for address in mine:
        if address in known:
            place = traits_place_in(second.intent, host, "nic", "pci_addresses")
            yield "PCI address", address, place
