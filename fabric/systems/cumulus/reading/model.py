"""The table of the lines that are read, and the switch that they are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import Context
from fabric.observe.configuration.defaults import number_of

if TYPE_CHECKING:
    from fabric.observe.configuration import Bgp, Configured, Port

_ON = r"(on|enabled)"
SWITCH = rf"(enable|state) {_ON}"
BGP = r"vrf default router bgp"
FAMILY = rf"{BGP} address-family ipv4-unicast"

TABLE = Context(
    r"system (?!hostname ).*",
    r"(service|qos) .*",
    r"router adaptive-routing .*",
    r"interface (eth\d+|mgmt)( .*)?",
    r"vrf mgmt .*",
    r"interface \S+ link (speed|fec|auto-negotiate|breakout|lanes|duplex)( .*)?",
    r"interface \S+ (qos|router adaptive-routing|lldp|router bfd|ptp|storm-control) .*",
    r"interface \S+ bridge domain br_default stp .*",
    r"interface vlan\d+ base-interface br_default",
    r"bridge domain br_default (ageing|type|stp|encap|mac-address|multicast) ?.*",
    rf"{BGP} (graceful-restart|timers (?!(keepalive|hold) )|dynamic-neighbor limit) ?.*",
    rf"{BGP} (neighbor|peer-group) \S+ (type (numbered|unnumbered)|bfd .+ \d+)",
    rf"{FAMILY} {SWITCH}",
    rf"{FAMILY} multipaths ibgp \d+",
)


@dataclass(slots=True)
class Reading:
    """A switch, and the process that its lines make before its AS number is known.

    Parameters
    ----------
    said : set of str
        Ports with a ``link state``, and places where BGP is switched on or off.
    """

    switch: Configured
    bgp: Bgp
    asn: int | None = None
    enabled: bool = True
    said: set[str] = field(default_factory=set)

    def port(self, name: str, line: int) -> Port:
        """Return a port with the values that hold where no line says others."""
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
