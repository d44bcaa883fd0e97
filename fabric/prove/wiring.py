"""The cables of a fabric by the names of their ends, and the ports that files leave up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.observe.configuration.model import BITS, BITS6, number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured
    from fabric.topology.clos import Outage
    from fabric.topology.model import Fabric

    End = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Wiring:
    """Cables between switches, and the NIC behind each port of a leaf.

    Parameters
    ----------
    far : dict of (switch, port) to (switch, port)
        Both directions of each cable that is not out of order.
    nics : dict of (switch, port) to int
        Row of the NIC port behind a port of a leaf.
    down : frozenset of str
        Switches that are out of order.
    """

    far: Mapping[End, End]
    nics: Mapping[End, int]
    down: frozenset[str] = frozenset()

    @classmethod
    def of(cls, fabric: Fabric, outage: Outage | None = None) -> Wiring:
        """Return the cables of a fabric without those that are out of order.

        Parameters
        ----------
        outage : Outage, optional
            What is out of order; default: nothing but what the inventory switches off.
        """
        up, nics, names = fabric.uplinks, fabric.nics, fabric.switches.names
        whole = up.enabled.copy()
        alive = nics.enabled & (nics.port != 0)
        down: frozenset[str] = frozenset()
        if outage is not None:
            whole &= ~outage.cables
            alive &= ~outage.nics & ~outage.hosts[nics.host] & ~outage.switches[nics.leaf]
            down = frozenset(names[row] for row in np.flatnonzero(outage.switches))
        far: dict[End, End] = {}
        for row in np.flatnonzero(whole).tolist():
            lower, upper = (
                (names[switch], fabric.port_name(switch, port))
                for switch, port in (
                    (int(up.lower[row]), int(up.lower_port[row])),
                    (int(up.upper[row]), int(up.upper_port[row])),
                )
            )
            if lower[0] not in down and upper[0] not in down:
                far[lower], far[upper] = upper, lower
        behind = {
            (names[leaf], fabric.port_name(leaf, port)): row
            for row, leaf, port in zip(
                np.flatnonzero(alive).tolist(),
                nics.leaf[alive].tolist(),
                nics.port[alive].tolist(),
                strict=True,
            )
        }
        return cls(far, behind, down)


@dataclass(frozen=True, eq=False)
class Network:
    """The configurations of all switches on the cables of the fabric.

    Parameters
    ----------
    switches : dict of str to Configured
        What the files of each switch say about a family; a switch that is out of order is left out.
    is_ipv6 : bool
        Which family.
    """

    switches: Mapping[str, Configured]
    wiring: Wiring
    is_ipv6: bool = False

    @property
    def bits(self) -> int:
        """Bits of an address."""
        return BITS6 if self.is_ipv6 else BITS

    def text(self, address: int) -> str:
        """Return an address as it is written."""
        return number_text(address, is_ipv6=self.is_ipv6)

    @cached_property
    def row(self) -> dict[str, int]:
        """Row of each switch."""
        return {name: row for row, name in enumerate(self.switches)}

    def is_up(self, switch: str, name: str) -> bool:
        """Return whether a port has link: enabled here, and at the other end of its cable."""
        port = self.switches[switch].ports.get(name)
        if port is None or not port.enabled:
            return False
        if (switch, name) in self.wiring.nics:
            return True
        end = self.wiring.far.get((switch, name))
        if end is None or end[0] not in self.switches:
            return False
        far = self.switches[end[0]].ports.get(end[1])
        return far is not None and far.enabled

    @cached_property
    def vlans_up(self) -> dict[str, set[int]]:
        """VLANs of each switch that have a member port with link, as autostate wants."""
        return {
            name: {
                vlan
                for port in configured.ports.values()
                if (port.vlan is not None or port.tagged_vlans) and self.is_up(name, port.name)
                for vlan in (port.vlan, *port.tagged_vlans)
                if vlan in configured.vlans
            }
            for name, configured in self.switches.items()
        }

    def routes_here(self, switch: str, name: str) -> bool:
        """Return whether the addresses of a port count: it has link, or needs none."""
        port = self.switches[switch].ports[name]
        if not port.enabled:
            return False
        if port.gateway_vlan is not None:
            return port.gateway_vlan in self.vlans_up[switch]
        return name.lower().startswith(("lo", "loopback")) or self.is_up(switch, name)
