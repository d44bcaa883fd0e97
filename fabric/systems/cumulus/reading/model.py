"""The table of the lines that are read, and the switch that they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.vrfs import ConfiguredVrf, RedistributionLine

if TYPE_CHECKING:
    from fabric.observe.configuration import Bgp, Configured, ConfiguredPort, PolicyTerm

LINES = BookReader("cumulus", "routing", "no")
_PORT = re.compile(r"swp\d+(s\d+)?|lo|vlan\d+")


@dataclass(slots=True)
class TenantLines:
    """A VRF, and what its lines say before all of them are read.

    Parameters
    ----------
    routed : bool
        Whether its BGP process is on.
    leak_policy : str
        Policy of the routes that it has of other VRFs.
    """

    vrf: ConfiguredVrf
    asn: int | None = None
    routed: bool = True
    leak_policy: str = ""

    def redistributed(self, kind: str, policy: str | None, line: int) -> None:
        """Add routes that the VRF announces, or the policy of those that it announces."""
        entries = self.vrf.redistributions
        place = next((at for at, one in enumerate(entries) if one.kind == kind), len(entries))
        named = entries[place].policy if place < len(entries) else ""
        entries[place : place + 1] = [RedistributionLine(kind, policy or named, line)]


@dataclass(slots=True)
class PrefixRule:
    """A rule of a prefix list, whose parts are lines of their own."""

    line: int
    permit: bool = False
    prefix: str = ""
    low: str | None = None
    high: str | None = None


@dataclass(slots=True)
class PolicyLines:
    """Rules of prefix lists and terms of route maps, by names and numbers."""

    prefixes: dict[str, dict[int, PrefixRule]] = field(default_factory=dict)
    terms: dict[str, dict[int, PolicyTerm]] = field(default_factory=dict)


@dataclass(slots=True)
class RoutingLines:
    """A switch, and the process that its lines make before its AS number is known.

    Parameters
    ----------
    said : set of str
        Ports with a ``link state``, and places where BGP is switched on or off.
    vrfs : dict of str to TenantLines
        What lines say of VRFs beside the default one.
    policy : PolicyLines
        Rules of prefix lists and route maps.
    """

    switch: Configured
    bgp: Bgp
    asn: int | None = None
    enabled: bool = True
    said: set[str] = field(default_factory=set)
    vrfs: dict[str, TenantLines] = field(default_factory=dict)
    policy: PolicyLines = field(default_factory=PolicyLines)

    def port(self, name: str, line: int) -> ConfiguredPort:
        """Return a port with the values that hold where no line says others.

        Raises
        ------
        ValueError
            When it is neither a port of the front panel, nor a gateway or the loopback.
        """
        if not _PORT.fullmatch(name):
            raise ValueError(name)
        new = name not in self.switch.ports
        port = self.switch.port(name, line)
        if new and name.startswith("swp"):
            port.mtu_bytes = number_of("cumulus", "mtu")
            port.enabled, port.ipv6_link = False, True
        elif new:
            port.routed = True
            if name.startswith("vlan"):
                port.gateway_vlan = int(name.removeprefix("vlan"))
        return port
