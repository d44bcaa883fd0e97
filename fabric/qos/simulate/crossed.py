"""The ports that the packets of a stream may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.qos.simulate.scenario import Scenario


def crossed(scenario: Scenario) -> tuple[frozenset[int], ...]:
    """Return the egress ports of each stream: its path, or all that switches may choose."""
    if not scenario.routes:
        return tuple(frozenset(stream.path) for stream in scenario.streams)
    return tuple(
        _reachable(scenario, stream.path[0], stream.path[-1]) for stream in scenario.streams
    )


def _reachable(scenario: Scenario, first: int, last: int) -> frozenset[int]:
    passed, rest = {first}, [first]
    while rest:
        node = _far_node(scenario, rest.pop())
        new = {*scenario.routes.get((last, node), ())} - passed
        passed |= new
        rest += new
    return frozenset(passed)


def _far_node(scenario: Scenario, port: int) -> int:
    cable = scenario.cables[port // 2]
    return cable.near.node if port % 2 else cable.far.node


def distances(scenario: Scenario) -> tuple[int, ...]:
    """Return how many cables each node is away from the next host: 0 a host, 1 a leaf, 2 a spine.

    A switch that no host reaches has 0 as well.
    """
    away = {node: 0 for node, shared in enumerate(scenario.shared_bytes) if shared is None}
    ends = [(cable.near.node, cable.far.node) for cable in scenario.cables]
    ends += [(far, near) for near, far in ends]
    tier = 0
    while reached := {far for near, far in ends if away.get(near) == tier and far not in away}:
        tier += 1
        away |= dict.fromkeys(reached, tier)
    return tuple(away.get(node, 0) for node in range(len(scenario.shared_bytes)))
