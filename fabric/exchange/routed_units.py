"""Units of a source whose NICs are on routed ports, and why others with such subnets are not."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any

from fabric.topology.routed import PAIR, SHORTEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import Cable, Plant


@dataclass(frozen=True, slots=True)
class _Port:
    """Subnet of a NIC, and what its leaf has for it."""

    network: IPv4Network
    vlan: int | None
    has_leaf: bool


def routed_units(plant: Plant) -> frozenset[str]:
    """Return the units whose NICs have each a subnet alone, on a leaf port without a VLAN.

    A subnet of more than two addresses may be that of a VLAN whose number the source does not
    tell: there the leaf port must have an address.
    """
    return frozenset(unit for unit, reason in _verdicts(plant).items() if not reason)


def has_routed(plant: Plant, addressing: Mapping[str, Any]) -> bool:
    """Tell whether NICs are on routed ports: all by the base, or some by the source."""
    return addressing.get("vlan_per") == "none" or bool(routed_units(plant))


def untaken(plant: Plant, addressing: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield why NICs are not imported on routed ports, and what to do."""
    for unit, reason in misfits(plant).items():
        message = f"NICs of the unit {unit} have a /31, but are not imported as routed ports: "
        fix = "give all NICs of the unit the same kind of port, and import again"
        yield message + reason, fix
    if "routed_hosts" in addressing and not has_routed(plant, addressing):
        message = "the base has routed NIC ports, but the source has no addresses of any"
        yield message, "set vlan_per: none for their units, and addressing.routed_hosts"


def misfits(plant: Plant) -> dict[str, str]:
    """Return why the NICs of units are not on routed ports, though some have a /31."""
    ports, verdicts = _ports(plant), _verdicts(plant)
    return {
        unit: reason
        for unit, reason in verdicts.items()
        if reason and any(port.network.prefixlen == PAIR for port in ports[unit])
    }


def _verdicts(plant: Plant) -> dict[str, str]:
    """Return for each unit with addresses of NICs why they are not on routed ports, or nothing."""
    ports = _ports(plant)
    counts = Counter(port.network for mine in ports.values() for port in mine)
    return {unit: _reason(mine, counts) for unit, mine in ports.items()}


def _reason(ports: list[_Port], counts: Counter[IPv4Network]) -> str:
    vlans = sum(port.vlan is not None for port in ports)
    if vlans:
        return f"{vlans} of {len(ports)} are in VLANs"
    lengths = sorted({port.network.prefixlen for port in ports})
    if len(lengths) > 1:
        return f"subnets are /{lengths[0]} and /{lengths[-1]}, and a unit has one length"
    if not SHORTEST <= lengths[0] <= PAIR:
        return f"subnets are /{lengths[0]}, and those of routed ports /{SHORTEST} to /{PAIR}"
    if any(counts[port.network] > 1 for port in ports):
        return "several NICs are in one subnet"
    if lengths[0] < PAIR and not all(port.has_leaf for port in ports):
        return "the addresses of leaf ports are not known"
    return ""


def _ports(plant: Plant) -> dict[str, list[_Port]]:
    ports: dict[str, list[_Port]] = defaultdict(list)
    for cable in plant.cables:
        host, address, leaf = _ends(plant, cable)
        if host and (address or leaf):
            network = IPv4Interface(address or leaf).network
            port = _Port(network, cable.vlan, bool(leaf) and IPv4Interface(leaf).network == network)
            ports[plant.device[host].unit].append(port)
    return ports


def _ends(plant: Plant, cable: Cable) -> tuple[str, str, str]:
    """Return the host of a cable, the address of its NIC, and that of its leaf port."""
    near, far = plant.nic.get(cable.near), plant.nic.get(cable.far)
    if near is not None:
        return near.host, near.address, cable.far_address
    return (far.host, far.address, cable.near_address) if far is not None else ("", "", "")
