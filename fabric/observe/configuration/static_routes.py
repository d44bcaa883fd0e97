"""Static routes as a configuration says them."""

from __future__ import annotations

from typing import NamedTuple


class Discard(NamedTuple):
    """Next hop of a static route that drops what it matches."""


class StaticRoute(NamedTuple):
    """A static route; ``next_hop`` is an address as a number, the name of a port, or a discard.

    ``egress`` is the VRF in which the next hop is; None where a line names none.
    """

    network: int
    prefix_length: int
    next_hop: int | str | Discard
    line: int
    is_ipv6: bool = False
    egress: str | None = None
