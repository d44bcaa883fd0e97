"""BGP sessions between switches of the lab, as the stand-ins run now.

Assumed: a session between loopbacks goes over one cable, since no switch hands on what it has from
one of its tier to another one of it; a switch announces its loopback over each session.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from fabric.observe.configuration.model import address_number, is_address, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fabric.lab.standin import BgpEnd, SwitchStandIn
    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.model import AddressLine

    End = tuple[str, str]

_NONE = "", ""


@dataclass(frozen=True)
class LabSessions:
    """Sessions over the cables between switches, and between loopbacks.

    Parameters
    ----------
    switches : mapping
        Switches by name.
    links : mapping
        Switch and port at the far end of a cable, by switch and port.
    designed : mapping
        Switch and its own session, by switch and session, of the inventory with which the lab
        started; others are looked up.
    loopbacks : mapping
        Switch by loopback of that inventory: where an address is looked for first.
    configured : callable
        Returns what a switch runs.
    """

    switches: Mapping[str, SwitchStandIn]
    links: Mapping[End, End]
    designed: Mapping[End, End]
    loopbacks: Mapping[str, str]
    configured: Callable[[str], Configured]

    def now(self) -> LabSessions:
        """Return the sessions of this moment: each switch prints its configuration once for it."""
        return replace(self, configured=cache(self.configured))

    def is_up(self, switch: str, session: str) -> bool:
        """Tell whether both ends of a session agree, and reach each other."""
        near = switch, session
        if (far := self._over_cable(near)) != _NONE:
            return self._agree(near, far)
        far = self._between_loopbacks(near)
        return (
            self._agree(near, far)
            and self._between_loopbacks(far) == near
            and self._has_way(switch, far[0])
        )

    def asn_there(self, switch: str, session: str) -> int:
        """Return the AS number of the switch at the far end of a session; 0 for none."""
        far = self._end(self._over_cable((switch, session)))
        return far.asn if far else 0

    def _agree(self, near: End, far: End) -> bool:
        here, there = self._end(near), self._end(far)
        return here is not None and there is not None and here.agrees(there)

    def _end(self, end: End) -> BgpEnd | None:
        switch = self.switches.get(end[0])
        return switch.bgp_end(end[1]) if switch else None

    def _over_cable(self, near: End) -> End:
        """Return the far end of a session that goes over the cable of a port; or no names."""
        if near in self.designed:
            return self.designed[near]
        if is_address(near[1]):
            wanted = address_number(near[1])
            for port, own in self._addresses(near[0]):
                if own._replace(address=wanted).network != own.network:
                    continue
                far, far_port = self.links.get((near[0], port), _NONE)
                for name, other in self._addresses(far) if far else ():
                    if (name, other.address) == (far_port, wanted) and other.network == own.network:
                        return far, number_text(own.address, is_ipv6=own.is_ipv6)
        return _NONE

    def _between_loopbacks(self, near: End) -> End:
        """Return the far end of a session that goes over more than a cable; or no names."""
        switch, session = near
        bgp = self.configured(switch).bgp
        peer = bgp.peers.get(session) if bgp else None
        if peer is None or peer.hops is None or not is_address(session):
            return _NONE
        sources = (
            number_text(own.address, is_ipv6=own.is_ipv6)
            for port, own in self._addresses(switch)
            if peer.local_address in (port, own.text.partition("/")[0])
        )
        wanted, first = address_number(session), self.loopbacks.get(session, switch)
        owners = (
            far
            for far in dict.fromkeys((first, *(far for _, _, far, _ in self._cables(switch))))
            if any(own.address == wanted for _, own in self._addresses(far))
        )
        return next(owners, ""), next(sources, "")

    def _has_way(self, switch: str, far: str) -> bool:
        """Tell whether a session over a cable between two switches is up, with IPv4 routes."""
        return any(
            self._agree((switch, session), self._over_cable((switch, session)))
            for _, port, peer, peer_port in self._cables(switch)
            if peer == far and self._has_light((switch, port)) and self._has_light((far, peer_port))
            for session in (port, *self._ipv4_of(far, peer_port))
        )

    def _has_light(self, end: End) -> bool:
        return self.switches[end[0]].sends_light(end[1])

    def _cables(self, switch: str) -> Iterator[tuple[str, str, str, str]]:
        """Yield the cables of a switch to others, from its own end."""
        for here, there in self.links.items():
            if here[0] == switch and there[0] in self.switches:
                yield (*here, *there)

    def _ipv4_of(self, switch: str, port: str) -> Iterator[str]:
        for name, own in self._addresses(switch):
            if name == port and not own.is_ipv6:
                yield number_text(own.address, is_ipv6=False)

    def _addresses(self, switch: str) -> Iterator[tuple[str, AddressLine]]:
        for port in self.configured(switch).ports.values():
            for address in port.addresses:
                yield port.name, address
