"""Pools, subnets of leaves and addresses of cables as the source has them."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any

from fabric.exchange.link_pools import link_pools
from fabric.exchange.nic_subnets import is_single, subnets_of, without_subnet
from fabric.exchange.routed_pools import (
    LARGEST,
    MOST_PORTS,
    parts_by_rail,
    planes_and_rails,
    pool_of_rails,
    room,
)
from fabric.exchange.routed_units import routed_units
from fabric.exchange.source_ipv6 import ipv6_plan, pair_of_ipv6
from fabric.intent.scalars import LINK_LENGTHS
from fabric.topology.model import other_end
from fabric.topology.routed import OF_VLANS, PAIR

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from fabric.exchange.plant import Cable, Plant

#: Limits of `fabric.intent.model.Addressing.host_prefix_length`.
_LENGTHS = range(8, 31)
#: Loopbacks are numbered from parts of their pool: leaves from its half, super-spines its quarter.
_PARTS = 4
_FEWEST_LOOPBACKS = 256
#: Fields of routed NIC ports: none of them is of the source where no unit has such.
_OF_ROUTED = frozenset({"routed_hosts", "routed_prefix_length", "advertise", "ipv6"})
#: Fields of IPv4, which NICs with IPv6 alone do not have.
_OF_IPV4 = frozenset({"hosts", *OF_VLANS})


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
    routed, single = routed_units(plant), is_single(plant)
    section = dict(base)
    parts = {network: part for (_, network), part in parts_by_rail(plant).items()}
    networks = {
        IPv4Network(values["network"])
        for place, values in subnets_of(plant, plant, single=single).items()
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
        count = max(len(usual) + len(parts), _designed(plant, single=single))
        own = section.get("hosts") if of_user else None
        section["hosts"] = _pool(usual, own, count) or section.get("hosts")
        if _overlap(section):
            section["hosts"] = _pool(usual, None, count)
    loopbacks = [IPv4Network(one.loopback) for one in plant.switches if one.loopback]
    if loopbacks:
        need = max(_PARTS * len(plant.switches), _FEWEST_LOOPBACKS)
        own = section.get("loopbacks") if of_user else None
        section["loopbacks"] = _pool(loopbacks, own, need) or section.get("loopbacks")
    return section | link_pools(plant, section, of_user=of_user)


def _designed(plant: Plant, *, single: bool) -> int:
    """Return how many subnets of VLANs a design with these leaves has, where some are untold."""
    if not without_subnet(plant):
        return 0
    planes, rails = planes_and_rails(plant)
    subnets: Counter[int] = Counter()
    for leaf in (one for one in plant.switches if one.role == "leaf"):
        subnets[leaf.plane or 0] += rails if leaf.rail is None else 1
    return planes * max(subnets.values()) * (MOST_PORTS if single else 1)


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
    of_user = base.get(field) if is_routed else None
    rails = {network: parts[network] for network in usual}
    own = pool_of_rails(plant, rails, of_user) or _pool(usual, of_user, room(plant))
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


def _overlap(section: Mapping[str, Any]) -> bool:
    hosts, routed = (section.get(name) for name in ("hosts", "routed_hosts"))
    return bool(hosts and routed) and IPv4Network(str(hosts)).overlaps(IPv4Network(str(routed)))


def _pool(listed: Sequence[IPv4Network], base: object, count: int) -> object:
    """Return the base where it holds the networks, else the smallest one with room for so many."""
    if base and all(one.subnet_of(IPv4Network(str(base))) for one in listed):
        return str(base)
    low = min(int(one.network_address) for one in listed)
    high = max(int(one.broadcast_address) for one in listed)
    size = max((low ^ high).bit_length(), (count * listed[0].num_addresses - 1).bit_length())
    return base if size > LARGEST else str(IPv4Network((low >> size << size, 32 - size)))


def own_subnets(plant: Plant, realised: Plant) -> dict[str, list[dict[str, Any]]]:
    """Return the subnets of leaves that differ from those of the inventory, by leaf.

    Parameters
    ----------
    plant : Plant
        What the source says.
    realised : Plant
        The inventory that was made of it, with the subnets that follow from positions.
    """
    single = is_single(realised)
    source, ours = (
        subnets_of(plant, plant, single=single),
        subnets_of(realised, plant, single=single),
    )
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
