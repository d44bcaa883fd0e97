"""A fabric as plain arrays of tiers, cables and NICs: what paths, capacity and failures need.

This is the only module of the analysis that reads the tables of `Fabric`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.layout import pod_names

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, eq=False)
class Cables:
    """Cables between a switch and one a tier above it.

    Parameters
    ----------
    lower, upper : array of int, shape (cables,)
        Switch at each end.
    lower_port, upper_port : array of int, shape (cables,)
        Port number at each end.
    speed_gbps, cable_m : array of int, shape (cables,)
        Speed, and one-way length.
    up : array of bool, shape (cables,)
        Whether the cable carries traffic.
    """

    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints
    speed_gbps: Ints
    cable_m: Ints
    up: Bools

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True, eq=False)
class Edge:
    """Cables between NICs and leaves: host, rail and leaf of each, as in `Cables` otherwise."""

    host: Ints
    rail: Ints
    leaf: Ints
    leaf_port: Ints
    speed_gbps: Ints
    cable_m: Ints
    up: Bools

    def __len__(self) -> int:
        return len(self.host)


@dataclass(frozen=True, eq=False)
class Clos:
    """Switches in tiers, with the cables between neighbouring tiers.

    Parameters
    ----------
    tier : array of int, shape (switches,)
        0 for a leaf, and one more for each tier above; leaves come first.
    unit : array of int, shape (switches,)
        Unit of a leaf; -1 for others, and for a leaf of no unit.
    pod : array of int, shape (switches,)
        Pod of a leaf or spine; -1 for others, and where there are no pods.
    asn : array of int, shape (switches,)
        AS number. A path that comes back to the AS it went up through is refused, and one
        between leaves of one AS unless they allow it.
    cables : Cables
        Cables between switches.
    nics : Edge
        Cables to hosts.
    host_unit : array of int, shape (hosts,)
        Unit of each host.
    units, pods : int
        Number of units, and of pods.
    allowas_in : int
        How often a leaf allows its own AS number in a path.
    """

    tier: Ints
    unit: Ints
    pod: Ints
    asn: Ints
    cables: Cables
    nics: Edge
    host_unit: Ints
    units: int
    pods: int
    allowas_in: int = 0

    @cached_property
    def leaves(self) -> int:
        """Number of leaves."""
        return int((self.tier == 0).sum())

    @cached_property
    def tiers(self) -> int:
        """Number of tiers of switches."""
        return int(self.tier.max()) + 1

    @cached_property
    def place(self) -> Ints:
        """Position of each switch among those of its tier, shape (switches,)."""
        place = np.empty(len(self.tier), dtype=np.int64)
        for tier in range(self.tiers):
            rows = np.flatnonzero(self.tier == tier)
            place[rows] = np.arange(len(rows))
        return place

    def rows(self, tier: int) -> Ints:
        """Return the switches of a tier."""
        return np.flatnonzero(self.tier == tier)


@dataclass(frozen=True, eq=False)
class Outage:
    """What is down: one mask for each kind of thing, of the length of its table."""

    switches: Bools
    hosts: Bools
    cables: Bools
    nics: Bools

    @classmethod
    def none(cls, network: Clos) -> Outage:
        """Return an outage of nothing."""
        sizes = (network.tier, network.host_unit, network.cables.up, network.nics.up)
        return cls(*(np.zeros(len(size), dtype=np.bool_) for size in sizes))

    def __or__(self, other: Outage) -> Outage:
        return Outage(
            self.switches | other.switches,
            self.hosts | other.hosts,
            self.cables | other.cables,
            self.nics | other.nics,
        )


def clos(fabric: Fabric) -> Clos:
    """Return the arrays of a fabric; a cable inside one AS carries no route, so it is down."""
    switches, nics, links = fabric.switches, fabric.nics, fabric.uplinks
    lower, upper = links.lower, links.upper
    return Clos(
        tier=switches.tier,
        unit=switches.unit,
        pod=_pods(fabric),
        asn=switches.asn,
        cables=Cables(
            lower=lower,
            lower_port=links.lower_port,
            upper=upper,
            upper_port=links.upper_port,
            speed_gbps=links.speed_gbps,
            cable_m=links.cable_m,
            up=links.enabled & (switches.asn[lower] != switches.asn[upper]),
        ),
        nics=Edge(
            host=nics.host,
            rail=nics.rail,
            leaf=nics.leaf,
            leaf_port=nics.port,
            speed_gbps=nics.speed_gbps,
            cable_m=nics.cable_m,
            up=nics.enabled,
        ),
        host_unit=fabric.hosts.unit,
        units=len(fabric.intent.fabric.units),
        pods=len(pod_names(fabric.intent.fabric)),
        allowas_in=fabric.intent.fabric.bgp.allowas_in,
    )


def _pods(fabric: Fabric) -> Ints:
    """Return the pod of each switch; a spine that the inventory puts in none is in a leaf's."""
    tier, pod, links = fabric.switches.tier, fabric.switches.pod.copy(), fabric.uplinks
    rows = np.flatnonzero((tier[links.upper] == 1) & (pod[links.upper] < 0))
    np.maximum.at(pod, links.upper[rows], pod[links.lower[rows]])
    return pod


def lost_cables(network: Clos, outage: Outage) -> tuple[Bools, Bools]:
    """Return the cables between switches, and those of NICs, that fail or whose ends fail."""
    cables, nics, gone = network.cables, network.nics, outage.switches
    cut = outage.cables | gone[cables.lower] | gone[cables.upper]
    return cut, outage.nics | gone[nics.leaf] | outage.hosts[nics.host]


def failed(network: Clos, outage: Outage) -> Clos:
    """Return the network with some of it down; a switch or host takes its cables with it."""
    cables, nics = network.cables, network.nics
    cut, lost = lost_cables(network, outage)
    return replace(
        network,
        cables=replace(cables, up=cables.up & ~cut),
        nics=replace(nics, up=nics.up & ~lost),
    )


def switched_off(fabric: Fabric, now: Clos) -> Fabric:
    """Return the fabric with the cables switched off that are down in its network ``now``."""
    return replace(
        fabric,
        uplinks=replace(fabric.uplinks, enabled=fabric.uplinks.enabled & now.cables.up),
        nics=replace(fabric.nics, enabled=fabric.nics.enabled & now.nics.up),
    )
