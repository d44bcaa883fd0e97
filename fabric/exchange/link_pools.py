"""Pools of cables between switches that give them the addresses of the source."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import IPv4Interface, IPv4Network
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import Cable, Device, Plant

#: Lower and upper tier of cables, the field of their pool, and that of the links of a lower switch.
_TIERS = (
    ("leaf", "spine", "uplinks", "uplinks_per_leaf"),
    ("spine", "super-spine", "core_links", "core_links_per_spine"),
)
#: Of `fabric.intent.addressing_model.Addressing`: the most links of a switch.
_MOST_LINKS = 1024
_BITS = 32
#: Pools of ``addressing`` that those of links must not overlap.
_OTHERS = ("loopbacks", "hosts", "routed_hosts")
_ROLES = ("leaf", "spine", "super-spine")


def link_pools(plant: Plant, section: Mapping[str, Any], *, of_user: bool) -> dict[str, Any]:
    """Return the fields of ``addressing`` for cables between switches that differ from a section.

    Links are numbered by switch of the lower tier, each with the same number of them; without such
    a numbering the pool is around them. The section stays where the user gave it and its pool
    holds all links, and where the pool would overlap with others.
    """
    result: dict[str, Any] = {}
    taken = [IPv4Network(str(section[name])) for name in _OTHERS if section.get(name)]
    for lower, upper, field, room in _TIERS:
        links = _links(plant, lower, upper)
        numbers = {number for own in links for number in own}
        own = section.get(field) if of_user else None
        is_held = own and all(2 * one in _numbers_of(str(own)) for one in numbers)
        if numbers and not is_held:
            pool, count = numbering(links)
            if not any(pool.overlaps(other) for other in taken):
                taken.append(pool)
                result |= {field: str(pool), room: count}
    return result


def _numbers_of(pool: str) -> range:
    network = IPv4Network(pool)
    return range(int(network[0]), int(network[-1]) + 1)


def _links(plant: Plant, lower: str, upper: str) -> list[list[int]]:
    """Return the numbers of the /31 of each switch of a tier, in the order of the inventory."""
    role = {one.name: one.role for one in plant.switches}
    links: dict[str, list[int]] = defaultdict(list)
    for cable in plant.cables:
        ends = {role.get(end[0], ""): end[0] for end in (cable.near, cable.far)}
        address = cable.near_address or cable.far_address
        if ends.keys() == {lower, upper} and address:
            links[ends[lower]].append(int(IPv4Interface(address).ip) // 2)
    return [links[one.name] for one in in_order(plant) if one.role == lower]


def in_order_of_links(plant: Plant) -> tuple[Cable, ...]:
    """Return the cables in natural order, those between switches by address.

    Explicit cables take the links of their lower switch in the order of the file.
    """
    return tuple(sorted(plant.canonical().cables, key=lambda cable: _address(plant, cable)))


def _address(plant: Plant, cable: Cable) -> int:
    """Return the address of a cable between switches; 0 for others."""
    text = cable.near_address or cable.far_address
    has_nic = cable.near in plant.nic or cable.far in plant.nic
    return int(IPv4Interface(text).ip) if text and not has_nic else 0


def in_order(plant: Plant) -> list[Device]:
    """Return the switches as the inventory lists them: leaves by unit and rail, then spines.

    A leaf without a rail comes last in its unit: it serves the rails that no other leaf serves.
    """
    rank = {
        unit: place for place, unit in enumerate(dict.fromkeys(host.unit for host in plant.hosts))
    }

    def order(item: Device) -> tuple[int, int, bool, int]:
        unit = rank.get(item.unit, len(rank))
        return _ROLES.index(item.role), unit, item.rail is None, item.rail or 0

    return sorted(plant.switches, key=order)


def numbering(links: list[list[int]]) -> tuple[IPv4Network, int]:
    """Return the pool that starts with the links of the first switch, and the links of each.

    Without one it is the smallest network around all links.
    """
    most, numbers = max(map(len, links)), [number for own in links for number in own]
    starts = {place: min(own) for place, own in enumerate(links) if own}
    for count in _counts(starts, most):
        first = Counter(low - place * count for place, low in starts.items()).most_common(1)[0][0]
        bits = (2 * count * len(links) - 1).bit_length()
        held = range(first, first + (1 << bits - 1))
        if first >= 0 and not 2 * first % (1 << bits) and all(one in held for one in numbers):
            return IPv4Network((2 * first, _BITS - bits)), count
    around = (min(numbers) ^ max(numbers)).bit_length() + 1
    bits = max(around, (2 * most * len(links) - 1).bit_length())
    return IPv4Network((2 * min(numbers) >> bits << bits, _BITS - bits)), most


def _counts(starts: Mapping[int, int], most: int) -> Iterator[int]:
    """Yield numbers of links that a switch may have: what lies between most of them first."""
    steps = Counter(
        (high - low) // (place - before)
        for (before, low), (place, high) in pairwise(starts.items())
    )
    for count, _ in steps.most_common():
        if most <= count <= _MOST_LINKS:
            yield count
    yield 1 << (most - 1).bit_length()
