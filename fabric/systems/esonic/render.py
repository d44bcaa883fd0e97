"""Enterprise SONiC: everything but the management of the switch.

Users, AAA and the management interface are not rendered: what stands on the switch is kept
when a change is applied. Blocks stand in an order in which a switch takes them line by line: what
is named before what names it. LLDP is on by default and has no line. Buffer pools and profiles are
those that ``buffer init lossless`` makes of the model and of ``cable-length``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.render.blocks import file_of_blocks
from fabric.render.registry import renderers
from fabric.systems.esonic.view import view

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

#: Templates in the order of their blocks.
FEATURES = (
    "hostname",
    "buffers",
    "hash",
    "ageing",
    "watchdog",
    "wred",
    "scheduler",
    "maps",
    "vrfs",
    "prefix_list",
    "route_map",
    "vrf_policies",
    "gateways",
    "loopback",
    "vxlan",
    "breakouts",
    "interfaces",
    "bgp",
    "vrf_bgp",
    "ntp",
    "syslog",
)


@renderers.add("esonic")
def render_esonic(design: DeviceDesign) -> list[Artefact]:
    """Return ``running-configuration.esonic`` of a switch.

    Raises
    ------
    RenderError
        When the design needs what the system cannot do; see `fabric.systems.esonic.view.view`.
    """
    return file_of_blocks(design, view, FEATURES, "running-configuration")
