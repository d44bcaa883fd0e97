"""What an outage takes from each tenant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.topology.bandwidth import switch_gbps
from fabric.topology.clos import failed
from fabric.topology.impact import pairs_of_hosts
from fabric.topology.paths import Layers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.clos import Clos, Outage
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.tenants import Tenants


@dataclass(frozen=True, slots=True)
class HitTenant:
    """A tenant that an outage touches.

    Parameters
    ----------
    nics_lost : int
        Its NICs that are down.
    pairs_cut : int
        Pairs of its NICs that are up and no longer reach each other.
    host_pairs_cut : int
        Pairs of its hosts of which no NIC in the tenant reaches one of the other any more.
    gbps, gbps_left : float
        Bandwidth of its NICs before and after: their own, or their share of the uplinks of the
        leaf where that is less.
    """

    name: str
    nics_lost: int
    pairs_cut: int
    host_pairs_cut: int
    gbps: float
    gbps_left: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "tenant": self.name,
            "nics_lost": self.nics_lost,
            "nic_pairs_cut": self.pairs_cut,
            "host_pairs_cut": self.host_pairs_cut,
            "gbps": self.gbps,
            "gbps_left": self.gbps_left,
        }


def tenants_hit(fabric: Fabric, start: Clos, lost: Outage) -> tuple[HitTenant, ...]:
    """Return the tenants that an outage touches, in the order of the inventory.

    Parameters
    ----------
    start : Clos
        The network before.
    """
    if fabric.tenants is None:
        return ()
    return tuple(_hits(fabric.tenants, start, failed(start, lost)))


def _hits(tenants: Tenants, start: Clos, now: Clos) -> Iterator[HitTenant]:
    shares = [_gbps(one, is_local=tenants.is_local) for one in (start, now)]
    reaches = [
        np.eye(len(one.tier), dtype=np.bool_) if tenants.is_local else _reach(one)
        for one in (start, now)
    ]
    cut = reaches[0] & ~reaches[1]
    for row, name in enumerate(tenants.names):
        mine = tenants.of_nic == row
        before, after = (float(gbps[mine].sum()) for gbps in shares)
        down = int((start.nics.up & ~now.nics.up)[mine].sum())
        pairs = _pairs(now, mine, cut)
        apart = pairs_of_hosts((_only(start, mine), _only(now, mine)), (reaches[0], reaches[1]))[1]
        if down or pairs or apart or after < before:
            yield HitTenant(name, down, pairs, apart, before, after)


def _only(network: Clos, mine: Bools) -> Clos:
    """Return a network in which the NICs of one tenant alone are up."""
    return replace(network, nics=replace(network.nics, up=network.nics.up & mine))


def _gbps(network: Clos, *, is_local: bool) -> NDArray[np.float64]:
    """Return the bandwidth of each NIC; traffic of local tenants takes no uplink."""
    nics = network.nics
    own = (nics.speed_gbps * nics.up).astype(np.float64)
    if is_local:
        return own
    below, above = switch_gbps(network)
    share = np.minimum(1, np.divide(above, below, out=np.zeros(len(above)), where=below > 0))
    shared: NDArray[np.float64] = own * share[nics.leaf]
    return shared


def _reach(network: Clos) -> Bools:
    reach = Layers.of(network).reach
    return reach | np.eye(len(reach), dtype=np.bool_)


def _pairs(now: Clos, mine: Bools, cut: Bools) -> int:
    """Return the pairs of some NICs that are up between leaves that lost each other."""
    leaf: Ints = now.nics.leaf[mine & now.nics.up]
    counts = np.bincount(leaf, minlength=len(cut))[: len(cut)]
    return int(counts @ cut.astype(np.int64) @ counts) // 2
