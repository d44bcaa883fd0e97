"""The IPv6 plan of routed NIC ports as the source has it."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Interface, IPv6Network
from typing import TYPE_CHECKING, Any

from fabric.intent.scalars import PAIR6
from fabric.topology.ipv6 import HALF

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from fabric.exchange.plant import Cable, Plant

#: Bits of an IPv6 address, and what its subnets of NICs are assigned by, by their length.
_BITS = 128
_ASSIGNMENTS = {PAIR6: "static", HALF: "slaac"}


def ipv6_plan(
    plant: Plant, base: Mapping[str, Any] | None, units: Collection[str]
) -> dict[str, Any] | None:
    """Return ``addressing.ipv6`` whose pools hold the addresses; None where NICs have none.

    Parameters
    ----------
    units : collection of str
        Units whose NICs are on routed ports; IPv6 of others cannot be imported.
    base : mapping or None
        ``addressing.ipv6`` of the base, whose pools count where they hold all of them.
    """
    networks = set(_nic_networks(plant, units))
    lengths = {network.prefixlen for network in networks}
    if len(lengths) != 1 or not lengths <= _ASSIGNMENTS.keys():
        return None
    plan = {**(base or {}), "hosts": _pool(networks, (base or {}).get("hosts"))}
    plan["assignment"] = _ASSIGNMENTS[lengths.pop()]
    links = set(_link_networks(plant))
    if links:
        around = {link.supernet(new_prefix=HALF) for link in links}
        plan["uplinks"] = _pool(around, plan.get("uplinks"), inside=links)
    else:
        plan.pop("uplinks", None)
    return plan


def has_addresses_of_links(plant: Plant) -> bool:
    """Tell whether the source has an address of a cable between switches, of either family."""
    return any(
        any((*cable.addresses, *cable.ipv6))
        for cable in plant.cables
        if not {cable.near, cable.far} & plant.nic.keys()
    )


def pair_of_ipv6(cable: Cable) -> tuple[str, str] | None:
    """Return both addresses of a /127; None where they are unknown or of another length."""
    known = [(one, IPv6Interface(text)) for one, text in enumerate(cable.ipv6) if text]
    if not known or any(address.network.prefixlen != PAIR6 for _, address in known):
        return None
    first, address = known[0]
    other = IPv6Address(int(address.ip) ^ 1)
    if len(known) > 1 and known[1][1].ip != other:
        return None
    pair = [f"{address.ip}/{PAIR6}", f"{other}/{PAIR6}"]
    return (pair[first], pair[1 - first])


def _nic_networks(plant: Plant, units: Collection[str]) -> Iterator[IPv6Network]:
    for cable in plant.cables:
        nics = [plant.nic[end] for end in (cable.near, cable.far) if end in plant.nic]
        nics = [nic for nic in nics if plant.device[nic.host].unit in units]
        told = [*(nic.ipv6 for nic in nics), *(cable.ipv6 if nics else ())]
        yield from (IPv6Interface(text).network for text in told if text)


def _link_networks(plant: Plant) -> Iterator[IPv6Network]:
    for cable in plant.cables:
        if not {cable.near, cable.far} & plant.nic.keys():
            yield from (IPv6Interface(text).network for text in cable.ipv6 if text)


def _pool(networks: Iterable[IPv6Network], base: object, inside: Iterable[IPv6Network] = ()) -> str:
    """Return the base where it holds the networks, else the smallest one of whole /64."""
    listed = list(networks)
    if base and all(one.subnet_of(IPv6Network(str(base))) for one in inside or listed):
        return str(base)
    low = min(int(one.network_address) for one in listed)
    high = max(int(one.broadcast_address) for one in listed)
    size = max((low ^ high).bit_length(), HALF)
    return str(IPv6Network((low >> size << size, _BITS - size)))
