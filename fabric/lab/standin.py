"""What every stand-in offers to the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.faults import FaultScript
    from fabric.lab.spec import Neighbour, StandInSpec


class StandIn(Protocol):
    """A device that serves its protocol on a port of the loopback address."""

    spec: StandInSpec
    faults: FaultScript
    address: str
    port: int

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None: ...

    async def start(self) -> None:
        """Listen on 127.0.0.1 on a free port and set ``port``."""

    async def stop(self) -> None:
        """Close all sessions and the listener."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 fingerprint of the SSH host key or of the TLS certificate."""

    @property
    def trust(self) -> str:
        """What a client must know to trust it: the SSH host key line, or the certificate as PEM."""

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not shut, whatever its far end does."""

    def watch_light(self, lit: Callable[[str], bool]) -> None:
        """Take what tells whether the far end of the cable of a port sends light."""


class BgpEnd(NamedTuple):
    """One end of a BGP session: the own AS number, and that of the peer; 0 where any will do."""

    asn: int
    peer_asn: int

    def agrees(self, far: BgpEnd) -> bool:
        """Tell whether each end has the AS number that the other one expects (RFC 4271, 6.2)."""
        return self.peer_asn in {0, far.asn} and far.peer_asn in {0, self.asn}


def as_number(text: object) -> int:
    """Return an AS number that a line has; 0 for a word such as ``external``."""
    return int(str(text)) if str(text).isdecimal() else 0


class SwitchStandIn(StandIn, Protocol):
    """A switch: what the lab needs to cable it."""

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> Any:
        """Return the configuration of a switch that is fresh from the box."""

    @property
    def running_text(self) -> str:
        """The running configuration, as its reader takes it."""

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a BGP session; None where the configuration has none.

        Parameters
        ----------
        session : str
            Address of the peer, or the own port where the session is unnumbered.
        """

    def watch_bgp(self, up: Callable[[str], bool], asn_there: Callable[[str], int]) -> None:
        """Take what tells whether the far end has a session too, and its AS number; 0 for none."""

    def watch_routes(self, routes: Callable[[str], Collection[str]]) -> None:
        """Take what returns the prefixes that a VRF has routes to."""


class Cabled:
    """Who a stand-in is, and what its wires do.

    Attributes
    ----------
    neighbours : dict
        LLDP neighbours by local port.
    unplugged : set of str
        Ports whose cable a test took out.
    lit, peer_up : callable
        Whether the far end of the cable of a port sends light, and of a BGP session answers.
    asn_there : callable
        The AS number at the far end of a BGP session; 0 where there is none.
    routes : callable
        The prefixes that a VRF has routes to.
    """

    def __init__(self, spec: StandInSpec) -> None:
        self.spec = spec
        self.neighbours: dict[str, list[Neighbour]] = {}
        for neighbour in spec.neighbours:
            self.neighbours.setdefault(neighbour.local_port, []).append(neighbour)
        self.unplugged: set[str] = set()
        self.lit: Callable[[str], bool] = lambda _port: True
        self.peer_up: Callable[[str], bool] = lambda _peer: True
        self.asn_there: Callable[[str], int] = lambda _peer: 0
        self.routes: Callable[[str], Collection[str]] = lambda _vrf: ()

    def watch_bgp(
        self, up: Callable[[str], bool], asn_there: Callable[[str], int] = lambda _peer: 0
    ) -> None:
        """Take what tells whether the far end has a session too, and its AS number; 0 for none."""
        self.peer_up, self.asn_there = up, asn_there

    def watch_routes(self, routes: Callable[[str], Collection[str]]) -> None:
        """Take what returns the prefixes that a VRF has routes to."""
        self.routes = routes

    def has_route(self, vrf: str, prefix: str) -> bool:
        """Tell whether a VRF has a route to a very prefix."""
        return prefix in self.routes(vrf)

    def watch_light(self, lit: Callable[[str], bool]) -> None:
        """Take what tells whether the far end of the cable of a port sends light."""
        self.lit = lit


stand_ins: Registry[type[StandIn]] = Registry("stand-in", plugins="lab")
