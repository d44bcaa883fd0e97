"""Rules about IPv6 of NICs: addresses that they make, and sessions that carry it (ADR, BGP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.topology.peering import numbered_links
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ADR012")
class AddressOfNic(ModelRule):
    """The address of a NIC stays when the NIC is replaced."""

    severity = Severity.WARNING
    why = (
        "An address by SLAAC follows from the MAC address of the NIC: after a repair the host has "
        "another address and another GID, and files and lists that have the old one are wrong."
    )
    source = "RFC 4291 appendix A (modified EUI-64); RFC 4862 section 5.5.3"
    guards = ("addressing.ipv6.assignment",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for addresses that NICs make."""
        if _slaac(model):
            yield self.finding(
                "NICs make their IPv6 addresses from their MAC addresses, so that a replaced NIC "
                "has another address and GID",
                "use assignment: static, or render the files of a host again after each repair",
                place=model.place("addressing", "ipv6", "assignment"),
            )


@rules.add("ADR013")
class TemporaryAddresses(ModelRule):
    """A NIC has one address of each family."""

    severity = Severity.INFO
    why = (
        "With privacy extensions a NIC that makes its address makes temporary ones too: each has "
        "GIDs, a job can take one of these, and it ends while the job runs."
    )
    source = "RFC 8981 section 3; Linux Documentation/networking/ip-sysctl.rst, use_tempaddr"
    guards = ("addressing.ipv6.assignment",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for addresses that NICs make."""
        if _slaac(model):
            yield self.finding(
                "NICs that make their addresses have temporary ones, with GIDs, where privacy "
                "extensions are on; the files of hosts do not switch them on",
                "use assignment: static, or keep use_tempaddr at 0 in images of hosts",
                place=model.place("addressing", "ipv6", "assignment"),
            )


def _slaac(model: Model) -> bool:
    table = model.fabric.subnets.ipv6
    return table is not None and table.slaac


@rules.add("BGP011")
class SessionsOfBothFamilies(ModelRule):
    """Sessions between switches carry the IPv6 routes of NICs."""

    why = (
        "A session between IPv4 addresses has routes of IPv4 alone here, so that NICs behind such "
        "a link are not reachable by IPv6."
    )
    source = "RFC 4760 (routes of another family need a next hop of it); RFC 8950"
    guards = ("addressing.ipv6.uplinks", "bgp.peering", "devices.peering", "devices.ports.peering")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for numbered links without IPv6 addresses; TOP040 judges `bgp.peering`."""
        fabric, plan = model.fabric, model.intent.fabric.addressing.ipv6
        if plan is None or fabric.links6 is not None:
            return
        for row in np.unique(fabric.uplinks.lower[numbered_links(fabric)]).tolist():
            name = fabric.switches.names[row]
            yield self.finding(
                f"links of {name} are numbered, and have no addresses of IPv6",
                "set addressing.ipv6.uplinks, such as fd00:65::/64, or make both ends of these "
                "links unnumbered",
                place=model.place("addressing", "ipv6", "uplinks"),
                device=name,
            )
