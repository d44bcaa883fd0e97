"""Huawei VRP8: everything but the management of the switch.

Users, AAA, SSH, VPN instances and the management interface are not rendered: what stands on the
switch is kept when a change is applied. Not rendered either: thresholds of pausing, whose defaults
hold; AI ECN, which needs a licence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.render.blocks import file_of_blocks
from fabric.render.registry import renderers
from fabric.systems.vrp8.view import view

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

#: Templates in the order of their blocks: what is named before what names it, and the times of the
#: watchdog after the ports that pause (``dcb pfc deadlock-detect timer``: a port has PFC before).
FEATURES = (
    "sysname",
    "lldp",
    "bfd",
    "vlans",
    "headroom_pool",
    "pfc",
    "classification",
    "marking",
    "split",
    "interfaces",
    "deadlock",
    "gateways",
    "loopback",
    "ageing",
    "balancing",
    "bgp",
    "ntp",
    "syslog",
)


@renderers.add("vrp8")
def render_vrp8(design: DeviceDesign) -> list[Artefact]:
    """Return ``running-config.vrp8`` of a VRP8 switch.

    Raises
    ------
    RenderError
        When the design needs what VRP8 cannot do; see `fabric.systems.vrp8.view.view`.
    """
    return file_of_blocks(design, view, FEATURES, "running-config", "#")
