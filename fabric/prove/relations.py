"""Which VRFs have routes of which: by route targets, and by leaks on one switch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from fabric.observe.configuration.vrfs import ANY_AS, export_targets, import_targets
from fabric.prove.static_routes import egress
from fabric.prove.vrfs import DEFAULT, passing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.prove.vrfs import NicPlaces, VrfNodes
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools, Ints


class VrfKind(NamedTuple):
    """What decides on the EVPN routes of a VRF: VRFs of one kind are treated alike."""

    vni: int
    imports: frozenset[str]
    exports: frozenset[str]


@dataclass(frozen=True, eq=False)
class Relations:
    """Routes between VRFs.

    Parameters
    ----------
    lookup : sparse array of bool, shape (nodes, nodes)
        VRFs in which a packet of a VRF is looked up: itself, those that it leaks or that a static
        route leads into, and the default one where a lookup goes on there.
    exported : sparse array of bool, shape (nodes, nodes)
        VRFs whose networks the EVPN routes of a VRF lead to: itself, and those that it leaks.
    led : sparse array of bool, shape (nodes, nodes)
        VRFs that static routes of a VRF lead into, whether these announce anything or not.
    shared : sparse array of bool, shape (nodes, nodes)
        Other VRFs of the switch with the same VNI: a packet gets into either.
    kind : array of int, shape (nodes,)
        Kind of each VRF.
    imports, agrees : array of bool, shape (kinds, kinds)
        Whether VRFs of a kind take routes of another one; and whether their VNIs are the same.
    """

    lookup: sparse.csr_array
    exported: sparse.csr_array
    led: sparse.csr_array
    shared: sparse.csr_array
    kind: Ints
    imports: Bools
    agrees: Bools

    @classmethod
    def of(cls, network: Network, nodes: VrfNodes, places: NicPlaces) -> Relations:
        """Return the routes between the VRFs of all switches."""
        kinds, kind = _kinds(network, nodes)
        imports = _imports(kinds)
        vni = np.array([row.vni for row in kinds], dtype=np.int64)
        led = list(_led(nodes))
        leaks = [*_leaks(network, nodes, places), *led]
        more = [(row, other) for row, other, _ in leaks]
        out = [(row, other) for row, other, is_exported in leaks if is_exported]
        size = len(nodes)
        itself = [(row, row) for row in range(size)]
        return cls(
            table([*itself, *more], (size, size)),
            table([*itself, *out], (size, size)),
            table([(row, other) for row, other, _ in led], (size, size)),
            table(_shared(nodes), (size, size)),
            kind,
            imports,
            imports & (vni[:, None] == vni),
        )


def table(entries: Iterable[tuple[int, int]], shape: tuple[int, int]) -> sparse.csr_array:
    """Return a sparse table that is 1 at some entries."""
    pairs = np.array(sorted(set(entries)), dtype=np.int64).reshape(-1, 2)
    values = np.ones(len(pairs), dtype=np.float32)
    return sparse.csr_array((values, (pairs[:, 0], pairs[:, 1])), shape=shape)


def _kinds(network: Network, nodes: VrfNodes) -> tuple[list[VrfKind], Ints]:
    """Return the kinds of VRFs: VNI, targets, and whether it has EVPN routes at all."""
    numbers: dict[VrfKind, int] = {}
    kind = np.zeros(len(nodes), dtype=np.int64)
    for row, node in enumerate(nodes.items):
        bgp, vrf = network.switches[node.switch].bgp, node.vrf
        works = bool(bgp and vrf.vni and vrf.routes and vrf.name != DEFAULT)
        exports = export_targets(vrf, bgp.asn if bgp else 0) if works and vrf.advertises else ()
        imports = import_targets(vrf) if works else frozenset()
        key = VrfKind(vrf.vni, imports, frozenset(exports))
        kind[row] = numbers.setdefault(key, len(numbers))
    return list(numbers), kind


def _imports(kinds: list[VrfKind]) -> Bools:
    """Return which kinds take routes of which, shape (kinds, kinds)."""
    by_target, by_number = defaultdict(list), defaultdict(list)
    for column, (_, _, exports) in enumerate(kinds):
        for target in exports:
            by_target[target].append(column)
            by_number[target.partition(":")[2]].append(column)
    result = np.zeros((len(kinds), len(kinds)), dtype=np.bool_)
    for row, (_, imports, _) in enumerate(kinds):
        for target in imports:
            is_any = target.startswith(f"{ANY_AS}:")
            columns = by_number.get(target[2:], []) if is_any else by_target.get(target, [])
            result[row, columns] = True
    return result


def _leaks(network: Network, nodes: VrfNodes, places: NicPlaces) -> Iterator[tuple[int, int, bool]]:
    """Yield the VRFs that have routes of another one of their switch, and whether they export them.

    A policy that lets none of the networks through stops a leak; one that lets some through, none.
    """
    for row, node in enumerate(nodes.items):
        configured, vrf = network.switches[node.switch], node.vrf
        for line in vrf.leaks:
            other = nodes.index.get((node.switch, line.source))
            own = places.networks.get(other, []) if other is not None else []
            if other is None or other == row or _stops(network, node.switch, line.policy, own):
                continue
            stops = _stops(network, node.switch, vrf.export_policy, own)
            yield row, other, not stops
        if vrf.falls_through and configured.system:
            yield row, nodes.index[node.switch, DEFAULT], False


def _led(nodes: VrfNodes) -> Iterator[tuple[int, int, bool]]:
    """Yield the VRFs that static routes of a VRF lead into, and whether it announces these."""
    for row, node in enumerate(nodes.items):
        announces = any(line.kind == "static" for line in node.vrf.redistributions)
        for route in node.vrf.static_routes:
            into = egress(node.configured, route)
            other = row if into is None else nodes.index[node.switch, into]
            if other != row:
                yield row, other, announces


def _stops(network: Network, switch: str, policy: str, networks: list[tuple[int, int]]) -> bool:
    """Tell whether a policy lets none of some networks through."""
    if not policy or not networks:
        return False
    return not passing(network.switches[switch], policy, networks, "bgp").any()


def _shared(nodes: VrfNodes) -> Iterator[tuple[int, int]]:
    """Yield VRFs of one switch with one VNI, both ways."""
    owners: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row, node in enumerate(nodes.items):
        if node.vrf.vni:
            owners[node.switch, node.vrf.vni].append(row)
    for rows in owners.values():
        yield from ((one, other) for one in rows for other in rows if one != other)
