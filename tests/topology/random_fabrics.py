"""Random inventories with random damage, realised, and their paths written out one by one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fabric.topology.clos import Clos
from tests.topology.fabrics import fabric

if TYPE_CHECKING:
    from fabric.topology import Fabric

#: AS numbers of spines (and super-spines): those of the design, each its own, or two for all.
SPINES = ("design", "own spines", "own spines", "own", "two")
#: AS numbers of leaves: each its own, or one for some, or for all.
LEAVES = ("own", "own", "some", "one")
#: What a port may have: the last three change the lossless class of one end of a cable.
PORTS: tuple[dict[str, Any], ...] = (
    *({"enabled": False},) * 4,
    *({"cable_m": metres} for metres in (7, 60)),
    {"lossless": {"pfc_priority": 4}},
    {"lossless": {"roce_dscp": 30}},
    {"lossless": {"pfc": False}},
)
#: What a NIC may have.
NICS: tuple[dict[str, Any], ...] = (
    {"rail": 0, "enabled": False},
    {"rail": 0, "cable_m": 1},
    {"rail": 1, "cable_m": 30},
)


@st.composite
def fabrics(draw: st.DrawFn) -> Fabric:
    """Return a fabric of two or three tiers, perhaps with planes, with some of it damaged."""
    changes = draw(designs())
    built = fabric(**changes)
    devices: dict[str, dict[str, Any]] = {name: {} for name in built.switches.names}
    for row, asn in draw(numbers(built)).items():
        devices[built.switches.names[row]]["asn"] = asn
    up = built.uplinks
    for cable, upper, change in draw(damage(built)):
        row, port = (
            int((up.upper if upper else up.lower)[cable]),
            up.upper_port if upper else up.lower_port,
        )
        own = devices[built.switches.names[row]].setdefault("ports", {})
        own.setdefault(built.port_name(row, int(port[cable])), {}).update(change)
    nics = st.tuples(st.sampled_from(built.hosts.names), st.sampled_from(NICS))
    hosts = [{"names": name, "nics": [nic]} for name, nic in draw(st.lists(nics, max_size=3))]
    entries = [{"names": name, **value} for name, value in devices.items() if value]
    return fabric(
        json.dumps({"devices": entries}) if entries else "",
        json.dumps({"hosts": hosts}) if hosts else "",
        **changes,
    )


@st.composite
def designs(draw: st.DrawFn) -> dict[str, Any]:
    """Return changes of `fabrics.document`: units of odd sizes, pods, planes, parallel cables."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    pods = draw(st.integers(0, min(2, len(sizes))))
    design = draw(st.sampled_from(["classic-tor", "rail-optimised"]))
    spines = draw(st.sampled_from([1, 2, 2, 3, 3]))
    changes: dict[str, Any] = {
        "design": design,
        "units": [{"name": f"u{n}", "hosts": f"h{n}x[1-{size}]"} for n, size in enumerate(sizes)],
        "spines": {"count": spines, "links_per_leaf": draw(st.sampled_from([1, 1, 2]))},
        "bgp": {"allowas_in": draw(st.integers(0, 2))},
    }
    if pods:
        for number, unit in enumerate(changes["units"]):
            unit["pod"] = f"p{number * pods // len(sizes)}"
        cores = draw(st.integers(1, 3))
        changes["super_spines"] = {
            "count": cores,
            "groups": draw(st.integers(1, min(cores, spines))),
            "links_per_spine": draw(st.integers(1, 2)),
            "spines_per_pod": spines,
        }
        changes["platforms__super_spine"] = {"sku": "ACS-MSN4700"}
        changes["addressing__core_links"] = "10.253.0.0/16"
    elif design == "rail-optimised" and draw(st.booleans()):
        changes |= {"nic_ports": 2, "planes": 2}
    return changes


