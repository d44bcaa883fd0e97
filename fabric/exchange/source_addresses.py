"""Pools, subnets of leaves and addresses of cables as the source has them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, ip_interface
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fabric.exchange.routed_units import routed_units
from fabric.exchange.source_ipv6 import ipv6_plan, pair_of_ipv6
from fabric.intent.scalars import LINK_LENGTHS
from fabric.topology.model import other_end
from fabric.topology.routed import BITS, OF_VLANS, PAIR, part_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from fabric.exchange.plant import Cable, Nic, Plant
    from fabric.platforms.model import Sku

#: Limits of `fabric.intent.model.Addressing.host_prefix_length`.
_LENGTHS = range(8, 31)
#: Loopbacks are numbered from parts of their pool: leaves from its half, super-spines its quarter.
_PARTS = 4
_FEWEST_LOOPBACKS = 256
#: Fields of routed NIC ports: none of them is of the source where no unit has such.
_OF_ROUTED = frozenset({"routed_hosts", "routed_prefix_length", "advertise", "ipv6"})
#: Fields of IPv4, which NICs with IPv6 alone do not have.
_OF_IPV4 = frozenset({"hosts", *OF_VLANS})
#: A pool is cut with room for as many NICs as a leaf may have: no leaf has more.
_MOST_PORTS = 128
#: Bits of the hosts of the largest private network (RFC 1918).
_LARGEST = 24


@dataclass(frozen=True)
class Place:
    """Where the subnet of a NIC belongs: leaf, rail, and with VLANs of single NICs its slot."""

    leaf: str
    unit: str
    rail: int
    slot: int | None


def pools(plant: Plant, base: Mapping[str, Any], *, of_user: bool = True) -> dict[str, Any]:
    """Return ``addressing`` with pools that hold the addresses of the source.

    Parameters
    ----------
    base : mapping
        ``addressing`` of the base.
    of_user : bool
        Whether the user gave the base: its pools count where they hold all addresses. A default
        pool would announce, and route at the hosts, what is of others.
    """
    routed, single = routed_units(plant), _single(plant)
    section = dict(base)
    parts = {network: part for (_, network), part in _parts_by_rail(plant).items()}
    networks = {
        IPv4Network(values["network"])
        for place, values in _subnets(plant, plant, single=single).items()
        if "network" in values and place.unit not in routed
    }
    ipv6 = ipv6_plan(plant, base.get("ipv6"), routed)
    if parts or networks or ipv6:
        section = without_routed(section)
    if parts:
        section = _with_routed(plant, section, base, parts, alone=not networks)
    elif ipv6 and not networks:
        section = {key: value for key, value in section.items() if key not in _OF_IPV4}
        section |= {"vlan_per": "none", **_said(base, "advertise")}
    section |= {"ipv6": ipv6} if ipv6 else {}
    usual = _of_usual_length(networks)
    if usual and usual[0].prefixlen in _LENGTHS:
        section["host_prefix_length"] = usual[0].prefixlen
        if single:
            section["vlan_per"] = "nic"
        count = len(usual) + len(parts)
        own = section.get("hosts") if of_user else None
        section["hosts"] = _pool(usual, own, count) or section.get("hosts")
        if _overlap(section):
            section["hosts"] = _pool(usual, None, count)
    loopbacks = [IPv4Network(one.loopback) for one in plant.switches if one.loopback]
    if loopbacks:
        need = max(_PARTS * len(plant.switches), _FEWEST_LOOPBACKS)
        own = section.get("loopbacks") if of_user else None
        section["loopbacks"] = _pool(loopbacks, own, need) or section.get("loopbacks")
    return section


def without_routed(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``addressing`` without what is about routed NIC ports."""
    rest = {key: value for key, value in section.items() if key not in _OF_ROUTED}
    if rest.get("vlan_per") == "none":
        del rest["vlan_per"]
    return rest


