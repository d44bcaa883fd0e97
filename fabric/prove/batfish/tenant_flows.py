"""Who of a tenant is asked to reach whom, and whom it must not reach, as data for the questions.

An answer of Batfish says that a packet to an address arrived, and of several owners it shows one
example. So an address that is also in a subnet of another tenant is not asked about.
"""

from __future__ import annotations

from collections import defaultdict
from ipaddress import IPv4Address, IPv4Interface
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.prove.batfish.snapshot import NicNode, Snapshot, Subject
    from fabric.topology.model import Bools


class Apart(NamedTuple):
    """What the NICs of a tenant must not reach.

    Parameters
    ----------
    tenant : str
        Empty for the NICs without a tenant.
    starts : tuple of str
        Their nodes.
    nics : tuple of int
        Addresses of NICs of all others.
    switches : tuple of int
        Loopbacks and tunnel end points; none for the NICs without a tenant.
    """

    tenant: str
    starts: tuple[str, ...]
    nics: tuple[int, ...]
    switches: tuple[int, ...]


class Inside(NamedTuple):
    """NICs of a tenant that reach the same NICs of it, by the names of their nodes."""

    tenant: str
    starts: tuple[str, ...]
    ends: tuple[str, ...]


class Subnets:
    """The subnets of the NICs of a tenant.

    Parameters
    ----------
    nics : iterable of NicNode
        NICs of the tenant.
    """

    def __init__(self, nics: Iterable[NicNode]) -> None:
        networks = [
            IPv4Interface(f"{entry.nic.address}/{entry.nic.prefix_length}").network
            for entry in nics
        ]
        self._networks = {(int(item.network_address), item.prefixlen) for item in networks}
        self._lengths = {length for _, length in self._networks}

    def __contains__(self, address: int) -> bool:
        """Return whether an address is in one of them."""
        return any(
            (address >> (32 - length) << (32 - length), length) in self._networks
            for length in self._lengths
        )


def address_of(entry: NicNode) -> int:
    """Return the address of a NIC as a number."""
    return int(IPv4Address(entry.nic.address))


def insides(
    subject: Subject, snapshot: Snapshot, nodes: Mapping[str, NicNode], reach: Bools
) -> Iterator[Inside]:
    """Yield the NICs of each tenant that reach the same NICs of it.

    Parameters
    ----------
    nodes : mapping of str to NicNode
        NICs that work.
    reach : array of bool, shape (leaves, leaves)
        Whether packets of a leaf reach another one.
    """
    tenants = subject.fabric.tenants
    if tenants is None:
        return
    unclear = {node for nodes_of in _unclear(snapshot).values() for node in nodes_of}
    leaf = {node: int(subject.fabric.nics.leaf[entry.row]) for node, entry in nodes.items()}
    groups: dict[tuple[str, int | bytes], list[str]] = defaultdict(list)
    for node, entry in nodes.items():
        if entry.tenant:
            part = leaf[node] if tenants.is_local else reach[leaf[node]].tobytes()
            groups[entry.tenant, part].append(node)
    for (tenant, _), starts in groups.items():
        first = leaf[starts[0]]
        ends = tuple(
            node
            for node, entry in nodes.items()
            if entry.tenant == tenant
            and node not in unclear
            and (leaf[node] == first if tenants.is_local else reach[first][leaf[node]])
        )
        yield Inside(tenant, tuple(starts), ends)


def aparts(subject: Subject, snapshot: Snapshot, nodes: Mapping[str, NicNode]) -> Iterator[Apart]:
    """Yield what the NICs of each tenant must not reach, and those without a tenant.

    Parameters
    ----------
    nodes : mapping of str to NicNode
        NICs that work, from which packets are sent.
    """
    if subject.fabric.tenants is None:
        return
    switches = _switches(subject)
    for tenant, own in _by_tenant(snapshot).items():
        starts = tuple(node for node in own if node in nodes)
        if not starts:
            continue
        friends = _friends(subject, tenant)
        subnets = Subnets(entry for entry in snapshot.nics.values() if entry.tenant in friends)
        others = {
            address_of(entry)
            for entry in snapshot.nics.values()
            if entry.tenant not in friends and address_of(entry) not in subnets
        }
        clear = (address for address in switches if address not in subnets)
        yield Apart(tenant, starts, tuple(sorted(others)), tuple(clear) if tenant else ())


def not_asked(subject: Subject, snapshot: Snapshot) -> tuple[str, ...]:
    """Return what Batfish is not asked about tenants, with the reason."""
    tenants = subject.fabric.tenants
    if tenants is None:
        return ()
    lines = []
    for tenant, nodes in _unclear(snapshot).items():
        names = [snapshot.nics[node].name for node in nodes]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines.append(
            f"{tenant or 'NICs without a tenant'}: who reaches {names[0]}{more}: the address is in "
            "a subnet of another tenant, and an answer does not say in which VRF it arrived"
        )
    lines += [
        f"{name}: services, which it uses or offers: no system that Batfish reads has them"
        for row, name in enumerate(tenants.names)
        if tenants.partners(row)
    ]
    return tuple(lines)


def _by_tenant(snapshot: Snapshot) -> dict[str, dict[str, NicNode]]:
    result: dict[str, dict[str, NicNode]] = defaultdict(dict)
    for node, entry in snapshot.nics.items():
        result[entry.tenant][node] = entry
    return result


def _unclear(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the NICs of each tenant whose addresses are in subnets of another one."""
    groups = _by_tenant(snapshot)
    subnets = {tenant: Subnets(nics.values()) for tenant, nics in groups.items()}
    result: dict[str, list[str]] = {}
    for tenant, nics in groups.items():
        others = [subnets[other] for other in subnets if other != tenant]
        nodes = [
            node
            for node, entry in nics.items()
            if any(address_of(entry) in item for item in others)
        ]
        if nodes:
            result[tenant] = nodes
    return result


def _friends(subject: Subject, tenant: str) -> set[str]:
    """Return a tenant and those that it reaches by a service."""
    tenants = subject.fabric.tenants
    row = tenants.row(tenant) if tenants and tenant else None
    if tenants is None or row is None:
        return {tenant}
    return {tenant, *(tenants.names[other] for other in tenants.partners(row))}


def _switches(subject: Subject) -> list[int]:
    """Return loopbacks and tunnel end points of all switches."""
    texts = {design.loopback.partition("/")[0] for design in subject.devices.values()}
    texts |= {design.evpn.source for design in subject.devices.values() if design.evpn}
    return sorted(int(IPv4Address(text)) for text in texts if text)
