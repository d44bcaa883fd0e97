"""Numbered rules of prefix lists, as several systems write them."""

from __future__ import annotations

from ipaddress import ip_network
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import HostPool

_HOST_ROUTE = 32


def prefix_rules(
    pools: Iterable[HostPool], *, loopbacks: str = "", tunnels: str = "", exact: str = "eq"
) -> tuple[tuple[int, str], ...]:
    """Return rules for subnets of NICs with their numbers.

    Parameters
    ----------
    loopbacks, tunnels : str
        Pools of loopbacks, with rules before and behind the others; may be empty.
    exact : str
        Word for a prefix of one length. It must go beyond the pool's own length, as ``ge`` must.
    """
    ranges = [
        (loopbacks, exact, _HOST_ROUTE),
        *((pool.network, "ge", pool.prefix_length) for pool in pools),
        (tunnels, exact, _HOST_ROUTE),
    ]
    rules = (
        pool if ip_network(pool).prefixlen >= length else f"{pool} {word} {length}"
        for pool, word, length in ranges
        if pool
    )
    return tuple(zip(count(10, 10), rules, strict=False))
