"""What is written beside the plant, and what of the source the inventory does not hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import Cable, Device, End, Nic, Plant


#: What is kept in another place, or is written in another way on purpose.
_ELSEWHERE = ("device.management", "device.model", "device.system")
_FIGURES = frozenset({
    *("cable.speed_gbps", "cable.cable_m", "cable.near_address", "cable.far_address", "cable.vlan"),
    *("cable.near_ipv6", "cable.far_ipv6"),
})


@dataclass(frozen=True)
class Recipe:
    """What is written beside the plant.

    Parameters
    ----------
    name : str
        Name of the fabric, where the plant has none.
    source : str
        What was read, for the head of the files.
    base : mapping
        Sections of ``fabric.yaml`` that the plant does not tell.
    skus : mapping
        Switch model of the catalogue by switch; a switch without one gets that of its role.
    gpus : int or None
        GPUs of a host; None is what the base says.
    addresses : mapping
        Addresses of NICs that differ from those that follow from positions, by field.
    subnets : mapping
        Subnets of leaves that differ from those of the pools, by leaf.
    links : mapping
        Addresses of ports to other switches that differ, by switch, port and field.
    descriptions : mapping
        Descriptions of ports that differ from those of the design, by switch and port.
    base_name : str
        What the user calls the base; empty for defaults.
    named : frozenset of str
        Sections of ``platforms`` whose model the user gives with the command.
    fitted : frozenset of str
        Fields of ``speeds`` whose default does not fit the switch models.
    invented : frozenset of str
        Units and pods that the source does not name.
    of_base : frozenset of str
        Switches whose model is that of the base, as the source does not tell it.
    remarks : mapping
        Why values of a generated ``fabric.yaml`` are assumed, by their keys in it.
    breakouts : mapping
        Breakouts of each switch that has ports in parts.
    told : frozenset
        Section and name of the fields of the base that the source tells.
    tenants : mapping
        Sections ``tenancy`` and ``tenants``, where the source tells them.
    quarantined : frozenset of Cable
        Cables that are off as their NIC has no tenant.
    host_ports : int or None
        Ports for hosts that leaves need where each NIC has a subnet; None is what the base says.
    """

    name: str
    source: str
    base: Mapping[str, Any]
    skus: Mapping[str, str] = field(default_factory=dict)
    gpus: int | None = None
    addresses: Mapping[End, Mapping[str, str]] = field(default_factory=dict)
    subnets: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    descriptions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    base_name: str = ""
    named: frozenset[str] = frozenset()
    fitted: frozenset[str] = frozenset()
    invented: frozenset[str] = frozenset()
    of_base: frozenset[str] = frozenset()
    remarks: Mapping[tuple[str | int, ...], str] = field(default_factory=dict)
    breakouts: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    told: frozenset[tuple[str, str]] = frozenset()
    tenants: Mapping[str, Any] = field(default_factory=dict)
    quarantined: frozenset[Cable] = frozenset()
    host_ports: int | None = None


def differences(plant: Plant, realised: Plant, shown: str) -> list[Finding]:
    """Return what the source says and the new inventory does not, field by field."""
    counts: Counter[str] = Counter()
    for device in plant.devices:
        counts.update(_unlike("device", device, realised.device.get(device.name)))
    for end, nic in plant.nic.items():
        counts.update(_unlike("nic", nic, realised.nic.get(end)))
    for name in _ELSEWHERE:
        del counts[name]
    cables = set(plant.without(_FIGURES).cables) - set(realised.without(_FIGURES).cables)
    counts["cable"] += len(cables)
    counts["cable.address"] += _other_addresses(plant, realised, "addresses")
    counts["cable.ipv6"] += _other_addresses(plant, realised, "ipv6")
    lost = [f"{name} of {count}" for name, count in sorted(counts.items()) if count]
    if not lost:
        return []
    message = f"the source has data that the inventory cannot represent: {listed(lost, 'and')}"
    fix = "see docs/exchange.md for what is imported"
    return [Finding("EXC012", Severity.WARNING, message, fix, position=Position(shown))]


def _other_addresses(plant: Plant, realised: Plant, family: Literal["addresses", "ipv6"]) -> int:
    """Return how many ends of cables have another address of a family."""
    now = {(cable.near, cable.far): getattr(cable, family) for cable in realised.cables}
    return sum(
        bool(mine) and mine != other
        for cable in plant.cables
        for mine, other in zip(
            getattr(cable, family), now.get((cable.near, cable.far), ("", "")), strict=True
        )
    )


def _unlike(word: str, item: Device | Nic, other: Device | Nic | None) -> list[str]:
    """Return the fields that are known and that the other one has not."""
    values = ((field.name, getattr(item, field.name)) for field in fields(item))
    return [
        f"{word}.{name}"
        for name, said in values
        if said is not None and said != "" and said != getattr(other, name, None)
    ]
