"""What the design of a device follows from, without designing it.

Two devices with equal inputs in two runs have equal designs, files and findings; a result is kept
under its inputs. What is in ``fabric.yaml``, a model of the inventory or the code counts for all
devices, and so does all that a tenant has but its NICs; what is in ``devices/``, ``hosts/`` and the
cables counts for those that it is about, and the tenant of a NIC for its host and its leaf.
"""

from __future__ import annotations

import hashlib
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from fabric.design.nic import leaf_macs
from fabric.topology.peering import numbered_links
from fabric.topology.reach import Reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric, Ints

#: Fields of a tenant that say which NICs it has.
_MEMBERS = {"hosts", "nics"}


class SharedInputs:
    """What all devices of a fabric follow from, and the tables that each has its rows in.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric

    @cached_property
    def switches(self) -> Ints:
        """What tables say of each switch, a row each."""
        return _switches(self.fabric)

    @cached_property
    def nics(self) -> Ints:
        """What tables say of each NIC, its subnet and its leaf, a row each."""
        return _nics(self.fabric, self.switches)

    @cached_property
    def digest(self) -> bytes:
        """Digest of what counts for every device."""
        fabric, intent = self.fabric, self.fabric.intent
        whole = hashlib.sha256("\0".join(_written(intent)).encode())
        whole.update(repr(intent.skus.own).encode())
        whole.update(repr(intent.defects).encode())
        whole.update(repr(_models(fabric)).encode())
        whole.update(np.unique(fabric.subnets.prefix_length).tobytes())
        return whole.digest()


class SwitchInputs:
    """What the design and the findings of each switch follow from.

    Parameters
    ----------
    shared : SharedInputs
        What all devices follow from.
    """

    def __init__(self, shared: SharedInputs) -> None:
        self._shared, self._fabric = shared, shared.fabric

    @cached_property
    def _uplinks(self) -> Ints:
        return _uplinks(self._fabric, self._shared.switches)

    @cached_property
    def _subnets(self) -> Ints:
        return _subnets(self._fabric)

    @cached_property
    def _changed_switches(self) -> frozenset[int]:
        rows = self._fabric.switch_row
        return frozenset(rows[name] for name in self._fabric.intent.device_overrides)

    @cached_property
    def _changed_hosts(self) -> frozenset[int]:
        rows = self._fabric.host_row
        return frozenset(rows[name] for name in self._fabric.intent.host_overrides)

    def of(self, row: int) -> bytes:
        """Return the inputs of the switch in a row of ``fabric.switches``, for a hash."""
        fabric = self._fabric
        name = fabric.switches.names[row]
        below, above = fabric.downlinks_of(row), fabric.uplinks_of(row)
        nics = fabric.nics_of_leaf(row)
        up, hosts = fabric.uplinks, fabric.nics.host[nics].tolist()
        tables = (
            self._shared.switches[row],
            self._uplinks[below],
            self._uplinks[above],
            self._shared.nics[nics],
            self._subnets[fabric.subnets_of_leaf(row)],
        )
        peers = [*up.lower[below].tolist(), *up.upper[above].tolist()]
        words = [
            name,
            *(fabric.switches.names[peer] for peer in peers),
            *(fabric.hosts.names[host] for host in hosts),
            *(one.content() for one in fabric.intent.device_overrides.get(name, ())),
            *self._far_switches(below, up.lower, up.lower_port),
            *self._far_switches(above, up.upper, up.upper_port),
            *self._far_nics(nics.tolist(), hosts),
        ]
        return _joined(self._shared.digest, tables, words)

    def _far_switches(self, rows: Ints, far: Ints, ports: Ints) -> Iterator[str]:
        """Yield what overrides of the far switches say of cables, AS numbers and pauses."""
        fabric = self._fabric
        switches = far[rows].tolist()
        if self._changed_switches.isdisjoint(switches):
            return
        for switch, port in zip(switches, ports[rows].tolist(), strict=True):
            for one in fabric.intent.device_overrides.get(fabric.switches.names[switch], ()):
                name = fabric.port_name(switch, port)
                if name in one.value.ports:
                    yield one.content("ports", name)
                for field in ("asn", "pause_response_ns"):
                    if getattr(one.value, field) is not None:
                        yield one.content(field)

    def _far_nics(self, nics: Sequence[int], hosts: Sequence[int]) -> Iterator[str]:
        """Yield what overrides of hosts say of their NICs on this switch."""
        fabric = self._fabric
        if self._changed_hosts.isdisjoint(hosts):
            return
        for nic, host in zip(nics, hosts, strict=True):
            number = nic % fabric.nics_per_host
            for one in fabric.intent.host_overrides.get(fabric.hosts.names[host], ()):
                traits = one.value.traits
                if traits and traits.nic.pause_response_ns is not None:
                    yield one.content("traits", "nic", "pause_response_ns")
                for index, change in enumerate(one.value.nics):
                    if change.rail * fabric.nic_ports + change.nic_port == number:
                        yield one.content("nics", index)


class HostInputs:
    """What the design of each host follows from.

    Parameters
    ----------
    shared : SharedInputs
        What all devices follow from.
    elsewhere : mapping, optional
        Neighbours that hosts may have in other fabrics of the site, by host.
    """

    def __init__(
        self, shared: SharedInputs, elsewhere: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        fabric = shared.fabric
        self._shared, self._fabric = shared, fabric
        self._elsewhere = elsewhere
        self._reach = Reach(fabric)
        self._reached = cache(self._reached_through)
        self._gateways = fabric.subnets.leaf[fabric.nics.subnet]
        self._macs = leaf_macs(fabric.intent)

    def of(self, row: int) -> bytes:
        """Return the inputs of the host in a row of ``fabric.hosts``, for a hash."""
        fabric = self._fabric
        name, nics = fabric.hosts.names[row], fabric.nics_of_host(row)
        rows = slice(nics.start, nics.stop)
        leaves = [fabric.switches.names[leaf] for leaf in fabric.nics.leaf[rows].tolist()]
        words = [
            name,
            repr(self._elsewhere.get(name)),
            *leaves,
            *(self._macs.get(leaf, "") for leaf in leaves if self._macs),
            *map(self._reached, self._gateways[rows].tolist()),
            *(one.content() for one in fabric.intent.host_overrides.get(name, ())),
        ]
        unit = fabric.hosts.unit[row : row + 1]
        return _joined(self._shared.digest, (self._shared.nics[rows], unit), words)

    def _reached_through(self, leaf: int) -> str:
        """Return a digest of what NICs reach through a leaf."""
        pools = (*self._reach.of_leaf(leaf), *self._reach.of_leaf6(leaf))
        return hashlib.sha256("\0".join(pools).encode()).hexdigest()


def _joined(shared: bytes, tables: Sequence[Ints], words: Sequence[str]) -> bytes:
    """Return all parts so that none runs into the next one."""
    numbers = b"".join(b"%d:%b" % (table.size, table.tobytes()) for table in tables)
    return b"%b%b%b" % (shared, numbers, "\0".join(words).encode())


def _written(intent: Intent) -> Iterator[str]:
    """Yield what ``fabric.yaml`` says, and what is said of each tenant besides its members."""
    document = intent.document
    yield from (document.content((key,)) for key in document.data if key != "tenants")
    yield str(document.position(("tenants",)))
    for item in intent.tenants:
        yield from (item.content(name) for name in sorted(item.value.model_fields_set - _MEMBERS))


def _models(fabric: Fabric) -> list[str]:
    return list(dict.fromkeys(sku.name for sku in fabric.switches.skus))


def _switches(fabric: Fabric) -> Ints:
    """Return what tables say of each switch, a row each."""
    one, numbers = fabric.switches, {name: n for n, name in enumerate(_models(fabric))}
    models = np.array([numbers[sku.name] for sku in one.skus], dtype=np.int64)
    columns = (one.tier, one.unit, one.rail, one.pod, one.plane, one.asn, one.loopback, models)
    return np.column_stack(columns)


def _nics(fabric: Fabric, switches: Ints) -> Ints:
    """Return what tables say of each NIC, its subnet, its tenant and its leaf, a row each."""
    nics, subnets = fabric.nics, fabric.subnets
    own = (nics.rail, nics.nic_port, nics.port, nics.address, nics.speed_gbps, nics.cable_m)
    its = [column[nics.subnet] for column in (subnets.network, subnets.gateway)]
    its += [column[nics.subnet] for column in (subnets.vlan, subnets.prefix_length)]
    its += [fabric.tenants.of_nic] if fabric.tenants else []
    if subnets.ipv6:
        its += [*subnets.ipv6.columns[nics.subnet].T]
    return np.column_stack((*own, nics.enabled, *its, switches[nics.leaf, -1]))


def _uplinks(fabric: Fabric, switches: Ints) -> Ints:
    """Return what tables say of each cable between switches and of its ends, a row each."""
    up = fabric.uplinks
    own = (up.lower_port, up.upper_port, up.upper_address, up.prefix_length, numbered_links(fabric))
    own += (*fabric.links6.columns.T,) if fabric.links6 else ()
    ends = [switches[rows][:, [0, 5, 7]] for rows in (up.lower, up.upper)]
    return np.column_stack((*own, up.speed_gbps, up.cable_m, up.enabled, *ends))


def _subnets(fabric: Fabric) -> Ints:
    table = fabric.subnets
    return np.column_stack((
        table.rail,
        table.vlan,
        table.network,
        table.gateway,
        table.prefix_length,
        *(table.ipv6.columns.T if table.ipv6 else ()),
    ))
