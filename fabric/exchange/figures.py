"""Speeds and lengths of cables by tier, and addresses of NICs, as the source has them."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.counts import counted
from fabric.intent.model import Cables
from fabric.topology.ipv6 import HALF

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import Cable, End, Plant
    from fabric.platforms.model import Sku


#: Section of ``fabric.yaml``, ending of its fields, field of a cable, and what a person calls it.
FIGURES = (("speeds", "gbps", "speed_gbps", "speed"), ("cables", "m", "cable_m", "length"))


def figures(plant: Plant, base: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return speeds and lengths that most cables have; the rows of ``cabling.csv`` tell each.

    A cable without one gets that of its tier, so it is written then, even where it is a default.
    """
    sections = {name: dict(base.get(name, {})) for name, *_ in FIGURES}
    usual = {"host_m": _default("host_m"), "uplink_m": _default("uplink_m")}
    for tier, mine in by_tier(plant).items():
        for name, ending, field, _ in FIGURES:
            section, key = sections[name], f"{tier}_{ending}"
            values = [getattr(cable, field) for cable in mine]
            known = Counter(value for value in values if value is not None)
            if known and section.get(key) not in known:
                section[key] = known.most_common(1)[0][0]
            elif None in values and key not in section:
                below = section.get(f"uplink_{ending}") if tier == "core" else usual.get(key)
                section |= {} if below is None else {key: below}
    return {name: section for name, section in sections.items() if section or name == "speeds"}


def fitting_speeds(
    plant: Plant, models: Mapping[str, Sku], speeds: Mapping[str, int]
) -> dict[str, int]:
    """Return the default speeds that all switch ports of a tier offer, else the fastest of these.

    Parameters
    ----------
    models : mapping
        Model of each switch that has one.
    speeds : mapping
        Default by field of ``speeds``, in Gb/s.
    """
    fitting = dict(speeds)
    for tier, mine in by_tier(plant).items():
        ends = ((end[0], end[1]) for cable in mine for end in (cable.near, cable.far))
        offered = {
            models[name].speeds_of(models[name].port_numbers()[port])
            for name, port in ends
            if name in models and port in models[name].port_numbers()
        }
        common = set.intersection(*map(set, offered)) if offered else set()
        usual = speeds.get(f"{tier}_gbps", speeds["uplink_gbps"])
        if common and usual not in common:
            fitting[f"{tier}_gbps"] = max(common)
    return fitting


class Untold(NamedTuple):
    """Why a figure of a tier is assumed, and whether some cables of the tier have it."""

    reason: str
    some: bool


def untold(plant: Plant) -> dict[tuple[str, str], Untold]:
    """Return the figures that are assumed, by section and field; others are of the source."""
    return {
        (name, f"{tier}_{ending}"): _untold(plant, mine, field, word)
        for tier, mine in by_tier(plant).items()
        for name, ending, field, word in FIGURES
        if not mine or any(getattr(cable, field) is None for cable in mine)
    }


def _untold(plant: Plant, mine: list[Cable], field: str, word: str) -> Untold:
    if not mine:
        return Untold(f"no {'such ' if plant.cables else ''}cables in the source", some=False)
    lacking = sum(getattr(cable, field) is None for cable in mine)
    if lacking < len(mine):
        reason = f"no {word} read from the source for {lacking} of {counted(len(mine), 'cable')}"
        return Untold(reason, some=True)
    elsewhere = any(getattr(cable, field) is not None for cable in plant.cables)
    return Untold(
        f"no {word}s {'of such cables ' if elsewhere else ''}read from the source", some=False
    )


def by_tier(plant: Plant) -> dict[str, list[Cable]]:
    """Return the cables to hosts, those between leaves and spines, and those above."""
    cables: dict[str, list[Cable]] = {"host": [], "uplink": [], "core": []}
    for cable in plant.cables:
        ends = [plant.device[end[0]] for end in (cable.near, cable.far)]
        kinds, roles = {end.kind for end in ends}, {end.role for end in ends}
        tier = "host" if "host" in kinds else "core" if "super-spine" in roles else "uplink"
        cables[tier].append(cable)
    return cables


def _default(name: str) -> Any:
    return Cables.model_fields[name].default


def own_addresses(plant: Plant, realised: Plant) -> dict[End, dict[str, str]]:
    """Return the addresses that differ from those of the inventory and lie in its subnets.

    Parameters
    ----------
    plant : Plant
        What the source says.
    realised : Plant
        The inventory that was made of it, with the addresses that follow from positions.
    """
    addresses: dict[End, dict[str, str]] = {}
    for end, nic in plant.nic.items():
        planned = realised.nic.get(end)
        for field in ("address", "ipv6") if planned else ():
            mine, other = getattr(nic, field), getattr(planned, field)
            if not (mine and other) or mine == other:
                continue
            address, network = ip_interface(mine).ip, ip_interface(other).network
            if address in network and network.prefixlen != HALF:
                addresses.setdefault(end, {})[field] = str(address)
    return addresses
