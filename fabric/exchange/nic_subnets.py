"""Subnets of NICs as a source has them, each with the place that it belongs to."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, ip_interface
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.counts import noun
from fabric.exchange.routed_units import routed_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.exchange.plant import Cable, Nic, Plant


@dataclass(frozen=True)
class Place:
    """Where the subnet of a NIC belongs: leaf, rail, and with VLANs of single NICs its slot."""

    leaf: str
    unit: str
    rail: int
    slot: int | None


def is_single(plant: Plant) -> bool:
    """Tell whether each NIC has a subnet alone, though it shares its leaf with others.

    Those on routed ports have one anyway and do not count.
    """
    routed = routed_units(plant)
    shared: Counter[IPv4Network] = Counter()
    places: Counter[Place] = Counter()
    for cable in plant.cables:
        nic, leaf, gateway, _ = nic_end(plant, cable)
        if nic is None or plant.device[nic.host].unit in routed:
            continue
        if nic.address or gateway:
            shared[IPv4Interface(nic.address or gateway).network] += 1
            places[Place(leaf, "", nic.rail or 0, None)] += 1
    return max(places.values(), default=1) > 1 and max(shared.values()) == 1


def subnets_of(plant: Plant, slots: Plant, *, single: bool) -> dict[Place, dict[str, Any]]:
    """Return network, VLAN and gateway of each place, where more than half of its NICs agree."""
    slot_of: dict[str, int] = {}
    routed = routed_units(slots)
    sizes: Counter[str] = Counter()
    for host in slots.hosts:
        slot_of[host.name] = sizes[host.unit]
        sizes[host.unit] += 1
    counted: dict[Place, dict[str, Counter[Any]]] = defaultdict(lambda: defaultdict(Counter))
    for cable in plant.cables:
        nic, leaf, gateway, gateway6 = nic_end(plant, cable)
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


def without_subnet(plant: Plant) -> dict[tuple[str, int], frozenset[int]]:
    """Return leaf and rail of NICs whose subnet no address tells, with the VLANs of their ports.

    NICs on routed ports do not count, nor does a source without any address of NICs and gateways.
    """
    routed, known = routed_units(plant), set()
    vlans: dict[tuple[str, int], set[int]] = defaultdict(set)
    for cable in plant.cables:
        nic, leaf, gateway, _ = nic_end(plant, cable)
        if nic is None:
            continue
        place = leaf, nic.rail or 0
        if nic.address or gateway:
            known.add(place)
        if plant.device[nic.host].unit not in routed:
            vlans[place] |= {cable.vlan} if cable.vlan is not None else set()
    lacking = {place: frozenset(own) for place, own in vlans.items() if place not in known}
    return lacking if known else {}


def untold_subnets(plant: Plant) -> Iterator[tuple[str, str]]:
    """Yield which leaves have NICs without a subnet in the source, and what to do."""
    leaves: dict[frozenset[int], list[str]] = defaultdict(list)
    for (leaf, _), vlans in without_subnet(plant).items():
        leaves[vlans].append(leaf)
    for vlans, names in leaves.items():
        reason = "their ports are in no VLAN that the source has, and have no address"
        if vlans:
            numbers = ", ".join(map(str, sorted(vlans)))
            has = noun(len(vlans), "has", "have")
            reason = f"{noun(len(vlans), 'VLAN')} {numbers} {has} no gateway with an address there"
        on = hostlist.fold_inside({*names})
        message = f"NICs of {on} have no subnet in the source, and get one of the pool: {reason}"
        fix = "mend the switch and import again, or set `subnets` of the leaf in devices/*.yaml"
        yield message, fix


def _subnet(address: str, gateway: str, fields: tuple[str, str]) -> dict[str, Any]:
    """Return the subnet of a NIC and the address of its leaf in it, by field."""
    if not (address or gateway):
        return {}
    network = ip_interface(address or gateway).network
    values: dict[str, Any] = {fields[0]: str(network)}
    if gateway and ip_interface(gateway).ip in network:
        values[fields[1]] = str(ip_interface(gateway).ip)
    return values


def nic_end(plant: Plant, cable: Cable) -> tuple[Nic | None, str, str, str]:
    """Return the NIC of a cable, its leaf, and the gateways of it, of IPv4 and of IPv6."""
    near, far = plant.nic.get(cable.near), plant.nic.get(cable.far)
    if near is not None:
        return near, cable.far[0], cable.far_address, cable.far_ipv6
    return far, cable.near[0], cable.near_address, cable.near_ipv6
