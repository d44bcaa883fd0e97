"""SON038: interfaces have subnets of their own."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON038")
class OwnSubnets(SonicRule):
    """Interfaces have separate subnets."""

    why = "If two connected routes overlap, one hides some neighbours of the other."
    source = "RFC 1812 section 5.2.4.3; sonic-net/sonic-utilities config/main.py (overlaps)"
    judges_rendered = False
    guards = ("addressing.hosts", "addressing.uplinks")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare each subnet with the next one in order."""
        networks = []
        for table in ("INTERFACE", "VLAN_INTERFACE", "PORTCHANNEL_INTERFACE"):
            for key in config.rows(table):
                name, _, text = key.partition("|")
                try:
                    network = ipaddress.ip_interface(text).network
                except ValueError:
                    continue
                first, last = (int(network[end]) for end in (0, -1))
                networks.append((network.version, first, -last, name, str(network), table))
        outer = None
        for item in sorted(networks):
            version, _, end, name, network_text, table = item
            if outer and outer[0] == version and end >= outer[2] and name != outer[3]:
                yield self.at(
                    config,
                    (table,),
                    f"subnet {network_text} of {name} overlaps {outer[4]} of {outer[3]}",
                    "use a separate subnet for each interface",
                    port=name,
                )
            else:
                outer = item
