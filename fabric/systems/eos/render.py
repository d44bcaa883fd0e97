"""Arista EOS: the whole configuration, except what belongs to the management of the switch.

Users, AAA, eAPI and the management interface are not rendered: what stands on the switch is kept
when a change is applied. Block order is that of pyavd 6.4.0, which is the order in which EOS
prints its running configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.render.blocks import file_of_blocks
from fabric.render.registry import renderers
from fabric.systems.eos.view import view

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

#: Templates in the order of their blocks.
FEATURES = (
    "ecn_counters",
    "routing_model",
    "queue_pairs",
    "syslog",
    "buffers",
    "hostname",
    "qos_profiles",
    "queue_pairs_apply",
    "vlans",
    "vrfs",
    "interfaces",
    "loopback",
    "gateways",
    "vxlan",
    "cluster",
    "mac_ageing",
    "routing",
    "balancing",
    "prefix_list",
    "prefix_list_ipv6",
    "routing_ipv6",
    "arp",
    "ntp",
    "qos_maps",
    "watchdog",
    "route_map",
    "bfd",
    "bgp",
    "buffers_apply",
)


@renderers.add("eos")
def render_eos(design: DeviceDesign) -> list[Artefact]:
    """Return ``startup-config.eos`` of an EOS switch."""
    return file_of_blocks(design, view, FEATURES, "startup-config")
