"""What an outage takes from each tenant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.topology.impact import nic_gbps
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.impact import Impact
    from fabric.topology.model import Fabric
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


def tenants_hit(fabric: Fabric, start: Clos, now: Clos, hit: Impact) -> tuple[HitTenant, ...]:
    """Return the tenants that an outage touches, in the order of the inventory.

    Parameters
    ----------
    start, now : Clos
        The network before and after.
    hit : Impact
        What the outage does to it.
    """
    if fabric.tenants is None or hit.tenants is None:
        return ()
    tenants = fabric.tenants
    up, left = (network.nics.up.reshape(-1, fabric.nic_ports) for network in (start, now))
    down = np.zeros(up.shape, dtype=np.int64)  # a NIC is down with its last port: it counts once
    down[:, 0] = up.any(axis=1) & ~left.any(axis=1)
    down = _by_tenant(tenants, down.ravel()).astype(np.int64)
    before, after = (_gbps(tenants, network) for network in (start, now))
    columns = (down, hit.tenants.nics_cut, hit.tenants.hosts_cut, before, after)
    touched = down.astype(np.bool_) | columns[1].astype(np.bool_) | columns[2].astype(np.bool_)
    rows = np.flatnonzero(touched | (after < before)).tolist()
    figures = zip(*(column[rows].tolist() for column in columns), strict=True)
    return tuple(HitTenant(tenants.names[row], *of) for row, of in zip(rows, figures, strict=True))


def _gbps(tenants: Tenants, network: Clos) -> NDArray[np.float64]:
    """Return the bandwidth of each tenant; traffic of local tenants takes no uplink."""
    nics = network.nics
    return _by_tenant(tenants, nics.speed_gbps * nics.up if tenants.is_local else nic_gbps(network))


def _by_tenant(tenants: Tenants, of_nic: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sum over the NICs of each tenant, shape (tenants,)."""
    sums = np.bincount(tenants.of_nic - UNASSIGNED, weights=of_nic, minlength=len(tenants) + 1)
    return np.asarray(sums[-UNASSIGNED:], dtype=np.float64)