def _with_routed(
    plant: Plant,
    section: dict[str, Any],
    base: Mapping[str, Any],
    parts: Mapping[IPv4Network, int],
    *,
    alone: bool,
) -> dict[str, Any]:
    """Return ``addressing`` with the pool of routed NIC ports, which is that of all NICs or not."""
    usual = _of_usual_length(parts)
    field = "hosts" if alone and not base.get("routed_hosts") else "routed_hosts"
    is_routed = base.get("vlan_per") == "none" or "routed_hosts" in base
    rails = {network: parts[network] for network in usual}
    own = _pool_of_rails(plant, rails, base.get(field) if is_routed else None)
    pool = {field: own or base.get(field)}
    if usual[0].prefixlen != PAIR:
        pool["routed_prefix_length"] = usual[0].prefixlen
    pool |= _said(base, "advertise")
    if not alone:
        return section | pool
    rest = {key: value for key, value in section.items() if key not in OF_VLANS}
    return {**rest, "vlan_per": "none", **pool}


def _said(base: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {field: base[field]} if field in base else {}


def _of_usual_length(networks: Collection[IPv4Network]) -> list[IPv4Network]:
    """Return the networks with the length that most of them have."""
    lengths = Counter(network.prefixlen for network in networks).most_common(1)
    return [network for network in networks if network.prefixlen == lengths[0][0]]


def _parts_by_rail(plant: Plant) -> dict[tuple[str, IPv4Network], int]:
    """Return the leaf and subnet of routed NIC ports, with the number of plane and rail of each."""
    routed, single = routed_units(plant), _single(plant)
    _, rails = _planes_and_rails(plant)
    parts = {}
    for place, values in _subnets(plant, plant, single=single).items():
        if "network" in values and place.unit in routed:
            plane = plant.device[place.leaf].plane or 0
            part = (plane << (rails - 1).bit_length()) + place.rail
            parts[place.leaf, IPv4Network(values["network"])] = part
    return parts


def _planes_and_rails(plant: Plant) -> tuple[int, int]:
    planes = {switch.plane for switch in plant.switches if switch.role == "leaf"}
    return len(planes) or 1, max((nic.rail or 0 for nic in plant.nics), default=0) + 1


def _pool_of_rails(plant: Plant, parts: Mapping[IPv4Network, int], base: object) -> object:
    """Return the pool that has the subnets rail by rail, if there is one.

    It is the base, else the smallest one with room for the NICs that leaves may have, else the
    largest one.
    """
    planes, rails = _planes_and_rails(plant)
    leaves = sum(switch.role == "leaf" for switch in plant.switches)
    room = planes * (1 << (rails - 1).bit_length()) * leaves * _MOST_PORTS
    own = [IPv4Network(str(base))] if base else []
    fitting = [pool for pool in (*own, *_around(parts)) if not _outside(plant, parts, pool)]
    if not fitting:
        return _pool([*parts], base, room)
    least = room * next(iter(parts)).num_addresses
    enough = (pool for pool in fitting if pool in own or pool.num_addresses >= least)
    return str(next(enough, fitting[-1]))


def _around(networks: Collection[IPv4Network]) -> Iterator[IPv4Network]:
    """Yield the pools that hold networks, from the smallest."""
    low = min(int(network.network_address) for network in networks)
    high = max(int(network.broadcast_address) for network in networks)
    for bits in range((low ^ high).bit_length(), _LARGEST + 1):
        yield IPv4Network((low >> bits << bits, BITS - bits))


def _outside(plant: Plant, parts: Mapping[IPv4Network, int], pool: IPv4Network) -> int:
    """Return how many subnets are not in the part of a pool that is that of their rail."""
    size = part_size(pool.num_addresses, *_planes_and_rails(plant))
    first = int(pool.network_address)
    return sum(
        size < 1 or (int(network.network_address) - first) // size != part
        for network, part in parts.items()
    )


def outside_rails(plant: Plant, section: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield that routed NIC ports are outside their rail in ``addressing``, and what to do."""
    parts = {network: part for (_, network), part in _parts_by_rail(plant).items()}
    pool = section.get("routed_hosts") or section.get("hosts")
    count = _outside(plant, parts, IPv4Network(str(pool))) if parts and pool else 0
    if count:
        message = (
            f"subnets of NICs on routed ports are outside the part of {pool} that their rail has "
            f"({count:,} of {len(parts):,}): no pool has all of them rail by rail"
        )
        fix = "see docs/addressing.md, Other fabrics; `rocefab check` names each subnet (ADR009)"
        yield message, fix


def host_ports(plant: Plant, models: Mapping[str, Sku], section: Mapping[str, Any]) -> int | None:
    """Return the ports for hosts of leaves, where half of their ports are too few, or too many.

    A leaf has a subnet for each of these ports where each NIC has one alone, and the pool in
    ``section``, which is ``addressing``, may have no room for half of the ports.
    """
    if not (routed_units(plant) or _single(plant)):
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
    for (leaf, network), part in _parts_by_rail(plant).items():
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
    parts, pool = _parts_by_rail(plant), section.get("routed_hosts") or section.get("hosts")
    if not (parts and pool):
        return 0
    leaves = Counter(part for part, _ in {(part, leaf) for (leaf, _), part in parts.items()})
    size = part_size(IPv4Network(str(pool)).num_addresses, *_planes_and_rails(plant))
    subnets = size // next(iter(parts))[1].num_addresses // max(leaves.values())
    return 1 << subnets.bit_length() - 1 if subnets else 0


def _overlap(section: Mapping[str, Any]) -> bool:
    hosts, routed = (section.get(name) for name in ("hosts", "routed_hosts"))
    return bool(hosts and routed) and IPv4Network(str(hosts)).overlaps(IPv4Network(str(routed)))


def _single(plant: Plant) -> bool:
    """Tell whether each NIC has a subnet alone, though it shares its leaf with others.

    Those on routed ports have one anyway and do not count.
    """
    routed = routed_units(plant)
    shared: Counter[IPv4Network] = Counter()
    places: Counter[Place] = Counter()
    for cable in plant.cables:
        nic, leaf, gateway, _ = _nic_end(plant, cable)
        if nic is None or plant.device[nic.host].unit in routed:
            continue
        if nic.address or gateway:
            shared[IPv4Interface(nic.address or gateway).network] += 1
            places[Place(leaf, "", nic.rail or 0, None)] += 1
    return max(places.values(), default=1) > 1 and max(shared.values()) == 1


def _pool(listed: Sequence[IPv4Network], base: object, count: int) -> object:
    """Return the base where it holds the networks, else the smallest one with room for so many."""
    if base and all(one.subnet_of(IPv4Network(str(base))) for one in listed):
        return str(base)
    low = min(int(one.network_address) for one in listed)
    high = max(int(one.broadcast_address) for one in listed)
    size = max((low ^ high).bit_length(), (count * listed[0].num_addresses - 1).bit_length())
    return base if size > _LARGEST else str(IPv4Network((low >> size << size, 32 - size)))


def own_subnets(plant: Plant, realised: Plant) -> dict[str, list[dict[str, Any]]]:
    """Return the subnets of leaves that differ from those of the inventory, by leaf.

    Parameters
    ----------
    plant : Plant
        What the source says.
    realised : Plant
        The inventory that was made of it, with the subnets that follow from positions.
    """
    single = _single(realised)
    source, ours = _subnets(plant, plant, single=single), _subnets(realised, plant, single=single)
    rail_of = {one.name: one.rail for one in plant.switches}
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for place, mine in source.items():
        now = ours.get(place, {})
        other = {key: value for key, value in mine.items() if value != now.get(key)}
        if "network" in other and "gateway" in mine:
            other["gateway"] = mine["gateway"]
        if other:
            rail = {"rail": place.rail} if rail_of.get(place.leaf) is None else {}
            slot = {} if place.slot is None else {"slot": place.slot}
            own[place.leaf].append({**rail, **slot, **other})
    return dict(own)


def _subnets(plant: Plant, slots: Plant, *, single: bool) -> dict[Place, dict[str, Any]]:
    """Return network, VLAN and gateway of each place, where more than half of its NICs agree."""
    slot_of: dict[str, int] = {}
    routed = routed_units(slots)
    sizes: Counter[str] = Counter()
    for host in slots.hosts:
        slot_of[host.name] = sizes[host.unit]
        sizes[host.unit] += 1
    counted: dict[Place, dict[str, Counter[Any]]] = defaultdict(lambda: defaultdict(Counter))
    for cable in plant.cables:
        nic, leaf, gateway, gateway6 = _nic_end(plant, cable)
        if nic is None:
            continue
        unit = slots.device[nic.host].unit
        slot = slot_of.get(nic.host) if single or unit in routed else None
        place = Place(leaf, unit, nic.rail or 0, slot)
        values = _subnet(nic.address, gateway, ("network", "gateway"))
        if values and cable.vlan is not None:
            values["vlan"] = cable.vlan
        if unit in routed:
            values |= _subnet(nic.ipv6, gateway6, ("ipv6", "ipv6_gateway"))
        for field, value in values.items():
            counted[place][field][value] += 1
    return {
        place: {
            key: value
            for key, counts in values.items()
            for value, count in counts.most_common(1)
            if 2 * count > counts.total()
        }
        for place, values in counted.items()
    }


def _subnet(address: str, gateway: str, fields: tuple[str, str]) -> dict[str, Any]:
    """Return the subnet of a NIC and the address of its leaf in it, by field."""
    if not (address or gateway):
        return {}
    network = ip_interface(address or gateway).network
    values: dict[str, Any] = {fields[0]: str(network)}
    if gateway and ip_interface(gateway).ip in network:
        values[fields[1]] = str(ip_interface(gateway).ip)
    return values


def _nic_end(plant: Plant, cable: Cable) -> tuple[Nic | None, str, str, str]:
    """Return the NIC of a cable, its leaf, and the gateways of it, of IPv4 and of IPv6."""
    near, far = plant.nic.get(cable.near), plant.nic.get(cable.far)
    if near is not None:
        return near, cable.far[0], cable.far_address, cable.far_ipv6
    return far, cable.near[0], cable.near_address, cable.near_ipv6


def own_links(plant: Plant, realised: Plant) -> dict[str, dict[str, dict[str, str]]]:
    """Return the addresses of cables between switches that differ, by switch, port and field."""
    planned = {(cable.near, cable.far): cable for cable in realised.cables}
    own: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for cable in plant.cables:
        now = planned.get((cable.near, cable.far))
        if now is None or cable.near in plant.nic or cable.far in plant.nic:
            continue
        address, ipv6, (name, port) = _pair(cable), pair_of_ipv6(cable), cable.near
        if address and now.addresses != address:
            own[name].setdefault(port, {})["address"] = address[0].removesuffix("/31")
        if ipv6 and now.ipv6 != ipv6:
            own[name].setdefault(port, {})["ipv6"] = ipv6[0].removesuffix("/127")
    return dict(own)


def _pair(cable: Cable) -> tuple[str, str] | None:
    """Return both addresses of a /31 or /30; None where they are unknown or of another length."""
    known = [(one, IPv4Interface(text)) for one, text in enumerate(cable.addresses) if text]
    lengths = {address.network.prefixlen for _, address in known}
    if len(lengths) != 1 or not lengths <= {*LINK_LENGTHS}:
        return None
    first, address = known[0]
    (length,) = lengths
    other = IPv4Address(other_end(int(address.ip), length))
    if len(known) > 1 and known[1][1].ip != other:
        return None
    pair = [f"{address.ip}/{length}", f"{other}/{length}"]
    return (pair[first], pair[1 - first])
