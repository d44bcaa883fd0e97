"""What is wrong with the tenants of an inventory."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.platforms import platforms
from fabric.platforms.features import feature
from fabric.topology.naming import hint, unknown
from fabric.topology.routed import OF_VLANS, host_pools
from fabric.topology.tenants import UNASSIGNED, vni_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.inventory import Intent, Located
    from fabric.intent.tenancy_model import Tenancy, Tenant
    from fabric.topology.model import Fabric
    from fabric.topology.tenants import Tenants

#: Highest VNI: 24 bits (RFC 7348 section 5).
LAST_VNI = 2**24 - 1


def wrong_tenants(fabric: Fabric, tenancy: Tenancy) -> Iterator[Finding]:
    """Yield what is wrong with tenants beside their members."""
    intent = fabric.intent
    yield from _wrong_names(intent, tenancy)
    yield from _wrong_plan(intent)
    yield from _wrong_services(intent)
    for item in intent.tenants:
        yield from _wrong_pools(fabric, item)


def without_vrfs(fabric: Fabric) -> Iterator[Finding]:
    """Yield the systems of the leaves if none of them keeps tenants apart."""
    intent, table = fabric.intent, fabric.switches
    systems = sorted({sku.nos for sku in table.skus[: table.leaf_count]})
    if not any(feature(name, "tenant_vrfs") for name in systems):
        titles = " and ".join(platforms[name].title for name in systems)
        yield intent.finding(
            "TEN011",
            f"{titles} {'does' if len(systems) == 1 else 'do'} not support VRFs of tenants",
            "remove tenancy and tenants, or use another system on leaves",
            "tenancy",
        )


def no_tenancy(item: Located[Tenant]) -> Finding:
    """Return what is wrong with tenants that nothing keeps apart."""
    message = "there are tenants without tenancy, which keeps them apart"
    return tenant_finding("TEN003", message, "add tenancy.form: evpn or local to fabric.yaml", item)


def _wrong_names(intent: Intent, tenancy: Tenancy) -> Iterator[Finding]:
    """Yield names and ids that stand twice, and ids that are retired."""
    for field in ("name", "id"):
        first: dict[object, Located[Tenant]] = {}
        for item in intent.tenants:
            value = getattr(item.value, field)
            if value in first:
                where = first[value].position(field)
                message = f"{field} {value!r} stands at {where} too"
                yield tenant_finding("TEN004", message, "use another one", item, field)
            first.setdefault(value, item)
    for item in intent.tenants:
        if item.value.id in tenancy.retired:
            message = f"id {item.value.id} was that of a removed tenant, and switches may hold it"
            free = f"use another id, or run `rocefab tenant release-id {item.value.id}`"
            yield tenant_finding("TEN005", message, free, item, "id")
        if (vni := vni_of(tenancy, item.value)) > LAST_VNI:
            message = f"VNI {vni} is above {LAST_VNI}"
            yield tenant_finding("TEN004", message, "lower tenancy.vni_first or the id", item, "id")


def _wrong_plan(intent: Intent) -> Iterator[Finding]:
    """Yield fields of the address plan that tenants cannot have."""
    addressing = intent.fabric.addressing
    for field, is_wrong, message, fix in (
        (
            "advertise",
            addressing.advertise == "leaf",
            "a prefix of a leaf has NICs of several tenants in it",
            "use nic, which is the default",
        ),
        ("ipv6", addressing.ipv6 is not None, "NICs of tenants have IPv4 alone", "remove it"),
    ):
        if is_wrong:
            yield intent.finding("TEN006", message, fix, "addressing", field)


def _wrong_services(intent: Intent) -> Iterator[Finding]:
    by_name = {item.value.name: item for item in intent.tenants}
    for item in intent.tenants:
        for index, name in enumerate(item.value.services):
            other = by_name.get(name)
            path = ("services", index)
            if name in item.value.services[:index]:
                message = f"service {name!r} is listed twice"
                yield tenant_finding("TEN007", message, "remove it once", item, *path)
            elif other is item:
                message = "it names itself as a service"
                yield tenant_finding("TEN007", message, "remove it", item, *path)
            elif other is None:
                message, fix = unknown("service", [name]), hint("tenant", name, by_name)
                yield tenant_finding("TEN007", message, fix, item, *path)
            elif not other.value.shared:
                message = f"{name} is not shared"
                yield tenant_finding("TEN007", message, f"set shared: true on {name}", item, *path)
        if item.value.shared and item.value.services:
            message = "a service cannot use another service"
            yield tenant_finding("TEN007", message, "remove services, or shared", item, "services")
    for name, service in by_name.items():
        users = [item for item in intent.tenants if name in item.value.services]
        yield from _overlaps([service, *users])


def _overlaps(joined: list[Located[Tenant]]) -> Iterator[Finding]:
    """Yield tenants with overlapping pools of their own that a service joins."""
    for one, other in combinations(joined, 2):
        pairs = ((mine, its) for mine in one.value.pools for its in other.value.pools)
        if any(mine.overlaps(its) for mine, its in pairs):
            message = (
                f"its pools overlap with those of {one.value.name}, and a service joins them: "
                "answers could go to the other tenant"
            )
            yield tenant_finding(
                "TEN008", message, "use another pool, or no common service", other, "pools"
            )


def _wrong_pools(fabric: Fabric, item: Located[Tenant]) -> Iterator[Finding]:
    pools = list(host_pools(fabric.intent.fabric).values())
    own = item.value.pools
    if own and fabric.intent.fabric.planes > 1:
        message = "it has pools, and the NICs of each plane are in another part of a pool"
        yield tenant_finding("TEN009", message, "remove them, or use one plane", item, "pools")
        return
    if own and len(own) != len(pools):
        message = (
            f"it has {counted(len(own), 'pool')}, and the NICs of the fabric have {len(pools)}"
        )
        yield tenant_finding(
            "TEN009", message, "name one for each of them, in their order", item, "pools"
        )
        return
    for index, (pool, mine) in enumerate(zip(pools, own, strict=False)):
        if pool.prefixlen != mine.prefixlen:
            message = f"{mine} is not of the length of {pool}, in whose place it is"
            fix = f"use a /{pool.prefixlen}"
            yield tenant_finding("TEN009", message, fix, item, "pools", index)


def shared_subnets(fabric: Fabric, tenants: Tenants) -> Iterator[Finding]:
    """Yield VLANs whose NICs are of several tenants, one finding for each pair of them."""
    intent, apart = fabric.intent, ~tenants.quarantined
    subnet, mine = fabric.nics.subnet[apart], tenants.of_nic[apart]
    lowest = np.full(len(fabric.subnets), len(tenants))
    highest = np.full(len(fabric.subnets), UNASSIGNED)
    np.minimum.at(lowest, subnet, mine)
    np.maximum.at(highest, subnet, mine)
    mixed = np.flatnonzero((lowest < highest) & (lowest < len(tenants)))
    pairs = Counter(zip(lowest[mixed].tolist(), highest[mixed].tolist(), strict=True))
    for (low, high), count in pairs.items():
        row = int(mixed[(lowest[mixed] == low) & (highest[mixed] == high)][0])
        leaf = fabric.switches.names[int(fabric.subnets.leaf[row])]
        other = "NICs without a tenant" if low == UNASSIGNED else f"tenant {tenants.names[low]}"
        rest = f" and {count - 1:,} more" if count > 1 else ""
        message = f"VLAN {int(fabric.subnets.vlan[row])} of {leaf}{rest} is shared with {other}"
        fix = f"use addressing.vlan_per: none{_without(intent)}, or nic, or give it all of the VLAN"
        yield tenant_finding("TEN010", message, fix, tenants.items[high], "hosts")


def _without(intent: Intent) -> str:
    """Return which fields routed NIC ports do not have, of those that the file has."""
    has = [field for field in OF_VLANS if field in intent.fabric.addressing.model_fields_set]
    return f" (without {' and '.join(has)})" if has else ""


def tenant_finding(
    rule: str, message: str, fix: str, item: Located[Tenant], *path: str | int
) -> Finding:
    """Return what is wrong with a field of a tenant."""
    return Finding(
        rule,
        Severity.ERROR,
        f"tenant {item.value.name}: {message}",
        fix,
        item.field(*path),
        item.position(*path),
    )
