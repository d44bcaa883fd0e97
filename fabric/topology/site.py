"""The fabrics of a site, realised, and the hosts that are in several of them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.topology.naming import nic_names
from fabric.topology.realise import realise
from fabric.topology.routed import routed_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric


@dataclass(frozen=True, eq=False)
class Member:
    """One fabric of a site, by the name of its folder."""

    name: str
    fabric: Fabric

    @property
    def intent(self) -> Intent:
        """The inventory that it was made from."""
        return self.fabric.intent


@dataclass(frozen=True, eq=False)
class Site:
    """Fabrics beside each other; hosts of one name are one machine.

    Parameters
    ----------
    own : str
        The fabric that is worked on.
    fabrics : mapping
        All fabrics by the name of their folder, in the order of the names.
    """

    own: str
    fabrics: Mapping[str, Fabric]

    def pairs(self) -> Iterator[tuple[Member, Member]]:
        """Yield the own fabric with each other one, the earlier name first."""
        for name in self.fabrics:
            if name != self.own:
                first, second = sorted((name, self.own))
                yield Member(first, self.fabrics[first]), Member(second, self.fabrics[second])


def shared_hosts(first: Fabric, second: Fabric) -> list[str]:
    """Return the hosts that are in both fabrics, in the order of the second."""
    return [name for name in second.hosts.names if name in first.host_row]


def nics_elsewhere(site: Site) -> dict[tuple[str, str], str]:
    """Return the fabric of each NIC, by host and interface, that hosts have in other fabrics."""
    own = site.fabrics[site.own]
    return {
        (host, nic.interface): name
        for name, fabric in site.fabrics.items()
        if name != site.own
        for host in shared_hosts(own, fabric)
        for nic in nic_names(fabric, host)
    }


def kinds_of_shared_hosts(first: Member, second: Member) -> list[str]:
    """Return the hosts of both fabrics that may differ from each other.

    All hosts without overrides in either fabric are alike; the first stands for them.
    """
    own = {*first.intent.host_overrides, *second.intent.host_overrides}
    both = shared_hosts(first.fabric, second.fabric)
    plain = [name for name in both if name not in own]
    return [*plain[:1], *(name for name in both if name in own)]


def neighbours_of_host(intent: Intent) -> int:
    """Return how many neighbours the hosts of a fabric may have at most.

    The NICs of a unit; on a routed port a NIC has its leaf alone.
    """
    file = intent.fabric
    largest = max(
        1 if is_routed else hostlist.count(unit.hosts)
        for unit, is_routed in zip(file.units, routed_units(file), strict=True)
    )
    return file.rails * file.nic_ports * largest


def neighbours_elsewhere(others: Mapping[str, Intent]) -> Counter[str]:
    """Return how many neighbours each host may have in other fabrics of the site."""
    counts: Counter[str] = Counter()
    for intent in others.values():
        count = neighbours_of_host(intent)
        for unit in intent.fabric.units:
            counts.update(dict.fromkeys(hostlist.expand(unit.hosts), count))
    return counts


def name_strangers(error: InputError, intent: Intent, others: Mapping[str, Fabric]) -> InputError:
    """Return the error of a fabric; cables to switches of another fabric say whose they are."""
    owners = {name: other for other, fabric in others.items() for name in fabric.switches.names}
    findings = [_named(finding, intent, owners) for finding in error.findings]
    return type(error)(str(error), findings)


def _named(finding: Finding, intent: Intent, owners: Mapping[str, str]) -> Finding:
    """Return a finding about a cable with the fabric that its unknown switch is in."""
    cabling, place = intent.cabling, finding.position
    field = finding.field.removeprefix("cabling.")
    if not cabling or not place or field not in ("device", "peer_device"):
        return finding
    names = [getattr(row, field) for row in cabling.rows if row.line == place.line]
    name = next((name for name in names if name in owners), "")
    if not name:
        return finding
    fix = f"{name} is a switch of the fabric {owners[name]}; define its cables there"
    return replace(finding, fix=fix)


class Members:
    """The fabrics of a site, or one that stands alone.

    Parameters
    ----------
    intents : mapping
        Intents by the name of their folder, in the order of the names.
    """

    def __init__(self, intents: Mapping[str, Intent]) -> None:
        self.intents = intents
        self._fabrics: dict[str, Fabric] = {}

    def fabric(self, name: str) -> Fabric:
        """Return a fabric, realised once.

        Raises
        ------
        InputError
            When it cannot be realised; unknown switches that another fabric has are named as such.
        """
        if name not in self._fabrics:
            try:
                self._fabrics[name] = realise(self.intents[name])
            except InputError as error:
                raise name_strangers(error, self.intents[name], self._others(name)) from error
        return self._fabrics[name]

    def site(self, own: str) -> Site | None:
        """Return the site as one of its fabrics sees it; None where that stands alone."""
        if len(self.intents) == 1:
            return None
        return Site(own, {name: self.fabric(name) for name in self.intents})

    def neighbours_elsewhere(self, own: str) -> Mapping[str, int]:
        """Return how many neighbours hosts may have in the other fabrics, by host."""
        others = {name: one for name, one in self.intents.items() if name != own}
        return neighbours_elsewhere(others)

    def _others(self, own: str) -> dict[str, Fabric]:
        """Return the other fabrics that can be realised."""
        realised: dict[str, Fabric] = {}
        for name, intent in self.intents.items():
            with suppress(InputError):  # its own errors are those of its own inventory
                if name != own:
                    realised[name] = realise(intent)
        return realised
