"""Units of a source whose NICs are on routed ports, and why others with such subnets are not."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_interface
from typing import TYPE_CHECKING, Any

from fabric.intent.scalars import PAIR6
from fabric.topology.ipv6 import HALF
from fabric.topology.routed import PAIR, SHORTEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from fabric.exchange.plant import Cable, Plant

#: Lengths of subnets of routed NIC ports, and that of two addresses, by version of IP.
_LENGTHS: dict[int, tuple[Collection[int], str]] = {
    4: (range(SHORTEST, PAIR + 1), f"/{SHORTEST} to /{PAIR}"),
    6: ((HALF, PAIR6), f"/{HALF} or /{PAIR6}"),
}
_PAIRS = {4: PAIR, 6: PAIR6}


@dataclass(frozen=True, slots=True)
class _Port:
    """Subnet of a NIC, of IPv6 where it has no other, and what its leaf has for it."""

    network: IPv4Network | IPv6Network
    vlan: int | None
    has_leaf: bool

    @property
    def is_pair(self) -> bool:
        """Whether it has two addresses."""
        return self.network.prefixlen == _PAIRS[self.network.version]


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
        message = f"NICs of the unit {unit} have a /31 or IPv6, but not as routed ports: "
        fix = "give all NICs of the unit the same kind of port, and import again"
        yield message + reason, fix
    if "routed_hosts" in addressing and not has_routed(plant, addressing):
        message = "the base has routed NIC ports, but the source has no addresses of any"
        yield message, "set vlan_per: none for their units, and addressing.routed_hosts"


def misfits(plant: Plant) -> dict[str, str]:
    """Return why the NICs of units are not on routed ports, though some have a /31 or IPv6."""
    ports, verdicts = _ports(plant), _verdicts(plant)
    return {
        unit: reason
        for unit, reason in verdicts.items()
        if reason and any(port.is_pair or port.network.version > 4 for port in ports[unit])  # noqa: PLR2004
    }


def _verdicts(plant: Plant) -> dict[str, str]:
    """Return for each unit with addresses of NICs why they are not on routed ports, or nothing."""
    ports = _ports(plant)
    counts = Counter(port.network for mine in ports.values() for port in mine)
    return {unit: _reason(mine, counts) for unit, mine in ports.items()}


def _reason(ports: list[_Port], counts: Counter[IPv4Network | IPv6Network]) -> str:
    vlans = sum(port.vlan is not None for port in ports)
    if vlans:
        return f"{vlans} of {len(ports)} are in VLANs"
    lengths = sorted({port.network.prefixlen for port in ports})
    if len(lengths) > 1:
        return f"subnets are /{lengths[0]} and /{lengths[-1]}, and a unit has one length"
    usual, words = _LENGTHS[ports[0].network.version]
    if lengths[0] not in usual:
        return f"subnets are /{lengths[0]}, and those of routed ports {words}"
    if any(counts[port.network] > 1 for port in ports):
        return "several NICs are in one subnet"
    if not all(port.is_pair or port.has_leaf for port in ports):
        return "the addresses of leaf ports are not known"
    return ""


def _ports(plant: Plant) -> dict[str, list[_Port]]:
    ports: dict[str, list[_Port]] = defaultdict(list)
    for cable in plant.cables:
        host, address, leaf = _ends(plant, cable)
        if host and (address or leaf):
            network = ip_interface(address or leaf).network
            port = _Port(network, cable.vlan, bool(leaf) and ip_interface(leaf).network == network)
            ports[plant.device[host].unit].append(port)
    return ports


def _ends(plant: Plant, cable: Cable) -> tuple[str, str, str]:
    """Return the host of a cable, the address of its NIC, and that of its leaf port.

    They are of IPv4, or of IPv6 where neither end has another.
    """
    near, far = plant.nic.get(cable.near), plant.nic.get(cable.far)
    nic = near or far
    if nic is None:
        return "", "", ""
    place = 1 if near else 0
    families = ((nic.address, cable.addresses[place]), (nic.ipv6, cable.ipv6[place]))
    return nic.host, *next((family for family in families if any(family)), ("", ""))
