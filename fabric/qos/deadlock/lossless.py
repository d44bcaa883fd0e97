"""The lossless channels of a fabric, as arrays and by name.

Where copies of a lossless packet go when a switch knows the neighbour but not its MAC address.

The leaf routes such a packet into the VLAN of the receiver and sends it out of every port of that
VLAN (Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2). Where a VLAN
spans switches the copies go down and up again, and close cycles. Here a VLAN ends at its leaf: its
members are host ports, uplinks are routed. A copy adds the dependencies (any port of the leaf) ->
(host port), and no host passes anything on, so no cycle can go through them. What remains is that
one packet needs room at all these ports at once: any of them that is paused holds back the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.intent.classes import lossless_classes
from fabric.qos.deadlock.cycle import Channel, Channels, Cycle, one_cycle, remaining
from fabric.topology.model import NO_VLAN
from fabric.topology.twins import distinct_rows

if TYPE_CHECKING:
    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric, Ints
    from fabric.topology.routes import Network
    from fabric.topology.routes_bits import Bits


#: PFC has eight priorities (IEEE 802.1Q-2018 clause 36).
PRIORITIES = 8
LOSSY = -1


@dataclass(frozen=True, eq=False)
class Lossless:
    """Channels between switches; hosts wait for nobody, so their channels are on no cycle.

    A packet keeps its DSCP on its way, and a switch may give it another priority on each port. So
    a place (see ``Channels``) is a switch and a DSCP.

    Parameters
    ----------
    channels : Channels
        n channels, parallel cables of one class as one.
    links : array of int, shape (n,)
        Row of each channel in the links of the network.
    cables : array of int, shape (n,)
        Row of (the first of) its uplinks.
    codes : array of int, shape (n,)
        Class: DSCP * 8 + PFC priority.
    """

    fabric: Fabric
    channels: Channels
    links: Ints
    cables: Ints
    codes: Ints

    @classmethod
    def of(cls, fabric: Fabric, net: Network, resolver: PolicyResolver) -> Lossless:
        """Return the lossless channels over which routes run."""
        up, classes = fabric.uplinks, uplink_classes(fabric, resolver)
        usable = up.enabled & (net.links.rows(up.lower, up.upper) >= 0)
        rows, columns = np.nonzero(usable[:, None] & (classes != LOSSY))
        codes = classes[rows, columns]
        switches = len(fabric.switches)
        keys = (codes * switches + up.lower[rows]) * switches + up.upper[rows]
        first = np.unique(keys, return_index=True)[1]
        rows, codes = rows[first], np.tile(codes[first], 2)
        source = np.concatenate([up.lower[rows], up.upper[rows]])
        target = np.concatenate([up.upper[rows], up.lower[rows]])
        rows = np.tile(rows, 2)
        kinds, kind = np.unique(codes // PRIORITIES, return_inverse=True)
        leaves, arrives = (switch * len(kinds) + kind for switch in (source, target))
        order = np.lexsort((arrives, leaves))
        return cls(
            fabric=fabric,
            channels=Channels(leaves[order], arrives[order]),
            links=net.links.rows(source[order], target[order]),
            cables=rows[order],
            codes=codes[order],
        )

    def kinds(self, net: Network) -> Ints:
        """Return the kind of each link of the network: links of one kind have the same classes."""
        codes, code = np.unique(self.codes, return_inverse=True)
        table = np.zeros((len(net.links), len(codes)), dtype=np.bool_)
        table[self.links, code] = True
        return distinct_rows(table)[1]

    def cycle(self, net: Network, carried: Bits) -> Cycle | None:
        """Return a cyclic dependency of what the links of the network carry, or None."""
        bits = carried.take(self.links, axis=0)
        live = remaining(self.channels, bits)
        if not len(live):
            return None
        rows = one_cycle(self.channels, bits, live)
        return Cycle(tuple(self._channel(net, row) for row in rows))

    def _channel(self, net: Network, row: int) -> Channel:
        up, names = self.fabric.uplinks, self.fabric.switches.names
        cable, link = int(self.cables[row]), int(self.links[row])
        source, target = int(net.links.source[link]), int(net.links.target[link])
        ends = {
            int(up.lower[cable]): int(up.lower_port[cable]),
            int(up.upper[cable]): int(up.upper_port[cable]),
        }
        return Channel(
            names[source],
            names[target],
            int(self.codes[row]) % PRIORITIES,
            self.fabric.switches.skus[source].port(ends[source]),
            self.fabric.switches.skus[target].port(ends[target]),
        )


def vertex_count(fabric: Fabric, resolver: PolicyResolver) -> int:
    """Return how many lossless buffers there are: both directions and each class of live cables."""
    uplinks = fabric.uplinks.enabled[:, None] & (uplink_classes(fabric, resolver) != LOSSY)
    nics = fabric.nics.enabled[:, None] & (nic_classes(fabric, resolver) != LOSSY)
    return 2 * int(uplinks.sum() + nics.sum())


def uplink_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    """Return the k classes of each of n uplinks: DSCP * 8 + priority, or -1; shape (n, k).

    The DSCP is the one that hosts send the class with: it stands for all DSCPs of the class.
    """
    up, ports = fabric.uplinks, _port_classes(fabric, resolver)
    return _agreed(ports[up.lower, up.lower_port], ports[up.upper, up.upper_port])


def nic_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    """Return the classes of each cable between NIC and leaf: as those of uplinks."""
    nics, ports = fabric.nics, _port_classes(fabric, resolver)
    return _agreed(_host_classes(fabric, resolver)[nics.host], ports[nics.leaf, nics.port])


def _agreed(near: Ints, far: Ints) -> Ints:
    """Return the classes on which both ends agree.

    One that pauses another priority than the other end uses, or none, stops nothing there: its
    buffer overflows, and nobody waits for it. Rules QOS004 to QOS006 report such cables.
    """
    shared = (near[:, :, None] == far[:, None, :]).any(axis=2)
    return np.where(shared, near, LOSSY)


def _codes(policy: LosslessPolicy, width: int) -> list[int]:
    classes = lossless_classes(policy) if policy.pfc else ()
    codes = [one.roce_dscp * PRIORITIES + one.pfc_priority for one in classes]
    return codes + [LOSSY] * (width - len(codes))


def _width(fabric: Fabric) -> int:
    """Return the most classes of any policy of the inventory, at least 1."""
    intent, file = fabric.intent, fabric.intent.fabric
    platforms = (file.platforms.leaf, file.platforms.spine, file.platforms.super_spine)
    devices = [one.value for items in intent.device_overrides.values() for one in items]
    hosts = [one.value for items in intent.host_overrides.values() for one in items]
    ports = [port for device in devices for port in device.ports.values()]
    layers = [one.lossless for one in (file, *platforms, *devices, *ports, *hosts) if one]
    return max(1, *(len(layer.classes) for layer in layers if layer))


def _port_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    switches = fabric.switches
    widest = max(model.port_count for model in set(switches.skus))
    width = _width(fabric)
    policies = [
        resolver.switch(name, switches.role(row)) for row, name in enumerate(switches.names)
    ]
    codes = {
        id(policy): _codes(policy, width) for policy in {id(one): one for one in policies}.values()
    }
    rows = np.array([codes[id(policy)] for policy in policies], dtype=np.int64)
    table = np.repeat(rows[:, None], widest + 1, axis=1)
    for name, overrides in fabric.intent.device_overrides.items():
        ports = {port for item in overrides for port in item.value.ports}
        row = fabric.switch_row[name]
        numbers = switches.skus[row].port_numbers() if ports else {}
        for port in ports:
            policy = resolver.switch(name, switches.role(row), port)
            table[row, numbers[port]] = _codes(policy, width)
    return table


def _host_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    own = fabric.intent.host_overrides
    shared = next((name for name in fabric.hosts.names if name not in own), "")
    width = _width(fabric)
    rows = np.zeros((len(fabric.hosts), width), dtype=np.int64)
    if shared:
        rows[:] = _codes(resolver.host(shared), width)
    for name in own:
        rows[fabric.host_row[name]] = _codes(resolver.host(name), width)
    return rows


@dataclass(frozen=True, slots=True)
class Flood:
    """The largest VLAN of a leaf: lossless host ports that get a copy, and uplinks that wait."""

    leaf: str
    ports: int
    uplinks: int


def floods(fabric: Fabric, resolver: PolicyResolver) -> list[Flood]:
    """Return, for each leaf, where copies reach more than the port that they are for."""
    nics, names = fabric.nics, fabric.switches.names
    lossless = nics.enabled & (nic_classes(fabric, resolver) != LOSSY).any(axis=1)
    vlans = fabric.subnets.vlan[nics.subnet]
    rows = np.flatnonzero(lossless & (vlans != NO_VLAN))
    vlan = vlans[rows]
    ends, ports = np.unique(np.stack([nics.leaf[rows], vlan]), axis=1, return_counts=True)
    uplinks = np.bincount(fabric.uplinks.lower[fabric.uplinks.enabled], minlength=len(names))
    largest: dict[int, Flood] = {}
    for leaf, count in zip(ends[0].tolist(), ports.tolist(), strict=True):
        known = largest.get(leaf)
        if count > (known.ports if known else 1):
            largest[leaf] = Flood(names[leaf], count, int(uplinks[leaf]))
    return list(largest.values())
