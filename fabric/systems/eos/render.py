"""Arista EOS: the whole configuration, except what belongs to the management of the switch.

Users, AAA, eAPI and the management interface are not rendered: what stands on the switch is kept
when a change is applied. Block order is that of pyavd 6.4.0, which is the order in which EOS
prints its running configuration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.systems.eos.scope import MARK
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
    "interfaces",
    "loopback",
    "gateways",
    "cluster",
    "mac_ageing",
    "routing",
    "balancing",
    "prefix_list",
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


#: What other tools own where our lines are merged.
_OF_OTHERS = frozenset({"ntp", "syslog"})


@renderers.add("eos")
def render_eos(design: DeviceDesign) -> list[Artefact]:
    """Return ``startup-config.eos`` of an EOS switch."""
    merged = design.scope == "merge"
    if merged:  # ports without a cable may be used by others
        used = tuple(port for port in design.ports if port.kind != "unused")
        design = replace(design, ports=used)
    values = {"view": view(design), "device": design}
    features = [one for one in FEATURES if not (merged and one in _OF_OTHERS)]
    blocks = [render(f"eos/{feature}.j2", design.name, values) for feature in features]
    text = "".join(f"!\n{block.rstrip()}\n" for block in blocks if block.strip())
    text = f"{MARK}\n{text}" if merged else text
    return [
        Artefact(
            design.name,
            design.platform,
            "startup-config",
            f"switches/{design.name}/startup-config.eos",
            text.encode(),
        )
    ]
