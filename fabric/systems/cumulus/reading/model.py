"""The table of the lines that are read, and the switch that they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.defaults import number_of

if TYPE_CHECKING:
    from fabric.observe.configuration import Bgp, Configured, ConfiguredPort

LINES = BookReader("cumulus", "routing", "no")
_PORT = re.compile(r"swp\d+(s\d+)?|lo|vlan\d+")


@dataclass(slots=True)
class RoutingLines:
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
