"""Static routes of VRFs: where they lead, and from which NICs they take packets away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.observe.configuration.model import BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import Configured, StaticRoute
    from fabric.prove.vrfs import NicPlaces, VrfNodes
    from fabric.topology.model import Bools


def egress(configured: Configured, route: StaticRoute) -> str | None:
    """Return the VRF that a static route leads into; None where a line names none."""
    if route.egress is not None or not isinstance(route.next_hop, str):
        return route.egress
    ports = {**configured.ports, **configured.management}
    return ports[route.next_hop].vrf if route.next_hop in ports else None


def leads_away(route: StaticRoute) -> bool:
    """Tell whether packets are dropped, or go to another network than that of the route."""
    hop, bits = route.next_hop, BITS - route.prefix_length
    return not isinstance(hop, int) or hop >> bits != route.network >> bits


def taken(route: StaticRoute, node: int, places: NicPlaces) -> Bools:
    """Return the NICs whose packets a static route of a VRF takes, shape (NIC ports,).

    The longest prefix wins; of two that are as long, a connected one, then a static one (RFC 1812
    section 5.2.4.3; distances of the systems).
    """
    bits = np.where(places.length < 0, 0, BITS - places.length)
    inside = (route.network >> bits) == (places.first >> bits)
    longer = route.prefix_length > places.length
    as_long = (route.prefix_length == places.length) & (places.node != node)
    return np.asarray(inside & (longer | as_long) & (places.length >= 0))


def taken_nics(nodes: VrfNodes, places: NicPlaces) -> Iterator[tuple[int, Bools]]:
    """Yield VRFs with static routes that take packets away, and the NICs that these are for."""
    for row, node in enumerate(nodes.items):
        routes = [route for route in node.vrf.static_routes if leads_away(route)]
        if routes:
            yield row, np.any([taken(route, row, places) for route in routes], axis=0)


def taking(nodes: VrfNodes, places: NicPlaces, node: int, nic: int) -> StaticRoute | None:
    """Return the static route of a VRF that takes the packets for a NIC; None without one."""
    routes = (route for route in nodes.items[node].vrf.static_routes if leads_away(route))
    return next((route for route in routes if taken(route, node, places)[nic]), None)
