"""Which ports of a switch the design uses, and for what."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist

if TYPE_CHECKING:
    from fabric.intent.model import RolePlatform
    from fabric.platforms.model import Sku
    from fabric.topology.model import Ints


@lru_cache(maxsize=256)
def _usable(model: Sku, reserved: tuple[str, ...]) -> Ints:
    numbers = model.port_numbers()
    taken = {numbers.get(name) for text in reserved for name in hostlist.expand(text)}
    return np.array([number for number in numbers.values() if number not in taken], dtype=np.int64)


def usable_ports(platform: RolePlatform | None, model: Sku) -> Ints:
    """Return the port numbers that the design may use, ascending: all that are not reserved."""
    return _usable(model, platform.reserved_ports if platform else ())


def uplink_start(platform: RolePlatform, model: Sku) -> int:
    """Return how many usable ports of a leaf are kept for hosts; uplinks come after them."""
    return platform.host_ports or len(usable_ports(platform, model)) // 2


def core_start(platform: RolePlatform | None, model: Sku, *, cores: bool) -> int:
    """Return how many usable ports of a spine are kept for leaves; super-spines come after."""
    usable = len(usable_ports(platform, model))
    told = platform.down_ports if platform else None
    return told or (usable // 2 if cores else usable)


def nth_port(usable: Ints, index: Ints) -> Ints:
    """Return the usable port at each place; places beyond the last are counted on."""
    last = int(usable[-1]) if len(usable) else 0
    beyond = last + 1 + index - len(usable)
    if not len(usable):
        return beyond
    return np.where(index < len(usable), usable[np.minimum(index, len(usable) - 1)], beyond)
