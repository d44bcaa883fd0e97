"""Cumulus Linux: what ``nv set`` lines, or a ``startup.yaml``, say of PFC, ECN, maps and ageing.

A class is a switch priority, a queue a traffic class. ``qos roce`` stands for a whole policy
(CumulusNetworks/docs, content/cumulus-linux-514, RDMA over Converged Ethernet), which other lines
change; switch priorities of ``qos pfc`` take the place of its own, as in the guide's example of
another priority. Without it nothing pauses, DSCP is not trusted, traffic class n belongs to switch
priority n, and ECN marks in traffic class 0; PFC then needs memory for lossless traffic besides
(Quality of Service, same place). DSCP n has switch priority n / 8 where no line says it. A profile
of a port takes the place of ``default-global``.

A port carries 9216 bytes and is up where no line says it; that a port without ``link state`` is up
is not confirmed. What holds for all ports counts for those that have an address, a bridge, a BGP
session or QoS. ARP lives 1.5 times the base reachable time, 1080 s by default, MAC addresses 1800
s, which counts where a port is in a bridge; addresses and ports choose between equal paths
(Address Resolution Protocol; Ethernet Bridging; Equal Cost Multipath).

Not judged, as no source confirms it: ``ageing 0``, for which the guide and the command reference
differ; pause thresholds of ``qos pfc``, which are part of a buffer that the switch sizes; ECN
thresholds that neither a line nor ``qos roce`` gives; whether a profile without ``trust`` trusts
DSCP; ``lossy-multi-tc`` beyond the fact that it does not pause. What is said of a bond holds for
its members.
"""

from __future__ import annotations

from fabric.observe.configuration.lossless import Lossless, LosslessReader, lossless_readers
from fabric.observe.configuration.tunnels import TunnelLine, TunnelLines, tunnel_lines
from fabric.systems.cumulus.reading.text import paths_of
from fabric.systems.cumulus.reading_lossless import ports, profiles
from fabric.systems.cumulus.reading_lossless.bonds import with_bonds
from fabric.systems.cumulus.reading_lossless.model import LINES, LosslessLines
from fabric.systems.cumulus.reading_lossless.settle import settle

__all__ = ["ports", "profiles", "read"]


def read(text: str) -> Lossless:
    """Return what the lines of a switch say of the lossless class, or its YAML text.

    Raises
    ------
    UnreadableError
        When it is neither.
    """
    reading = LosslessLines(Lossless("cumulus"))
    LINES.top.read(reading, [*with_bonds(paths_of(text))], reading.switch.leftovers)
    settle(reading)
    return reading.switch


tunnel_lines.add("cumulus")(
    TunnelLines(
        # CumulusNetworks/docs, cumulus-linux-514: VXLAN Tunnel DSCP Operations
        r"^nv set nve vxlan (enable on|enable enabled|source address)",
        (
            TunnelLine(
                "dscp",
                r"^nv set nve vxlan encapsulation dscp action copy",
                wanted=True,
                message="the outer DSCP is derived from the priority, the default",
            ),
            TunnelLine(
                "dscp",
                r"^nv set nve vxlan decapsulation dscp action preserve",
                wanted=True,
                message="the DSCP of a packet out of the tunnel is derived from its priority",
            ),
        ),
    )
)

lossless_readers.add("cumulus")(
    LosslessReader(
        read,
        (
            r"^nv set (system|interface|bridge|router|vrf|qos|service) ",
            r"^nv set interface swp\d",
            r"^nv set (qos roce|router bgp|vrf default router) ",
            r"^(- )?set:$",
            r"^ +swp\d[^ ]*:",
            r"^ +br_default:",
            r"^ +nvue-api-version:",
        ),
        shares_in_percent=True,
        ports_make_vlans=True,  # CumulusNetworks/ifupdown2 addons/bridge.py (bridge-access)
    )
)
