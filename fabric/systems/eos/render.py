"""Arista EOS: the whole configuration, except what belongs to the management of the switch.

Users, AAA, eAPI and the management interface are not rendered: what stands on the switch is kept
when a change is applied. Block order is that of pyavd 6.4.0, which is the order in which EOS
prints its running configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import marked, scoped
from fabric.systems.eos.view import view

if TYPE_CHECKING:
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
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"eos/{feature}.j2", design.name, values) for feature in FEATURES]
    text = "".join(f"!\n{block.rstrip()}\n" for block in blocks if block.strip())
    return [
        Artefact(
            design.name,
            design.platform,
            "startup-config",
            f"switches/{design.name}/startup-config.eos",
            marked(design, text, "!").encode(),
        )
    ]
