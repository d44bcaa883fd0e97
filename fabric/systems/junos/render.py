"""Junos: the statements of ours as ``set`` lines.

Accounts, NETCONF and the management port are not rendered: what stands on the switch is kept when a
change is applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import marked, scoped
from fabric.systems.junos.view import view

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign

#: Templates in the order in which Junos shows its hierarchy.
FEATURES = (
    "hostname",
    "arp",
    "syslog",
    "ntp",
    "chassis",
    "interfaces",
    "gateways",
    "loopback",
    "hash",
    "policy",
    "tenant_policy",
    "classifiers",
    "drop_profiles",
    "shared_buffer",
    "classes",
    "pfc",
    "port_qos",
    "scheduler_maps",
    "schedulers",
    "vrfs",
    "routing",
    "bgp",
    "overlay",
    "mac_ageing",
    "lldp",
    "spanning_tree",
    "vlans",
)


@renderers.add("junos")
def render_junos(design: DeviceDesign) -> list[Artefact]:
    """Return ``junos.set`` of a Junos switch."""
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"junos/{feature}.j2", design.name, values) for feature in FEATURES]
    rows = [row for row in "\n".join(blocks).splitlines() if row]
    content = marked(design, "\n".join([*rows, ""]), "#")
    path = f"switches/{design.name}/junos.set"
    return [Artefact(design.name, design.platform, "set", path, content.encode())]
