"""SIT005: routing tables and rule priorities of a host are those of one fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.site import shared_hosts
from fabric.validate.origins import fabric_place
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member

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
