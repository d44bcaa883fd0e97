"""BGP005: AS numbers are not reserved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: First and last of each reserved block (IANA, Autonomous System Numbers).
_RESERVED = (
    (0, 0),
    (23_456, 23_456),
    (64_496, 64_511),
    (65_535, 65_535),
    (65_536, 65_551),
    (65_552, 131_071),
    (4_294_967_295, 4_294_967_295),
)


@rules.add("BGP005")
class ReservedAsns(ModelRule):
    """AS numbers are not reserved."""

    why = "Routers reject sessions or routes with reserved numbers."
    source = "RFC 7607; RFC 6793 section 9; RFC 7300; RFC 5398; RFC 6996"
    guards = (
        "bgp.leaf_asn_first",
        "bgp.spine_asn",
        "bgp.pod_asn_first",
        "bgp.super_spine_asn",
        "devices.asn",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the AS number of every switch."""
        for name, device in model.devices.items():
            asn = device.bgp.asn
            if any(low <= asn <= high for low, high in _RESERVED):
                pods = any(unit.pod for unit in model.intent.fabric.units)
                fields = {
                    "leaf": "leaf_asn_first",
                    "spine": "pod_asn_first" if pods else "spine_asn",
                    "super-spine": "super_spine_asn",
                }
                yield self.finding(
                    f"AS {asn} is reserved",
                    "use a private number: 64512 to 65534 or 4200000000 to 4294967294",
                    place=switch_place(model.intent, name, "asn")
                    or model.place("bgp", fields[device.role]),
                    device=name,
                )
