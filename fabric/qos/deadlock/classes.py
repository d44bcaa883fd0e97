"""Which cables are lossless, for which DSCP and in which priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric, Ints

#: PFC has eight priorities (IEEE 802.1Q-2018 clause 36).
PRIORITIES = 8
LOSSY = -1


def uplink_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    """Return the class of each uplink: DSCP * 8 + priority, or -1 where it is lossy."""
    up, ports = fabric.uplinks, _port_classes(fabric, resolver)
    return _agreed(ports[up.lower, up.lower_port], ports[up.upper, up.upper_port])


def nic_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    """Return the class of each cable between NIC and leaf: as that of uplinks."""
    nics, ports = fabric.nics, _port_classes(fabric, resolver)
    return _agreed(_host_classes(fabric, resolver)[nics.host], ports[nics.leaf, nics.port])


def _agreed(here: Ints, there: Ints) -> Ints:
    """Return the class on which both ends agree.

    One that pauses another priority than the other end uses, or none, stops nothing there: its
    buffer overflows, and nobody waits for it. Rules QOS004 to QOS006 report such cables.
    """
    return np.where(here == there, here, LOSSY)


def _class(policy: LosslessPolicy) -> int:
    return policy.roce_dscp * PRIORITIES + policy.pfc_priority if policy.pfc else LOSSY


def _port_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    switches = fabric.switches
    widest = max(model.port_count for model in set(switches.skus))
    table = np.zeros((len(switches), widest + 1), dtype=np.int64)
    for row, name in enumerate(switches.names):
        table[row] = _class(resolver.switch(name, switches.role(row)))
    for name, overrides in fabric.intent.device_overrides.items():
        row = fabric.switch_row[name]
        numbers = switches.skus[row].port_numbers()
        for port in {port for item in overrides for port in item.value.ports}:
            table[row, numbers[port]] = _class(resolver.switch(name, switches.role(row), port))
    return table


def _host_classes(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    own = fabric.intent.host_overrides
    shared = next((name for name in fabric.hosts.names if name not in own), "")
    rows = np.zeros(len(fabric.hosts), dtype=np.int64)
    if shared:
        rows[:] = _class(resolver.host(shared))
    for name in own:
        rows[fabric.host_row[name]] = _class(resolver.host(name))
    return rows
