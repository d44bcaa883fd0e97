"""Our own engine: sessions, routes and forwarding from the files, held against the design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.family import of_family
from fabric.prove import ports
from fabric.prove.breach import Breach
from fabric.prove.hosts import bad_nics
from fabric.prove.promises import Promises
from fabric.prove.reach import Reach
from fabric.prove.routes import tables
from fabric.prove.sessions import sessions
from fabric.prove.tenancy import TenantProof, owners_of, wrong_lines
from fabric.prove.underlay import as_designed, underlay
from fabric.prove.vrfs import default_vrf
from fabric.prove.wiring import Network, Wiring

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration import Configured
    from fabric.prove.isolation import TenantCounts
    from fabric.prove.sessions import Session
    from fabric.topology.clos import Outage
    from fabric.topology.model import Fabric


#: Counts of a proof for programs.
_COUNTS = ("nics", "pairs", "lost_pairs", "unplanned_pairs", "sessions", "routes")


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
        Ordered pairs of NICs without tenant that the design promises.
    lost_pairs : int
        Those of them that the files do not connect over every path.
    unplanned_pairs : int
        Other ordered pairs of these NICs, which the design does not connect.
    tenants : TenantCounts or None
        What was proved of tenants; None without any.
    is_ipv6 : bool
        Of which family all this is; breaches are those of both.
    other : Proof or None
        The same of IPv6 beside IPv4.
    """

    breaches: tuple[Breach, ...]
    sessions: int
    routes: int
    nics: int
    pairs: int
    lost_pairs: int
    unplanned_pairs: int = 0
    is_ipv6: bool = False
    other: Proof | None = None
    tenants: TenantCounts | None = None

    def nic_pairs(self) -> tuple[int, int]:
        """Return how many pairs of NICs are lost, and promised, with and without tenants.

        They are those of one family: of two, the one that lost more.
        """
        inside = self.tenants
        lost, pairs = self.lost_pairs, self.pairs
        if inside:
            lost, pairs = lost + inside.lost_nic_pairs, pairs + inside.nic_pairs
        return max((lost, pairs), self.other.nic_pairs()) if self.other else (lost, pairs)

    def figures(self) -> dict[str, Any]:
        """Return its counts as plain data, by family."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        tenants = {"tenants": self.tenants._asdict()} if self.tenants else {}
        own = {"ipv6" if self.is_ipv6 else "ipv4": counts | tenants}
        return own | (self.other.figures() if self.other else {})


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
        whole = _joined([self._everything(is_ipv6=one) for one in self._families])
        if self.fabric.intent.fabric.addressing.ipv4:
            return whole
        return replace(whole, breaches=(*whole.breaches, *self._loopbacks()))

    def prove_outage(self, outage: Outage) -> Proof:
        """Prove what the files do during an outage; only routes and forwarding are looked at."""
        return _joined([self._during(outage, is_ipv6=one) for one in self._families])

    def networks(self) -> list[Network]:
        """Return the switches that have a file on their cables, for each family."""
        return [self._network(None, is_ipv6=is_ipv6) for is_ipv6 in self._families]

    def default_networks(self) -> list[Network]:
        """Return the default VRF of every switch that has a file, for each family."""
        return [_default(network) for network in self.networks()]

    def isolation(self) -> TenantProof:
        """Return the proof of tenants alone, where the default VRF was proved before.

        Sessions and VRFs are read from the files; that loopbacks reach each other is taken for
        good. The fabric has tenants.
        """
        network = self._network(None, is_ipv6=False)
        default = _default(network)
        bad = [nic.row for nic in bad_nics(network, self.hosts)]
        ways = as_designed(default, owners_of(default))
        promises = Promises.of(self.fabric)
        return TenantProof.of(network, default, sessions(default), ways, promises, bad)

    @property
    def _families(self) -> list[bool]:
        """Say of each family of the fabric whether it is IPv6."""
        addressing = self.fabric.intent.fabric.addressing
        return [*([False] if addressing.ipv4 else []), *([True] if addressing.ipv6 else [])]

    def _everything(self, *, is_ipv6: bool) -> Proof:
        network = self._network(None, is_ipv6=is_ipv6)
        whole = replace(network, switches={name: self.files[name] for name in network.switches})
        default = _default(network)
        links = sessions(default)
        bad = list(bad_nics(network, self.hosts))
        rows = [nic.row for nic in bad]
        reach = self._reach(default, links, None, rows)
        tenants = None if is_ipv6 else self._tenants(network, default, links, reach)
        breaches = [
            *ports.leftovers(whole),
            *ports.ports(network, self.devices),
            *ports.bgp(default, self.devices, links),
            *(
                Breach("BAT014", nic.leaf, nic.port, nic.line, f"{nic.name}: {nic.reason}")
                for nic in bad
            ),
            *ports.identities(whole),
            *(() if is_ipv6 else ports.loopbacks(default, self.devices, reach.tables)),
            *reach.breaches(),
            *(() if is_ipv6 else wrong_lines(network, self.devices, self.fabric)),
            *(tenants.faults(self.devices) if tenants else ()),
            *(tenants.breaches() if tenants else ()),
        ]
        return _proof(breaches, links, reach, rows, tenants)

    def _tenants(
        self, network: Network, default: Network, links: list[Session], reach: Reach
    ) -> TenantProof | None:
        """Return the proof of the tenants of the fabric; None without any."""
        if self.fabric.tenants is None:
            return None
        ways = underlay(default, reach.tables, owners_of(default))
        return TenantProof.of(network, default, links, ways, reach.promises, reach.bad_nics)

    def _loopbacks(self) -> Iterator[Breach]:
        """Yield what is wrong with loopbacks, which are of IPv4 where NICs have none of it."""
        network = _default(self._network(None, is_ipv6=False))
        links = [link for link in sessions(network) if link.established]
        yield from ports.loopbacks(network, self.devices, tables(network, links))

    def _during(self, outage: Outage, *, is_ipv6: bool) -> Proof:
        network = self._network(outage, is_ipv6=is_ipv6)
        default = _default(network)
        links = sessions(default)
        bad = [nic.row for nic in bad_nics(network, self.hosts)]
        reach = self._reach(default, links, outage, bad)
        tenants = None if is_ipv6 else self._tenants(network, default, links, reach)
        breaches = [*reach.breaches(), *(tenants.breaches() if tenants else ())]
        return _proof(breaches, links, reach, bad, tenants)

    def _network(self, outage: Outage | None, *, is_ipv6: bool) -> Network:
        wiring = Wiring.of(self.fabric, outage)
        working = {
            name: of_family(self.files[name], is_ipv6=is_ipv6)
            for name in self.devices
            if name in self.files and name not in wiring.down
        }
        return Network(working, wiring, is_ipv6)

    def _reach(
        self, network: Network, links: list[Session], outage: Outage | None, bad: list[int]
    ) -> Reach:
        routes = tables(network, [link for link in links if link.established])
        return Reach(network, Promises.of(self.fabric, outage), routes, bad)


def _joined(proofs: list[Proof]) -> Proof:
    """Return the first proof with the breaches of all, each once, and with the other."""
    first, *others = proofs
    breaches = tuple(dict.fromkeys(breach for proof in proofs for breach in proof.breaches))
    return replace(first, breaches=breaches, other=others[0] if others else None)


def _default(network: Network) -> Network:
    """Return the default VRF of every switch."""
    switches = {name: default_vrf(one) for name, one in network.switches.items()}
    return replace(network, switches=switches)


def _proof(
    breaches: list[Breach],
    links: list[Session],
    reach: Reach,
    bad: list[int],
    tenants: TenantProof | None,
) -> Proof:
    working = reach.wired
    return Proof(
        breaches=tuple(breaches),
        sessions=sum(link.established for link in links) + (tenants.sessions_up if tenants else 0),
        routes=int(reach.tables.next_hops.sum()),
        nics=len(working) - len(bad),
        pairs=reach.pairs,
        lost_pairs=reach.lost_pairs,
        unplanned_pairs=reach.unplanned_pairs,
        is_ipv6=reach.network.is_ipv6,
        tenants=tenants.counts if tenants else None,
    )
