"""show capacity, show paths: bandwidth, distance and equal paths of the network as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.units import s_to_us
from fabric.qos.path import Hop, round_trip_s
from fabric.report.table import Table
from fabric.topology.bandwidth import (
    Ratio,
    bisection,
    by_rail,
    by_tier,
    switch_gbps,
    unit_gbps,
    useful_uplinks,
)
from fabric.topology.clos import clos, failed
from fabric.topology.distance import diameter, longest_way
from fabric.topology.layout import pod_names
from fabric.topology.naming import hint
from fabric.topology.outages import outage
from fabric.topology.paths import Layers, Pairs, next_hop_counts, path_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.designs import Designs
    from fabric.topology.bandwidth import Cut
    from fabric.topology.clos import Clos
    from fabric.topology.model import Ints


class _Item(NamedTuple):
    """An item of ``show capacity``: as text, and as a number of a unit, if it is one.

    ``of`` is what the number is a part of.
    """

    item: str
    value: str
    how: str
    number: float | None
    unit: str
    of: int | None = None

    @property
    def members(self) -> dict[str, object]:
        """Return what JSON also has."""
        whole = {} if self.of is None else {"of": self.of}
        return {"number": self.number, "unit": self.unit, **whole}


_LEAF_HEADERS = ("leaf", "nic_gbps", "uplink_gbps", "ratio", "uplinks", "planned")
#: Unit of bandwidth, which is a part of that of NICs.
GBPS = "Gb/s"
#: Unit of what is carried below a tier for each Gb/s above it.
_RATIO = ":1"
_PATH_HEADERS = ("leaf", "peer", "pairs", "hops", "paths", "spines", "uplinks")


def capacity(designs: Designs, words: Sequence[str] = ()) -> Table:
    """Return what the network carries without what is switched off, and what the words name.

    Raises
    ------
    InputError
        When a word names nothing (see `fabric.topology.outages.outage`).
    """
    network = failed(clos(designs.fabric), outage(designs.fabric, words))
    layers = Layers.of(network)
    rows = [
        *_oversubscription(designs, network),
        *_bandwidth(designs, network, layers),
        *_distance(designs, network, layers),
    ]
    members = tuple(row.members for row in rows)
    return Table(("item", "value", "how"), tuple(row[:3] for row in rows), members=members)


def leaves(designs: Designs, words: Sequence[str] = ()) -> Table:
    """Return, for each leaf, bandwidth, over-subscription and uplinks of use.

    Raises
    ------
    InputError
        When a word names nothing.
    """
    network = failed(clos(designs.fabric), outage(designs.fabric, words))
    below, above = switch_gbps(network)
    first = network.cables.lower[useful_uplinks(network, Layers.of(network))]
    used = np.bincount(first, minlength=network.leaves)
    planned = np.bincount(network.cables.lower, minlength=network.leaves)
    rows = []
    for row, name in enumerate(designs.fabric.switches.names[: network.leaves]):
        ratio = Ratio(int(below[row]), int(above[row]))
        how = _ratio(ratio)[0]
        rows.append((name, ratio.down_gbps, ratio.up_gbps, how, int(used[row]), int(planned[row])))
    return Table(_LEAF_HEADERS, tuple(rows))


def _ratio(ratio: Ratio) -> tuple[str, str]:
    value = ratio.oversubscription
    how = f"{ratio.down_gbps:,} Gb/s down, {ratio.up_gbps:,} Gb/s up"
    return "no uplinks" if value is None else f"{value:.2f}:1", how


def _oversubscription(designs: Designs, network: Clos) -> Iterator[_Item]:
    switches = designs.fabric.switches
    for tier, ratio in enumerate(by_tier(network)):
        role = switches.role(int(network.rows(tier)[0]))
        yield _Item(
            f"oversubscription, {role} tier", *_ratio(ratio), ratio.oversubscription, _RATIO
        )
    alike: dict[tuple[str, str, float | None], list[int]] = {}
    for rail, ratio in by_rail(network).items():
        alike.setdefault((*_ratio(ratio), ratio.oversubscription), []).append(rail)
    for ratios, rails in alike.items():
        yield _Item(f"oversubscription, rail {_ranges(rails)}", *ratios, _RATIO)
    below, above = switch_gbps(network)
    leaves = np.arange(network.leaves)
    known = leaves[above[leaves] > 0]
    if len(known):
        worst = int(known[np.argmax(below[known] / above[known])])
        times = float(below[worst] / above[worst])
        name = switches.names[worst]
        yield _Item("oversubscription, worst leaf", f"{times:.2f}:1", name, times, _RATIO)


def _ranges(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    whole = numbers == list(range(first, last + 1))
    return f"{first}-{last}" if whole and last > first else ",".join(map(str, numbers))


def _bandwidth(designs: Designs, network: Clos, layers: Layers) -> Iterator[_Item]:
    planned = int((network.tier[network.cables.lower] == 0).sum())
    used = int(useful_uplinks(network, layers).sum())
    how = "up, and leading to another leaf"
    yield _Item("uplinks in use", f"{used:,} of {planned:,}", how, used, "uplinks", planned)
    units = designs.intent.fabric.units
    nics, uplinks = unit_gbps(network, layers)
    least = int(uplinks.argmin())
    how = f"{units[least].name}, with {nics[least]:,} Gb/s of NICs"
    left = int(uplinks[least])
    of = int(nics[least])
    yield _Item("uplinks of the weakest unit", f"{left:,} {GBPS}", how, left, GBPS, of)
    cut = bisection(network)
    below = min(int(switch_gbps(network)[0][side].sum()) for side in cut.sides)
    how = f"minimum cut between {_sides(designs, cut)}; NICs of the smaller side: {below:,} Gb/s"
    yield _Item("bisection, one way", f"{cut.gbps:,} {GBPS}", how, cut.gbps, GBPS, below)


def _sides(designs: Designs, cut: Cut) -> str:
    """Return the two sides of a cut in words."""
    file = designs.intent.fabric
    units, pods = file.units, pod_names(file)
    if cut.pod >= 0:
        if len(pods) == 2:  # noqa: PLR2004 - one pod and another
            return f"the pods {' and '.join(pods)}"
        return f"the pod {pods[cut.pod]} and the others"
    if len(units) > 1:
        names, half = [unit.name for unit in units], len(units) // 2
        return f"the units {_from_to(names[:half])} and {_from_to(names[half:])}"
    return "the first half of the leaves and the others"


def _from_to(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _distance(designs: Designs, network: Clos, layers: Layers) -> Iterator[_Item]:
    pairs = Pairs.of(layers)
    joined = pairs.layers.reach[pairs.place]
    with_path = int(pairs.count[joined].sum())
    every = int(pairs.count.sum())
    text = f"{with_path:,} of {every:,}"
    yield _Item("leaf pairs with a path", text, "", with_path, "pairs", every)
    if with_path:
        counts = path_counts(pairs.layers)[pairs.place][joined]
        fewest, most = counts.min(), counts.max()
        value = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        how = "parallel cables count; `rocefab show paths`"
        yield _Item("equal paths of a leaf pair", value, how, int(fewest), "paths")
    hops = diameter(pairs.layers)
    how = f"between leaves; {hops + 2} between hosts"
    yield _Item("diameter", counted(hops, "cable"), how, hops, "cables")
    yield _mtu(designs)
    way = longest_way(network)
    if way is not None:
        names = designs.fabric.switches.names
        how = f"{' + '.join(str(metres) for _, metres in way.cables)} m"
        ends = f"{names[way.leaf]} to {names[way.other]}" if way.leaf != way.other else "one leaf"
        yield _Item("longest cable path", f"{way.cable_m:,} m", f"{how}, {ends}", way.cable_m, "m")
        trip = round_trip_s(tuple(Hop(gbps, metres) for gbps, metres in way.cables))
        how = "idle; a 4,096-byte message and its reply, 1 us per hop"
        trip_us = s_to_us(trip)
        yield _Item("round trip of that path", f"{trip_us:.2f} us", how, trip_us, "us")


def _mtu(designs: Designs) -> _Item:
    from fabric.validate.ends import pairs

    ends = pairs(designs.fabric, designs.resolver)
    hosts = [pair.left.policy.mtu.host_bytes for pair in ends if pair.kind == "host"]
    ports = [pair.right.policy.mtu.port_bytes for pair in ends]
    ports += [pair.left.policy.mtu.port_bytes for pair in ends if pair.kind == "uplink"]
    if not hosts:
        return _Item("path MTU", "-", "no NIC is connected", None, "bytes")
    least_bytes = min(*hosts, *ports)
    how = f"longest IP packet; hosts {min(hosts):,}, switch ports {min(ports):,}"
    return _Item("path MTU", f"{least_bytes:,} bytes", how, least_bytes, "bytes")


def paths(designs: Designs, leaf: str = "", words: Sequence[str] = ()) -> Table:
    """Return hops, shortest paths, and the switches and uplinks that carry them, between leaves.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    leaf : str
        Show this leaf with each other one; else pairs of leaves that are alike are counted, with
        one of them by name.
    words : sequence of str
        What is down: see `fabric.topology.outages.outage`.

    Raises
    ------
    InputError
        When there is no such leaf, or a word names nothing.
    """
    fabric = designs.fabric
    network = failed(clos(fabric), outage(fabric, words))
    layers = Layers.of(network)
    names = fabric.switches.names[: network.leaves]
    if not leaf:
        return Table(_PATH_HEADERS, tuple(_kinds(Pairs.of(layers), names)))
    if leaf not in names:
        finding = Finding(
            "TOP005", Severity.ERROR, f"leaf {leaf!r} does not exist", hint("leaf", leaf, names)
        )
        raise InputError("cannot show paths", [finding])
    own, table = names.index(leaf), _between(layers)
    rows = (
        (leaf, peer, 1, *table[:, own, row].tolist())
        for row, peer in enumerate(names)
        if row != own
    )
    return Table(_PATH_HEADERS, tuple(rows))


def _between(layers: Layers) -> Ints:
    """Return hops, paths, and spines and uplinks in use, shape (4, leaves, leaves)."""
    hops = next_hop_counts(layers)
    return np.stack([2 * layers.turn_tier, path_counts(layers), *hops])


def _kinds(pairs: Pairs, names: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    table = _between(pairs.layers)[:, *pairs.place].T
    kinds, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    count = np.bincount(kind, weights=pairs.count).astype(np.int64)
    for row, place, alike in zip(kinds.tolist(), first.tolist(), count.tolist(), strict=True):
        yield names[pairs.leaf[place]], names[pairs.other[place]], alike, *row
