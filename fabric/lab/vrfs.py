"""VRFs of the lab: which leaf ports have routes to each other, as the stand-ins run now.

Assumed: EVPN routes are exchanged between all leaves, whatever the sessions are; a packet gets into
the VRF whose route it follows, also where the VNIs differ; the default VRF reaches no other one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration import WHOLE, Configured, readers
from fabric.observe.configuration.vrfs import (
    export_targets,
    import_targets,
    takes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.lab.standin import SwitchStandIn
    from fabric.observe.configuration import AddressLine
    from fabric.observe.configuration.vrfs import ConfiguredVrf

#: Where a configuration has no VRF of a tenant, no port is looked at.
_TENANT = re.compile(r"\bVrf[0-9]")
_NOTHING = Configured("", "")


class LeafPort(NamedTuple):
    """A port of a switch."""

    switch: str
    port: str


@dataclass(slots=True)
class LabVrfs:
    """The VRFs of the leaf ports at the other end of the cables of hosts.

    Parameters
    ----------
    switches : mapping
        Switches by name.
    cables : mapping
        Leaf port by host and interface.
    stuck : dict
        Ports that forward in another VRF than their configuration says: a fault for tests.
    """

    switches: Mapping[str, SwitchStandIn]
    cables: Mapping[tuple[str, str], LeafPort]
    stuck: dict[LeafPort, str] = field(default_factory=dict)
    _read: dict[str, tuple[str, Configured]] = field(default_factory=dict)

    def joined(self, one: tuple[str, str], other: tuple[str, str]) -> bool:
        """Tell whether packets pass between the ports of two NICs, there and back.

        Parameters
        ----------
        one, other : tuple of str
            Host and interface.
        """
        ports = [self.cables.get(end) for end in (one, other)]
        if None in ports:
            return True
        near, far = (port for port in ports if port is not None)
        now = _Moment(self)
        return now.has_routes(near, far) and now.has_routes(far, near)

    def is_gateway(self, end: tuple[str, str], address: str) -> bool:
        """Tell whether the leaf port of a NIC, or the gateway of its VLAN, has an address."""
        leaf = self.cables.get(end)
        if leaf is None:
            return False
        number = int(ip_address(address))
        return any(entry.address == number for entry in _Moment(self).addresses(leaf))

    def routes(self, switch: str, vrf: str) -> set[str]:
        """Return the prefixes that a VRF of a switch has routes to.

        They are those of its own static routes, and the subnets of NIC ports that are up, here or
        on a switch whose routes it takes.
        """
        now = _Moment(self)
        here = now.configured(switch)
        if vrf not in here.vrfs:
            return set()
        networks = {(one.network, one.prefix_length) for one in here.vrfs[vrf].static_routes}
        networks |= now.subnets(switch, vrf)
        return {f"{ip_address(network)}/{length}" for network, length in networks}

    def configured(self, switch: str) -> Configured:
        """Return what the configuration of a switch says."""
        return _Moment(self).configured(switch)

    def read(self, switch: str, text: str) -> Configured:
        """Return what a text says that a switch runs; it is read again when it changes."""
        known, configured = self._read.get(switch, ("", _NOTHING))
        if text == known:
            return configured
        platform = self.switches[switch].spec.platform
        configured = (
            readers[platform](dict.fromkeys(WHOLE, text)) if platform in readers else _NOTHING
        )
        self._read[switch] = text, configured
        return configured


class _Moment:
    """The switches at the moment of a question: each prints its configuration once for it.

    Parameters
    ----------
    vrfs : LabVrfs
        Cables, faults, and what was read before.
    """

    def __init__(self, vrfs: LabVrfs) -> None:
        self._vrfs = vrfs
        self._texts: dict[str, str] = {}
        self._vrf_of_port: dict[str, dict[str, str]] = {}

    def subnets(self, switch: str, vrf: str) -> set[tuple[int, int]]:
        """Return the subnets of the NIC ports that are up and whose routes a VRF takes."""
        ports: dict[tuple[str, str], list[LeafPort]] = {}
        for port in self._vrfs.cables.values():
            ports.setdefault((port.switch, self._vrf(port)), []).append(port)
        return {
            entry.network
            for (source, target), members in ports.items()
            if self._takes(switch, vrf, source, target)
            for port in members
            if self._sends_light(port)
            for entry in self.addresses(port)
        }

    def _sends_light(self, port: LeafPort) -> bool:
        switch = self._vrfs.switches.get(port.switch)
        return switch is not None and switch.sends_light(port.port)

    def addresses(self, leaf: LeafPort) -> Iterator[AddressLine]:
        """Yield the addresses of a port, and of the gateway of its VLAN."""
        ports = self.configured(leaf.switch).ports
        vlan = ports[leaf.port].vlan if leaf.port in ports else None
        for port in ports.values():
            if port.name == leaf.port or (vlan is not None and port.gateway_vlan == vlan):
                yield from port.addresses

    def has_routes(self, near: LeafPort, far: LeafPort) -> bool:
        """Tell whether the VRF of a port has routes of that of another one."""
        return self._takes(near.switch, self._vrf(near), far.switch, self._vrf(far))

    def _takes(self, switch: str, own: str, source: str, target: str) -> bool:
        """Tell whether a VRF of a switch has routes of a VRF of another switch, or of its own."""
        if not own or not target:
            return own == target
        here, there = self.configured(switch), self.configured(source)
        if switch == source:
            return target == own or _has(here, own, target)
        sources = [here.vrfs[own], *_leaked(here, own)] if own in here.vrfs else []
        carriers = [vrf for vrf in there.vrfs.values() if _has(there, vrf.name, target)]
        asn = there.bgp.asn if there.bgp else 0
        return any(
            vrf.vni and other.vni and takes(import_targets(vrf), export_targets(other, asn))
            for vrf in sources
            for other in carriers
        )

    def _vrf(self, port: LeafPort) -> str:
        stuck = self._vrfs.stuck.get(port)
        return self._vrfs_of(port.switch).get(port.port, "") if stuck is None else stuck

    def _vrfs_of(self, switch: str) -> dict[str, str]:
        """Return the VRF of each port of a switch that is in one."""
        if switch not in self._vrf_of_port:
            has_tenants = _TENANT.search(self._text(switch))
            configured = self.configured(switch) if has_tenants else _NOTHING
            self._vrf_of_port[switch] = configured.vrf_of_port
        return self._vrf_of_port[switch]

    def configured(self, switch: str) -> Configured:
        """Return what the configuration of a switch says."""
        text = self._text(switch)
        return self._vrfs.read(switch, text) if text else _NOTHING

    def _text(self, switch: str) -> str:
        if switch not in self._texts:
            device = self._vrfs.switches.get(switch)
            self._texts[switch] = device.running_text if device else ""
        return self._texts[switch]


def _has(switch: Configured, vrf: str, target: str) -> bool:
    """Tell whether a VRF of a switch is another one, or has its routes."""
    return vrf == target or target in {other.name for other in _leaked(switch, vrf)}


def _leaked(switch: Configured, vrf: str) -> Iterator[ConfiguredVrf]:
    """Yield the VRFs of the same switch whose routes a VRF has."""
    lines: Iterable[str] = (
        (line.source for line in switch.vrfs[vrf].leaks) if vrf in switch.vrfs else ()
    )
    yield from (switch.vrfs[source] for source in lines if source in switch.vrfs)
