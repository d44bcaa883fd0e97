"""Cisco NX-OS: everything but the management of the switch.

Users, AAA, NX-API, VRFs and the management interface are not rendered: what stands on the switch is
kept when a change is applied. Blocks stand in an order in which a switch takes them line by line:
what is named before what names it. Times of the watchdog are not rendered: no public source spells
them for these switches; nor is a pause buffer, unless the inventory gives its figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.render.blocks import file_of_blocks
from fabric.render.registry import renderers
from fabric.systems.nxos.view import view

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

#: Templates in the order of their blocks.
FEATURES = (
    "hostname",
    "features",
    "vrfs",
    "watchdog",
    "class_maps",
    "classification",
    "network_qos",
    "queuing",
    "pause_buffer",
    "system_qos",
    "vlans",
    "prefix_list",
    "route_map",
    "vrf_policies",
    "gateways",
    "interfaces",
    "loopback",
    "vxlan",
    "load_sharing",
    "balancing",
    "bgp",
    "mac_ageing",
    "ntp",
    "syslog",
)


@renderers.add("nxos")
def render_nxos(design: DeviceDesign) -> list[Artefact]:
    """Return ``running-config.nxos`` of an NX-OS switch.

    Raises
    ------
    RenderError
        When the design needs what NX-OS cannot do; see `fabric.systems.nxos.view.view`.
    """
    return file_of_blocks(design, view, FEATURES, "running-config")
