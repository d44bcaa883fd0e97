"""Rules about the names and addresses of several fabrics of a site (SIT)."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fabric.topology.naming import names_in
from fabric.topology.routed import named_pools
from fabric.topology.site import kinds_of_shared_hosts, shared_hosts
from fabric.validate.addresses import POOLS
from fabric.validate.origins import Place, fabric_place, identities, names_place, rail_place
from fabric.validate.rule import SiteRule, areas, rules
from fabric.validate.traits import traits_place_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


areas.add("SIT")("Several fabrics of a site")


@rules.add("SIT001")
class UniqueSwitches(SiteRule):
    """A switch is in one fabric of a site."""

    why = (
        "Two fabrics would each write a complete configuration to one switch, and the later "
        "one would overwrite the first."
    )
    source = "RFC 1178 (a name identifies one computer); a plan holds whole configurations"
    guards = ("switch_prefix", "leaf_names", "spine_names", "units.name", "switches.names")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the names of switches with those of all devices of the other fabric."""
        taken = {**first.fabric.switch_row, **first.fabric.host_row}
        switches = second.fabric.switches
        doubles: dict[str, list[str]] = {}
        for row, name in enumerate(switches.names):
            if name in taken:
                doubles.setdefault(switches.role(row), []).append(name)
        hosts = [name for name in second.fabric.hosts.names if name in first.fabric.switch_row]
        for role, names in {**doubles, "host": hosts}.items():
            if names:
                more = f", and {len(names) - 1} more of this kind are" if len(names) > 1 else ""
                yield self.finding(
                    f"{names[0]} is also a device of the fabric {first.name}{more}",
                    "set switch_prefix in one fabric, or use different switch names",
                    place=names_place(second.fabric, role, names[0]),
                    device=names[0],
                )


_WORDS = {"interface": "interface", "rdma_device": "RDMA device"}


@rules.add("SIT002")
class UniqueNics(SiteRule):
    """A NIC of a host is in one fabric of a site."""

    why = "Two fabrics would set one NIC, and the later one would overwrite the first."
    source = "Linux net/core/dev.c (interface names are unique)"
    guards = (
        "host.interfaces",
        "host.rdma_devices",
        "host.nic.pci_addresses",
        "hosts.nics.interface",
        "hosts.nics.rdma_device",
    )

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the names and PCI addresses of NICs on every kind of host in both."""
        for host in kinds_of_shared_hosts(first, second):
            for what, double, place in _doubles(first, second, host):
                yield self.finding(
                    f"{what} {double} is also used by a NIC in the fabric {first.name}",
                    "use another NIC, or remove it from one fabric",
                    place=place,
                    device=host,
                )


def _doubles(first: Member, second: Member, host: str) -> Iterator[tuple[str, str, Place]]:
    """Yield what a NIC is called in both fabrics, and where the second says so."""
    ports = second.fabric.nic_ports
    for field, what in _WORDS.items():
        taken = {getattr(names, field) for names in names_in(first.intent, host)}
        for number, names in enumerate(names_in(second.intent, host)):
            if getattr(names, field) in taken:
                rail, port = divmod(number, ports)
                place = rail_place(second.intent, host, rail, field, port)
                default = fabric_place(second.intent, "host", f"{field}s")
                yield what, getattr(names, field), place or default
    known, mine = (one.intent.host_traits(host).nic.pci_addresses for one in (first, second))
    for address in mine:
        if address in known:
            place = traits_place_in(second.intent, host, "nic", "pci_addresses")
            yield "PCI address", address, place


@rules.add("SIT003")
class UniqueSiteHardware(SiteRule):
    """MAC addresses and serial numbers identify one device of a site."""

    why = (
        "rocefab never changes a device whose identity does not match; two devices with the same "
        "identity cannot be distinguished."
    )
    source = "IEEE 802-2014 clause 8"
    guards = ("hosts.nics.mac", "hosts.serial", "devices.mac", "devices.serial")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the identities; a host has one serial in all fabrics, a NIC is in one."""
        known = {(kind, value): owner for kind, value, owner, _ in identities(first.intent)}
        for kind, value, owner, place in identities(second.intent):
            other = known.get((kind, value))
            if other is not None and (kind, other) != ("serial", owner):
                yield self.finding(
                    f"{kind} {value} is also that of {other} in the fabric {first.name}",
                    "set the value printed on the device",
                    place=place,
                    device=owner,
                )


@rules.add("SIT004")
class SitePoolsApart(SiteRule):
    """Address pools of the fabrics of a site do not overlap."""

    why = (
        "A host in both fabrics sends by source address and replies by longest match: packets "
        "for one fabric leave by the NICs of the other."
    )
    source = "RFC 4632 section 5 (longest match)"
    guards = POOLS

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare all pools of one fabric with all of the other."""
        ours, theirs = (named_pools(one.intent.fabric) for one in (second, first))
        for (mine, pool), (other, taken) in product(ours.items(), theirs.items()):
            if pool.overlaps(taken):
                yield self.finding(
                    f"{pool} overlaps addressing.{other} {taken} of the fabric {first.name}",
                    "use separate pools",
                    place=fabric_place(second.intent, "addressing", *mine.split(".")),
                )


#: default, main and local (iproute2 etc/iproute2/rt_tables).
KERNEL_TABLES = frozenset({253, 254, 255})


@rules.add("SIT005")
class TablesApart(SiteRule):
    """Routing tables and rule priorities of a host belong to one fabric."""

    why = (
        "Two NICs would share a routing table: the later route replaces the first, and packets of "
        "one fabric leave by the other."
    )
    source = "Linux net/ipv4/fib_rules.c; ip-rule manual page"
    guards = ("host.first_table",)

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the ranges, where a host is in both fabrics."""
        taken, mine = (_tables(one) for one in (first, second))
        both = range(max(taken.start, mine.start), min(taken.stop, mine.stop))
        hosts = shared_hosts(first.fabric, second.fabric) if both else []
        if hosts:
            yield self.finding(
                f"routing tables {mine.start} to {mine.stop - 1} overlap {taken.start} to "
                f"{taken.stop - 1} of the fabric {first.name}, and {_hosts(hosts)} in both",
                f"use separate tables; {_free(taken, len(mine))} is free of them",
                place=fabric_place(second.intent, "host", "first_table"),
            )


def _tables(member: Member) -> range:
    first = member.intent.fabric.host.first_table
    return range(first, first + member.fabric.nics_per_host)


def _free(taken: range, count: int) -> int:
    """Return the next hundred behind the tables of the other fabric, clear of 253 to 255."""
    start = -(-taken.stop // 100) * 100
    return start if not {*range(start, start + count)} & KERNEL_TABLES else 300


def _hosts(hosts: list[str]) -> str:
    more = f" and {len(hosts) - 1} more are" if len(hosts) > 1 else " is"
    return f"{hosts[0]}{more}"
