"""The bus bandwidth that some hosts should reach, with the links that are up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.flows import (
    Left,
    MemberPorts,
    between_leaves,
    connected,
    crossings,
    left,
)
from fabric.collective.published import LEAST, USUAL, CollectiveKind, bus_gbyte_s
from fabric.placement.engine.load import Numbers, spread
from fabric.placement.engine.mesh import mesh
from fabric.qos.path import line_rate_efficiency, roce_mtu_bytes
from fabric.topology.paths import Layers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Fabric, Ints

_NO_PATH = "no path between leaves"
#: Share from which on the uplinks are not named as the limit; our choice.
_AS_GOOD_AS_ALL = 0.995


@dataclass(frozen=True, slots=True)
class ExpectedBandwidth:
    """What a collective should reach, in GB/s of bus bandwidth.

    Parameters
    ----------
    rails : int
        Rails that every host has.
    ceiling_gbyte_s : float
        What the NICs carry of payload.
    even_gbyte_s : float
        What the links that are up leave of it, with an even spread.
    expected_gbyte_s : float
        What is usual, with flows that are hashed.
    least_gbyte_s : float
        Lower end of the interval; its upper end is ``even_gbyte_s``.
    worst_gbyte_s : float
        Where all flows of the fullest leaf are hashed to one link.
    limit : str
        What limits it: ``NICs``, ``NVLink``, the name of the leaf whose uplinks do, or the ends of
        the fullest link where an even spread fills it more than the other uplinks of its leaf.
    """

    kind: CollectiveKind
    hosts: int
    rails: int
    ceiling_gbyte_s: float
    even_gbyte_s: float
    expected_gbyte_s: float
    least_gbyte_s: float
    worst_gbyte_s: float
    limit: str


def payload_share(fabric: Fabric) -> float:
    """Return the share of the line rate that is payload of RoCE, for the MTU of the hosts."""
    file = fabric.intent.fabric
    mtu_bytes = roce_mtu_bytes(file.lossless.mtu.host_bytes)
    return line_rate_efficiency(mtu_bytes, ipv6=file.addressing.rdma_ipv6)


def ends_of(
    fabric: Fabric, network: Clos, hosts: Sequence[int], rails: Sequence[int]
) -> MemberPorts:
    """Return the NIC ports of some rails that every one of these hosts has up."""
    ports = np.arange(fabric.nic_ports)
    columns = (np.asarray(rails, dtype=np.int64)[:, None] * fabric.nic_ports + ports).reshape(-1)
    rows: Ints = np.asarray(hosts, dtype=np.int64)[:, None] * fabric.nics_per_host + columns
    gbps = np.where(network.nics.up[rows], network.nics.speed_gbps[rows], 0).astype(np.float64)
    every = (gbps > 0).all(axis=0)
    return MemberPorts(network.nics.leaf[rows][:, every], gbps[:, every])


def expected(
    fabric: Fabric,
    network: Clos,
    hosts: Sequence[int],
    *,
    kind: CollectiveKind = CollectiveKind.ALL_REDUCE,
    rails: Sequence[int] | None = None,
    nvlink_gbyte_s: float = float("inf"),
) -> ExpectedBandwidth:
    """Return what a collective of some hosts should reach.

    Parameters
    ----------
    network : Clos
        The fabric without what is down.
    hosts : sequence of int
        Rows of the hosts in rank order, at least two.
    rails : sequence of int, optional
        Rails that are used; default: all.
    nvlink_gbyte_s : float
        Bus bandwidth inside a host, > 0.

    Notes
    -----
    Rings take equal parts, so the slowest NIC or link counts for all. A rail that a host has lost
    carries no ring. Hashing is that of the fullest leaf, on average. No packet is lost.
    """
    ends = ends_of(fabric, network, hosts, range(fabric.rails) if rails is None else rails)
    columns = ends.leaf.shape[1]
    if not columns or not connected(ends, _reach(network)):
        return _none(kind, len(hosts), _NO_PATH if columns else "no rail of all hosts")
    queue_pairs = fabric.intent.fabric.host.nccl_queue_pairs
    slowest = min(
        (left(network, crossing, queue_pairs) for crossing in crossings(kind, ends)),
        key=lambda one: (one.hashed, one.worst),
        default=Left(),
    )
    load, link = _fullest(fabric, network, kind, ends)
    if np.isinf(load):
        return _none(kind, len(hosts), _NO_PATH)
    evenly = 1 / max(load, 1.0)
    name = link if evenly < _AS_GOOD_AS_ALL * slowest.even else fabric.switches.names[slowest.leaf]
    used = columns // fabric.nic_ports
    gpus = max(1, fabric.intent.fabric.host.gpus * used // fabric.rails)
    nics = columns * float(ends.gbps.min())
    ceiling = bus_gbyte_s(kind, len(hosts), gpus, nics, payload_share(fabric))
    even, hashed, worst = (
        min(ceiling * min(share, evenly), nvlink_gbyte_s)
        for share in (slowest.even, slowest.hashed, slowest.worst)
    )
    limit = "NICs" if min(slowest.hashed, evenly) > _AS_GOOD_AS_ALL else name
    return ExpectedBandwidth(
        kind=kind,
        hosts=len(hosts),
        rails=used,
        ceiling_gbyte_s=ceiling,
        even_gbyte_s=even,
        expected_gbyte_s=hashed * USUAL,
        least_gbyte_s=hashed * LEAST[kind],
        worst_gbyte_s=worst * LEAST[kind],
        limit="NVLink" if even == nvlink_gbyte_s else limit,
    )


def _none(kind: CollectiveKind, hosts: int, limit: str) -> ExpectedBandwidth:
    """Return that a collective cannot run."""
    return ExpectedBandwidth(kind, hosts, 0, 0, 0, 0, 0, 0, limit)


@lru_cache(maxsize=2)
def _reach(network: Clos) -> Bools:
    """Return which leaves reach each other; many tests are judged on one network."""
    return Layers.of(network).reach


def _fullest(
    fabric: Fabric, network: Clos, kind: CollectiveKind, ends: MemberPorts
) -> tuple[float, str]:
    """Return load and ends of the fullest link, where each flow is spread evenly as `place` does.

    The load is infinite where leaves that send to each other have no path.
    """
    numbers, pod = _links(fabric, network), np.maximum(fabric.switches.pod, 0)
    load = np.zeros(numbers.count)
    for leaves, gbps in between_leaves(kind, ends) if numbers.count else ():
        for part in spread(numbers, leaves[None], pod[leaves], gbps[None]):
            np.add.at(load, part.link, part.load)
    if not load.any():
        return 0.0, ""
    link = int(load.argmax())
    return float(load[link]), numbers.name(link, fabric.switches.names)


@lru_cache(maxsize=2)
def _links(fabric: Fabric, network: Clos) -> Numbers:
    cables = network.cables
    return Numbers.of(mesh(fabric, np.where(cables.up, cables.speed_gbps, 0.0)))