@st.composite
def numbers(draw: st.DrawFn, built: Fabric) -> dict[int, int]:
    """Return AS numbers that are not those of the design, by row of the switch."""
    leaves, tier = built.switches.leaf_count, built.switches.tier.tolist()
    low, high = draw(st.sampled_from(LEAVES)), draw(st.sampled_from(SPINES))
    sharing = draw(st.sets(st.integers(0, leaves - 1))) if low == "some" else range(leaves)
    asns = dict.fromkeys(sharing, 64800)
    above = {
        row: 65300 + row for row in range(leaves, len(tier)) if tier[row] == 1 or high == "own"
    }
    if high == "two":
        above = {row: 65300 + draw(st.integers(0, 1)) for row in above}
    return (asns if low != "own" else {}) | (above if high != "design" else {})


@st.composite
def damage(draw: st.DrawFn, built: Fabric) -> list[tuple[int, bool, dict[str, Any]]]:
    """Return changes of ports: the cable, whether of its upper end, and what changes.

    Some are anywhere, and some are alike on several switches, which stay twins with them.
    """
    anywhere = st.tuples(
        st.integers(0, len(built.uplinks) - 1), st.booleans(), st.sampled_from(PORTS)
    )
    changes = draw(st.lists(anywhere, max_size=3))
    place = st.tuples(st.integers(0, 5), st.sampled_from(PORTS))
    off = st.sets(st.integers(0, 2), min_size=1, max_size=2)
    patterns = [[(number, PORTS[0]) for number in sorted(draw(off))] for _ in range(2)]
    patterns += [[], draw(st.lists(place, max_size=3))]
    for row in range(len(built.switches)):
        mine = built.uplinks_of(row).tolist()
        pattern = draw(st.sampled_from(patterns)) if mine else []
        changes += [(mine[number % len(mine)], False, change) for number, change in pattern]
    return changes


@dataclass(frozen=True)
class Written:
    """Every path between two leaves that goes up, then down, and holds an AS number once.

    A leaf that allows its own AS number may be at both ends of such a path.
    """

    network: Clos

    @cached_property
    def above(self) -> dict[int, dict[int, list[int]]]:
        """Cables that are up, by lower and by upper switch."""
        links, above = self.network.cables, dict[int, dict[int, list[int]]]()
        for row, (low, high, up) in enumerate(
            zip(links.lower.tolist(), links.upper.tolist(), links.up.tolist(), strict=True)
        ):
            if up:
                above.setdefault(low, {}).setdefault(high, []).append(row)
        return above

    def climbs(self, leaf: int) -> list[tuple[int, ...]]:
        """Return all ways up from a leaf."""
        ways, result = [(leaf,)], []
        while ways:
            way = ways.pop()
            result.append(way)
            ways += [(*way, high) for high in self.above.get(way[-1], ())]
        return result

    @cached_property
    def paths(self) -> dict[tuple[int, int], list[tuple[int, ...]]]:
        """All paths by pair of leaves, the lower row first."""
        asn, free = self.network.asn.tolist(), 1 if self.network.allowas_in else 0
        climbs = [self.climbs(leaf) for leaf in range(self.network.leaves)]
        result = {}
        for one, other in combinations(range(self.network.leaves), 2):
            ways = [
                (*up, *reversed(down[:-1]))
                for up, down in product(climbs[one], climbs[other])
                if up[-1] == down[-1]
            ]
            held = [[asn[row] for row in way][free:] for way in ways]
            result[one, other] = [
                way for way, own in zip(ways, held, strict=True) if len({*own}) == len(own)
            ]
        return result

    @cached_property
    def reached(self) -> set[tuple[int, int]]:
        """Pairs of leaves that have a path."""
        return {pair for pair, paths in self.paths.items() if paths}

    def shortest(self, pair: tuple[int, int]) -> list[tuple[int, ...]]:
        """Return the paths of a pair that have the fewest hops."""
        paths = self.paths[pair]
        return [path for path in paths if len(path) == min(map(len, paths))]

    def hops(self, path: tuple[int, ...]) -> list[list[int]]:
        """Return the parallel cables of each hop of a path."""
        top = len(path) // 2
        return [
            self.above[near][far] if place < top else self.above[far][near]
            for place, (near, far) in enumerate(pairwise(path))
        ]
