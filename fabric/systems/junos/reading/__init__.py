"""Junos: what a configuration says of ports, VLANs and BGP, as ``set`` lines or as a hierarchy.

Ports work until ``disable``; their name is that of the port, without ``unit 0``. A gateway is the
``l3-interface`` of its VLAN. Several paths are used where every group has ``multipath`` and a
policy with ``load-balance per-packet`` stands before the forwarding table, and at most 16 without
``chassis maximum-ecmp``; that QFX switches of today keep this default is not confirmed. Paths over
different ASes need ``multiple-as``; without it Junos wants the same neighbour AS, which is read as
the same path. Chains of policies, other units than 0 and groups to be applied are not read; of
routing instances, what tenants need is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Configured, readers
from fabric.systems.junos.reading.model import RoutingLines
from fabric.systems.junos.reading.policies import settle_policies
from fabric.systems.junos.reading.ports import settle_ports
from fabric.systems.junos.reading.routing import settle_bgp
from fabric.systems.junos.reading.statements import statements
from fabric.systems.junos.reading.table import LINES
from fabric.systems.junos.reading.vrfs import settle_vrfs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read"]


@readers.add("junos")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a Junos configuration says.

    Raises
    ------
    UnreadableError
        When the text is neither of the two forms.
    """
    lines = statements(files["set"])
    reading = RoutingLines(Configured("junos", "set"))
    # Names of VLANs are used above the statement that numbers them.
    LINES.top.read(reading, [line for line in lines if " vlan-id" in line.text], [])
    LINES.top.read(reading, lines, reading.switch.leftovers)
    settle_ports(reading)
    settle_policies(reading)
    settle_bgp(reading)
    settle_vrfs(reading)
    return reading.switch
