"""What an outage takes from leaves, rails, units and hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.bandwidth import pod_gbps, switch_gbps, unit_gbps
from fabric.topology.clos import failed
from fabric.topology.paths import Layers, meets
from fabric.topology.tenant_pairs import TenantPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.clos import Clos, Outage
    from fabric.topology.model import Bools, Ints
    from fabric.topology.tenants import Tenants


@dataclass(frozen=True, eq=False)
class Impact:
    """A network before and after an outage.

    Parameters
    ----------
    leaf_pairs, host_pairs : tuple of int
        Pairs that reached each other, and how many of them no longer do.
    rails : dict
        Rail -> into how many parts it fell, where leaves that carry it lost each other.
    rails_lost : array of int, shape (n, 2)
        Host and rail of which every NIC port is down now, and was not before.
    nic_gbps, uplink_gbps : array of int, shape (2, units)
        Bandwidth of each unit before and after: of its NICs, and of its uplinks of use.
    pod_gbps : array of int, shape (2, pods)
        Bandwidth of each pod to other pods before and after.
    host_gbps : array of float, shape (2, hosts)
        Bandwidth of each host before and after towards other leaves: that of its NICs, or their
        share of the uplinks of the leaf where that is less.
    nic_shares : array of float, shape (hosts,)
        Share of it that the slowest NIC of each host keeps, of those that keep any.
    tenants : TenantPairs or None
        The pairs by tenant, where the fabric has tenants.
    """

    leaf_pairs: tuple[int, int]
    host_pairs: tuple[int, int]
    rails: dict[int, int]
    rails_lost: Ints
    nic_gbps: Ints
    uplink_gbps: Ints
    pod_gbps: Ints
    host_gbps: NDArray[np.float64]
    nic_shares: NDArray[np.float64]
    tenants: TenantPairs | None = None


def impact(network: Clos, outage: Outage, tenants: Tenants | None = None) -> Impact:
    """Return what an outage does to a network.

    Parameters
    ----------
    tenants : Tenants or None
        Whose NICs are; pairs of hosts are those that may talk.
    """
    now = failed(network, outage)
    layers = Layers.of(network), Layers.of(now)
    before, after = (part.reach for part in layers)
    lost = before & ~after
    pairs = TenantPairs(tenants, (network, now), (before, after)) if tenants else None
    units = [unit_gbps(net, part) for net, part in zip((network, now), layers, strict=True)]
    return Impact(
        leaf_pairs=(int(before.sum()) // 2, int(lost.sum()) // 2),
        host_pairs=pairs.talk if pairs else _pairs_of_hosts((network, now), (before, after)),
        rails=_rails_split(network, now, lost, after),
        rails_lost=_rails_lost(network, now),
        nic_gbps=np.stack([unit[0] for unit in units]),
        uplink_gbps=np.stack([unit[1] for unit in units]),
        pod_gbps=np.stack([pod_gbps(net) for net in (network, now)]),
        host_gbps=np.stack([host_gbps(net) for net in (network, now)]),
        nic_shares=_nic_shares(network, now),
        tenants=pairs,
    )


def host_gbps(network: Clos) -> NDArray[np.float64]:
    """Return the bandwidth of each host towards other leaves, in Gb/s, shape (hosts,)."""
    hosts = len(network.host_unit)
    weights = nic_gbps(network)
    return np.bincount(network.nics.host, weights=weights, minlength=hosts).astype(np.float64)


def _nic_shares(start: Clos, now: Clos) -> NDArray[np.float64]:
    """Return what the slowest NIC of each host keeps; all ports of a NIC are of one rail."""
    hosts, rails = len(start.host_unit), int(start.nics.rail.max(initial=0)) + 1
    nic = start.nics.host * rails + start.nics.rail
    before, after = (
        np.bincount(nic, weights=nic_gbps(network), minlength=hosts * rails)
        for network in (start, now)
    )
    shares = np.divide(after, before, out=np.ones(len(before)), where=(before > 0) & (after > 0))
    return np.asarray(shares.reshape(hosts, rails).min(axis=1))


def nic_gbps(network: Clos) -> NDArray[np.float64]:
    """Return the bandwidth of each NIC towards other leaves, in Gb/s, shape (NIC ports,).

    The uplinks of a leaf are shared out by the speed of its NICs.
    """
    nics = network.nics
    below, above = switch_gbps(network)
    share = np.minimum(1, np.divide(above, below, out=np.zeros(len(above)), where=below > 0))
    return np.asarray(nics.speed_gbps * nics.up * share[nics.leaf])


def host_leaves(network: Clos) -> Ints:
    """Return the leaves of the NICs of each host that are up, ascending; -1 fills the rows."""
    nics, hosts = network.nics, len(network.host_unit)
    rows = np.flatnonzero(nics.up)
    rows = rows[np.lexsort((nics.leaf[rows], nics.host[rows]))]
    count = np.bincount(nics.host[rows], minlength=hosts)
    first = np.cumsum(count) - count
    place = np.arange(len(rows)) - np.repeat(first, count)
    table = np.full((hosts, max(1, int(count.max(initial=0)))), -1)
    table[nics.host[rows], place] = nics.leaf[rows]
    return table


def members(leaves: Ints, count: int) -> Bools:
    """Return for each row of leaves (-1 is none) which of all leaves it holds.

    Parameters
    ----------
    leaves : array of int, shape (rows, places)
        Leaves of each row.
    count : int
        Number of all leaves.

    Returns
    -------
    array of bool, shape (rows, count)
        Whether the row holds the leaf.
    """
    table = np.zeros((len(leaves), count), dtype=np.bool_)
    rows, columns = np.nonzero(leaves >= 0)
    table[rows, leaves[rows, columns]] = True
    return table


def _pairs_of_hosts(networks: tuple[Clos, Clos], reaches: tuple[Bools, Bools]) -> tuple[int, int]:
    """Return the pairs of hosts that reached each other, and those that no longer do.

    Hosts with the same leaves, before and after, are counted as one kind.
    """
    tables = [host_leaves(network) for network in networks]
    kinds, size = np.unique(np.hstack(tables), axis=0, return_counts=True)
    parts = np.split(kinds, [tables[0].shape[1]], axis=1)
    joined = []
    for part, reach in zip(parts, reaches, strict=True):
        on = members(part, len(reach))
        joined.append(meets(meets(on, reach | np.eye(len(reach), dtype=np.bool_)), on.T))
    return pairs_of_kinds(joined[0], size), pairs_of_kinds(joined[0] & ~joined[1], size)


def pairs_of_kinds(joined: Bools, size: Ints) -> int:
    """Return the number of pairs of things whose kinds are joined.

    Parameters
    ----------
    joined : array of bool, shape (kinds, kinds)
        Whether two kinds are joined.
    size : array of int, shape (kinds,)
        Things of each kind, >= 0.
    """
    total = int(size @ joined.astype(np.int64) @ size)
    return (total - int(size[joined.diagonal()].sum())) // 2


def rail_leaves(network: Clos) -> Bools:
    """Return which leaves carry which rail, shape (rails, leaves)."""
    nics = network.nics
    table = np.zeros((int(nics.rail.max(initial=-1)) + 1, network.leaves), dtype=np.bool_)
    table[nics.rail[nics.up], nics.leaf[nics.up]] = True
    return table


def _rails_split(network: Clos, now: Clos, lost: Bools, after: Bools) -> dict[int, int]:
    """Return the rails whose leaves lost each other, with the number of parts that are left.

    A leaf whose NICs are all down is lost to its rail, and splits nothing.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    split = {}
    still = rail_leaves(now)
    for rail, leaves in enumerate(still & rail_leaves(network)[: len(still)]):
        rows = np.flatnonzero(leaves)
        if lost[np.ix_(rows, rows)].any():
            joined = csr_matrix(after[np.ix_(rows, rows)].astype(np.int8))
            split[rail] = int(connected_components(joined)[0])
    return split


def _rails_lost(network: Clos, now: Clos) -> Ints:
    nics = network.nics
    rails = int(nics.rail.max(initial=0)) + 1
    key = nics.host * rails + nics.rail
    lost = np.setdiff1d(key[nics.up], key[now.nics.up])
    return np.stack([lost // rails, lost % rails], axis=1)
