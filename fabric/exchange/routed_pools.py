"""Pools of routed NIC ports, and ports of leaves, that give a source its subnets rail by rail."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import IPv4Network
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fabric.exchange.nic_subnets import is_single, subnets_of
from fabric.exchange.routed_units import routed_units
from fabric.topology.routed import BITS, part_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from fabric.exchange.plant import Plant
    from fabric.platforms.model import Sku

#: A pool is cut with room for as many NICs as a leaf may have: no leaf has more.
MOST_PORTS = 128
#: Bits of the hosts of the largest private network (RFC 1918).
LARGEST = 24


def pool_of_rails(plant: Plant, parts: Mapping[IPv4Network, int], base: object) -> str:
    """Return the pool that has subnets rail by rail; empty where none has.

    It is the base, else the smallest one with room for the NICs that leaves may have, else the
    largest one.

    Parameters
    ----------
    parts : mapping
        Number of plane and rail of each subnet; these have one length.
    """
    own = [IPv4Network(str(base))] if base else []
    fitting = [pool for pool in (*own, *_around(parts)) if not _outside(plant, parts, pool)]
    least = room(plant) * next(iter(parts)).num_addresses
    enough = (pool for pool in fitting if pool in own or pool.num_addresses >= least)
    return str(next(enough, fitting[-1])) if fitting else ""


def room(plant: Plant) -> int:
    """Return how many subnets a pool of routed NIC ports is to be cut into."""
    planes, rails = planes_and_rails(plant)
    leaves = sum(switch.role == "leaf" for switch in plant.switches)
    return planes * (1 << (rails - 1).bit_length()) * leaves * MOST_PORTS


def _around(networks: Collection[IPv4Network]) -> Iterator[IPv4Network]:
    """Yield the pools that hold networks, from the smallest."""
    low = min(int(network.network_address) for network in networks)
    high = max(int(network.broadcast_address) for network in networks)
    for bits in range((low ^ high).bit_length(), LARGEST + 1):
        yield IPv4Network((low >> bits << bits, BITS - bits))


def _outside(plant: Plant, parts: Mapping[IPv4Network, int], pool: IPv4Network) -> int:
    """Return how many subnets are not in the part of a pool that is that of their rail."""
    size = part_size(pool.num_addresses, *planes_and_rails(plant))
    first = int(pool.network_address)
    return sum(
        size < 1 or (int(network.network_address) - first) // size != part
        for network, part in parts.items()
    )


def outside_rails(plant: Plant, section: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield that routed NIC ports are outside their rail in ``addressing``, and what to do."""
    parts = {network: part for (_, network), part in parts_by_rail(plant).items()}
    pool = section.get("routed_hosts") or section.get("hosts")
    count = _outside(plant, parts, IPv4Network(str(pool))) if parts and pool else 0
    if count:
        message = (
            f"subnets of NICs on routed ports are outside the part of {pool} that their rail has "
            f"({count:,} of {len(parts):,}): no pool has all of them rail by rail"
        )
        fix = "see docs/addressing.md, Other fabrics; `rocefab check` names each subnet (ADR009)"
        yield message, fix


def parts_by_rail(plant: Plant) -> dict[tuple[str, IPv4Network], int]:
    """Return the leaf and subnet of routed NIC ports, with the number of plane and rail of each."""
    routed, single = routed_units(plant), is_single(plant)
    _, rails = planes_and_rails(plant)
    parts = {}
    for place, values in subnets_of(plant, plant, single=single).items():
        if "network" in values and place.unit in routed:
            plane = plant.device[place.leaf].plane or 0
            part = (plane << (rails - 1).bit_length()) + place.rail
            parts[place.leaf, IPv4Network(values["network"])] = part
    return parts


def planes_and_rails(plant: Plant) -> tuple[int, int]:
    """Return how many planes the leaves are in, and how many rails the NICs."""
    planes = {switch.plane for switch in plant.switches if switch.role == "leaf"}
    return len(planes) or 1, max((nic.rail or 0 for nic in plant.nics), default=0) + 1


def host_ports(plant: Plant, models: Mapping[str, Sku], section: Mapping[str, Any]) -> int | None:
    """Return the ports for hosts of leaves, where half of their ports are too few, or too many.

    A leaf has a subnet for each of these ports where each NIC has one alone, and the pool in
    ``section``, which is ``addressing``, may have no room for half of the ports.
    """
    if not (routed_units(plant) or is_single(plant)):
        return None
    hosts = max(Counter(host.unit for host in plant.hosts).values(), default=0)
    leaves = [switch.name for switch in plant.switches if switch.role == "leaf"]
    ports = min((len(models[name].port_numbers()) for name in leaves if name in models), default=0)
    usual = max(ports // 2, 1)
    spaced = _spacing(plant) or _ports_in_pool(plant, section)
    if hosts <= min(spaced, ports) and _power(min(spaced, ports)) != _power(usual):
        return min(spaced, ports)
    return hosts if usual < hosts <= ports else None


def _power(count: int) -> int:
    """Return the power of two that so many subnets of a leaf take."""
    return 1 << (count - 1).bit_length()


def _spacing(plant: Plant) -> int:
    """Return how many subnets are between routed leaves of a rail; 0 where none has two."""
    firsts: dict[int, dict[str, IPv4Network]] = defaultdict(dict)
    for (leaf, network), part in parts_by_rail(plant).items():
        firsts[part][leaf] = min(network, firsts[part].get(leaf, network))
    counts: Counter[int] = Counter()
    for mine in firsts.values():
        for one, other in pairwise(sorted(mine.values())):
            apart = int(other.network_address) - int(one.network_address)
            counts[apart // one.num_addresses] += 1
    usual = counts.most_common(1)[0][0] if counts else 0
    return 1 << usual.bit_length() - 1 if usual else 0


def _ports_in_pool(plant: Plant, section: Mapping[str, Any]) -> int:
    """Return for how many routed NIC ports of a leaf and rail a pool has room; 0 without one."""
    parts, pool = parts_by_rail(plant), section.get("routed_hosts") or section.get("hosts")
    if not (parts and pool):
        return 0
    leaves = Counter(part for part, _ in {(part, leaf) for (leaf, _), part in parts.items()})
    size = part_size(IPv4Network(str(pool)).num_addresses, *planes_and_rails(plant))
    subnets = size // next(iter(parts))[1].num_addresses // max(leaves.values())
    return 1 << subnets.bit_length() - 1 if subnets else 0
