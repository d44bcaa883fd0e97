"""SIT003: MAC addresses and serial numbers identify one device of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import identities
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


@rules.add("SIT003")
class UniqueSiteHardware(SiteRule):
    """MAC addresses and serial numbers identify one device of a site."""

    why = (
        "rocefab never changes a device whose identity does not match; two devices with the same "
        "identity cannot be distinguished."
    )
    source = "IEEE 802-2014 clause 8"
    guards = ("hosts.nics.mac", "hosts.serial", "devices.mac", "devices.serial")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the identities; a host has one serial in all fabrics, a NIC is in one."""
        known = {(kind, value): owner for kind, value, owner, _ in identities(first.intent)}
        for kind, value, owner, place in identities(second.intent):
            other = known.get((kind, value))
            if other is not None and (kind, other) != ("serial", owner):
                yield self.finding(
                    f"{kind} {value} is also that of {other} in the fabric {first.name}",
                    "set the value printed on the device",
                    place=place,
                    device=owner,
                )
