"""H3C Comware 7: what public documents say well enough, and nothing of the management.

Users, lines, SNMP, VPN instances and management ports are not rendered: what stands on the switch
is kept when a change is applied. The text has the form of the running configuration. Left out
because no public source says enough: the PFC watchdog (unit of its times), egress buffers and
their `buffer apply` (disturbs PFC on some releases), FEC, the largest frame of switched ports
(stays at its default). Marking thresholds and headroom are rendered only when the inventory or the
model says them, and the cell of the model is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import marked, scoped
from fabric.systems.comware7.platforms import EXPERIMENTAL
from fabric.systems.comware7.view import view

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign

#: Templates in the order of their blocks.
FEATURES = (
    "sysname",
    "lldp",
    "map_tables",
    "wred",
    "vlans",
    "loopback",
    "gateways",
    "interfaces",
    "bgp",
    "ageing",
    "ntp",
    "syslog",
)


@renderers.add("comware7")
def render_comware7(design: DeviceDesign) -> list[Artefact]:
    """Return ``running-config.comware7`` of a Comware 7 switch.

    Raises
    ------
    RenderError
        When the design needs what Comware 7 cannot do; see `fabric.systems.comware7.view.view`.
    """
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"comware7/{feature}.j2", design.name, values) for feature in FEATURES]
    body = "".join(f"{block.strip()}\n" for block in blocks if block.strip())
    text = f"# {EXPERIMENTAL}\n{body}#\nreturn\n"
    path = f"switches/{design.name}/running-config.comware7"
    text = marked(design, text, "#")
    return [Artefact(design.name, design.platform, "running-config", path, text.encode())]
