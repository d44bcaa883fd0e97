"""The proof of tenants: their VRFs, what carries the routes between them, and who reaches whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.prove.evpn_faults import evpn_faults
from fabric.prove.isolation import Isolation
from fabric.prove.overlay import end_points, evpn_sessions, exchange, loopbacks
from fabric.prove.reach import wired_nics
from fabric.prove.relations import Relations
from fabric.prove.tenant_breaches import tenant_breaches
from fabric.prove.vrf_lines import Catalogue, vrf_lines
from fabric.prove.vrf_ports import vrf_ports
from fabric.prove.vrfs import NicPlaces, VrfNodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.design.model import DeviceDesign
    from fabric.prove.breach import Breach
    from fabric.prove.isolation import TenantCounts
    from fabric.prove.overlay import EvpnSession
    from fabric.prove.promises import Promises
    from fabric.prove.sessions import Session
    from fabric.prove.underlay import Underlay
    from fabric.prove.wiring import Network
    from fabric.topology.model import Fabric


def owners_of(default: Network) -> dict[int, str]:
    """Return the switch of each loopback and tunnel end point; files are of the default VRF."""
    ends = {address: name for name, address in end_points(default).items()}
    return {**loopbacks(default), **ends}


def wrong_lines(
    network: Network, devices: Mapping[str, DeviceDesign], fabric: Fabric
) -> Iterator[Breach]:
    """Yield the ports and VRFs that are not as designed, also in a fabric without tenants."""
    uses_vrfs = any(
        port.vrf for configured in network.switches.values() for port in configured.ports.values()
    )
    if fabric.tenants is None and not uses_vrfs:
        return
    yield from vrf_ports(network, devices)
    items = fabric.tenants.items if fabric.tenants else ()
    services = [(item.value.name, other) for item in items for other in item.value.services]
    yield from vrf_lines(network, devices, Catalogue.of(devices, services))


@dataclass(frozen=True, eq=False)
class TenantProof:
    """What the files of a fabric do with its tenants.

    Parameters
    ----------
    default : Network
        Files of the default VRF.
    sessions : list of EvpnSession
        Sessions that carry EVPN routes, by both ends.
    """

    default: Network
    sessions: list[EvpnSession]
    isolation: Isolation

    @classmethod
    def of(
        cls,
        network: Network,
        default: Network,
        links: list[Session],
        ways: Underlay,
        promises: Promises,
        bad: Sequence[int],
    ) -> TenantProof:
        """Return the proof.

        Parameters
        ----------
        ways : Underlay
            What the default VRF reaches.
        bad : sequence of int
            Rows of NICs that do not reach their gateway.
        """
        fabric = promises.fabric
        assert fabric.tenants
        nodes = VrfNodes.of(network, fabric)
        places = NicPlaces.of(network, nodes, len(fabric.nics))
        sessions = evpn_sessions(default, links, ways)
        isolation = Isolation(
            fabric,
            fabric.tenants,
            nodes,
            places,
            Relations.of(network, nodes, places),
            exchange(default, fabric, sessions, ways),
            wired_nics(network, fabric),
            bad,
            promises.reach,
        )
        return cls(default, sessions, isolation)

    @property
    def counts(self) -> TenantCounts:
        """Tenants and pairs, those that leak and those that are lost."""
        return self.isolation.counts

    @property
    def sessions_up(self) -> int:
        """How many ends of sessions between loopbacks come up."""
        return sum(not (session.port or session.reason) for session in self.sessions)

    def faults(self, devices: Mapping[str, DeviceDesign]) -> Iterator[Breach]:
        """Yield what EVPN has against the design."""
        return evpn_faults(self.default, devices, self.sessions)

    def breaches(self) -> Iterator[Breach]:
        """Yield who reaches whom against the inventory, and what tenants lose."""
        return tenant_breaches(self.isolation)
