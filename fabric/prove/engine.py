"""Our own engine: sessions, routes and forwarding from the files, held against the design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.prove import ports
from fabric.prove.breach import Breach
from fabric.prove.hosts import bad_nics
from fabric.prove.promises import Promises
from fabric.prove.reach import Reach
from fabric.prove.routes import tables
from fabric.prove.sessions import sessions
from fabric.prove.wiring import Network, Wiring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.observe.configuration import Configured
    from fabric.prove.sessions import Session
    from fabric.topology.clos import Outage
    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class Proof:
    """What the files of a fabric were proved to do, and what they break.

    Parameters
    ----------
    sessions : int
        BGP sessions that come up, counted at each end.
    routes : int
        Next hops of all routes of all switches.
    nics : int
        NICs with a cable that reach their gateway.
    pairs : int
        Ordered pairs of NICs that the design promises.
    lost_pairs : int
        Those of them that the files do not connect over every path.
    """

    breaches: tuple[Breach, ...]
    sessions: int
    routes: int
    nics: int
    pairs: int
    lost_pairs: int


@dataclass(frozen=True, eq=False)
class Engine:
    """A fabric with the files of its switches.

    Parameters
    ----------
    fabric : Fabric
        The network as it was designed and cabled.
    devices, hosts : mapping of str to design
        What was decided for each switch and host.
    files : mapping of str to Configured
        What the file of each switch says.
    """

    fabric: Fabric
    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]
    files: Mapping[str, Configured]

    def prove(self) -> Proof:
        """Prove what the files do while everything works."""
        network = self._network(None)
        links = sessions(network)
        bad = list(bad_nics(network, self.hosts))
        reach = self._reach(network, links, None, [nic.row for nic in bad])
        breaches = [
            *ports.leftovers(network),
            *ports.ports(network, self.devices),
            *ports.bgp(network, self.devices, links),
            *(
                Breach("BAT014", nic.leaf, nic.port, nic.line, f"{nic.name}: {nic.reason}")
                for nic in bad
            ),
            *ports.identities(network),
            *ports.loopbacks(network, self.devices, reach.tables),
            *reach.breaches(),
        ]
        return _proof(breaches, links, reach, len(bad))

    def prove_outage(self, outage: Outage) -> Proof:
        """Prove what the files do during an outage; only routes and forwarding are looked at."""
        network = self._network(outage)
        links = sessions(network)
        bad = [nic.row for nic in bad_nics(network, self.hosts)]
        reach = self._reach(network, links, outage, bad)
        return _proof(list(reach.breaches()), links, reach, len(bad))

    def _network(self, outage: Outage | None) -> Network:
        wiring = Wiring.of(self.fabric, outage)
        working = {
            name: self.files[name]
            for name in self.devices
            if name in self.files and name not in wiring.down
        }
        return Network(working, wiring)

    def _reach(
        self, network: Network, links: list[Session], outage: Outage | None, bad: list[int]
    ) -> Reach:
        routes = tables(network, [link for link in links if link.established])
        return Reach(network, Promises.of(self.fabric, outage), routes, bad)


def _proof(breaches: list[Breach], links: list[Session], reach: Reach, bad: int) -> Proof:
    return Proof(
        breaches=tuple(breaches),
        sessions=sum(link.established for link in links),
        routes=int(reach.tables.next_hops.sum()),
        nics=len(reach.nics) - bad,
        pairs=reach.pairs,
        lost_pairs=reach.lost_pairs,
    )
