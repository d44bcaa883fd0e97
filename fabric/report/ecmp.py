"""show ecmp: what few large flows make of the uplinks, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.units import gbps_to_bps
from fabric.qos.ecmp.collective import (
    advise_queue_pairs,
    bisection_bps,
    classic_spine_share,
    rail_spine_share,
    relayed_spine_share,
    spray,
    spread,
)
from fabric.qos.ecmp.load import entropy
from fabric.report.table import Table
from fabric.validate.capacity import leaf_flows, leaf_gbps
from fabric.validate.rules.balancing import LEAST_EFFICIENCY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs
    from fabric.topology.model import Ints


#: Queue pairs of a connection that are compared.
QUEUE_PAIRS = (1, 2, 4, 8, 16, 32)
#: Share of an even spread that more queue pairs aim at: what 32 queue pairs give 8 NICs on 8 links.
TARGET = 0.8
#: Packets of 4096 bytes in a megabyte.
SPRAYED_PACKETS = 256
_HEADERS = ("leaves", "item", "value", "how")


def ecmp(designs: Designs) -> Table:
    """Return, for each kind of leaf, what hashing makes of its uplinks."""
    fabric = designs.fabric
    flows, (_, up_gbps) = leaf_flows(fabric), leaf_gbps(fabric)
    rows: list[tuple[object, ...]] = []
    for kind in np.unique(flows, axis=0):
        alike = (flows == kind).all(axis=1)
        senders, links, percent = (int(value) for value in kind)
        if senders and links:
            gbps = int(up_gbps[alike].min())
            lines = _kind(designs, senders, links, percent / 100)
            rows += [(int(alike.sum()), *row) for row in (*lines, _bisection(designs, kind, gbps))]
    rows += [("all", *row) for row in _fabric(designs)]
    return Table(_HEADERS, tuple(rows))


def _speeds(ratio: float) -> str:
    """Return how fast an uplink is, ``ratio`` times a NIC."""
    return "same speed" if ratio == 1 else f"each uplink is {ratio:g} times as fast as a NIC"


def _kind(
    designs: Designs, senders: int, links: int, ratio: float
) -> Iterator[tuple[str, object, str]]:
    own = designs.intent.fabric.host.nccl_queue_pairs
    yield "NICs and uplinks", f"{senders} on {links}", _speeds(ratio)
    for pairs in sorted({*QUEUE_PAIRS, own}):
        load = spread(senders, links, pairs, ratio)
        chosen = ", as set" if pairs == own else ""
        how = f"fullest link carries {load.over_mean:.2f} times the mean on average{chosen}"
        yield f"efficiency, {counted(pairs, 'queue pair')}", f"{load.efficiency:.0%}", how
    reached = entropy(own, links)
    yield "paths between two NICs", f"{reached.paths:.2f}", reached.reason
    pinned = entropy(own, links, pinned=True)
    yield "paths with one source port", f"{pinned.paths:.0f}", pinned.reason
    sprayed = spray(senders, links, SPRAYED_PACKETS)
    how = f"{SPRAYED_PACKETS} packets of each NIC on random links; {sprayed.needs[0]}"
    yield "efficiency, packet spraying", f"{sprayed.efficiency:.0%}", how
    for target in (LEAST_EFFICIENCY, TARGET):
        advice = advise_queue_pairs(senders, links, target, ratio)
        yield (
            f"advice for {target:.0%}",
            counted(advice.queue_pairs, "queue pair"),
            advice.reason,
        )


def _bisection(designs: Designs, kind: Ints, gbps: int) -> tuple[str, object, str]:
    senders, links, percent = (int(value) for value in kind)
    pairs = designs.intent.fabric.host.nccl_queue_pairs
    load = spread(senders, links, pairs, percent / 100)
    left = bisection_bps(gbps_to_bps(gbps), 1 / links, load.efficiency)
    value = f"{left / gbps_to_bps(1):,.0f} of {gbps:,} Gb/s"
    return "uplinks of a leaf, one failed", value, f"with {counted(pairs, 'queue pair')}"


def _fabric(designs: Designs) -> Iterator[tuple[str, object, str]]:
    file, hosts = designs.intent.fabric, designs.fabric.hosts
    if file.design == "rail-optimised":
        share = rail_spine_share(file.rails)
        yield "traffic over spines", f"{share:.0%}", "all-to-all inside a unit, no relay in a host"
        relayed = relayed_spine_share()
        yield "traffic over spines, relayed", f"{relayed:.0%}", "over NVLink to the right rail"
    elif len(hosts) > 1 and len(designs.fabric.uplinks):
        per_leaf = int(np.bincount(hosts.unit).max())
        share = classic_spine_share(len(hosts), per_leaf)
        yield (
            "traffic over spines",
            f"{share:.0%}",
            f"all-to-all, {counted(per_leaf, 'host')} on a leaf",
        )
