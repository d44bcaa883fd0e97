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
    lost_pairs : int
        Ordered pairs of NICs that the design promises and that the files do not connect.
    """

    breaches: tuple[Breach, ...]
    sessions: int
    routes: int
    nics: int
    lost_pairs: int


def prove(
    fabric: Fabric,
    devices: Mapping[str, DeviceDesign],
    hosts: Mapping[str, HostDesign],
    files: Mapping[str, Configured],
    outage: Outage | None = None,
) -> Proof:
    """Prove what the files of the switches do.

    Parameters
    ----------
    fabric : Fabric
        The network as it was designed and cabled.
    devices, hosts : mapping of str to design
        What was decided for each switch and host.
    files : mapping of str to Configured
        What the file of each switch says.
    outage : Outage, optional
        What is out of order; the promises are those of the design during it.
    """
    wiring = Wiring.of(fabric, outage)
    network = Network(
        {name: files[name] for name in devices if name in files and name not in wiring.down}, wiring
    )
    links = sessions(network)
    routes = tables(network, [link for link in links if link.established])
    bad = list(bad_nics(network, hosts))
    reach = Reach(network, Promises.of(fabric, outage), routes, [nic.row for nic in bad])
    breaches = [
        *ports.leftovers(network),
        *ports.ports(network, devices),
        *ports.bgp(network, devices, links),
        *(
            Breach(
                "BAT014", nic.leaf, nic.port, nic.line, f"{nic.host} {nic.interface}: {nic.reason}"
            )
            for nic in bad
        ),
        *ports.identities(network),
        *reach.breaches(),
    ]
    established = sum(link.established for link in links)
    hops = int(routes.next_hops.sum())
    return Proof(tuple(breaches), established, hops, len(reach.nics) - len(bad), reach.lost_pairs)
