"""SON012: BGP neighbours are in a subnet of the switch."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON012")
class NeighbourSubnet(SonicRule):
    """BGP neighbours are in a subnet of the switch."""

    why = (
        "A neighbour that is not directly connected is not reachable; bgpcfgd also waits for "
        "local_addr."
    )
    source = (
        "sonic-net/sonic-buildimage src/sonic-bgpcfgd/bgpcfgd/managers_bgp.py; RFC 4271 section"
        " 5.1.3"
    )
    guards = ("addressing.uplinks",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare every neighbour and its local address with the addresses of the switch."""
        local = {str(interface.ip) for interface in config.subnets}
        networks = {
            (interface.version, interface.network.prefixlen, int(interface.network.network_address))
            for interface in config.subnets
        }
        lengths = {(version, length) for version, length, _ in networks}
        for key, row in config.rows("BGP_NEIGHBOR").items():
            try:
                address = ipaddress.ip_address(key.rpartition("|")[2])
            except ValueError:  # an interface name: unnumbered
                continue
            connected = any(
                (version, length, int(address) >> (bits := address.max_prefixlen - length) << bits)
                in networks
                for version, length in lengths
                if version == address.version
            )
            if not connected:
                yield self.finding(
                    f"BGP neighbour {address} is not in a subnet of this switch",
                    "correct the address of the neighbour or of the interface",
                    device=config.device,
                )
            elif row.get("local_addr") and str(row["local_addr"]) not in local:
                yield self.finding(
                    f"local_addr {row['local_addr']} of BGP neighbour {address} is not an address "
                    "of this switch",
                    "use the address of the interface towards the neighbour",
                    device=config.device,
                )
