"""Cumulus Linux: one file of ``nv set`` lines, and one that clears their branches first.

``config.nv`` is the patch form: ``nv config patch`` merges it into what is there. ``clear.nv``
holds ``nv unset`` for every branch that is rocefab's; patched before ``config.nv`` into the same
pending revision, the two are a full replace of all that is ours and of nothing else; what it cannot
name are VLAN interfaces and broken out ports that only the switch knows. They are two files because
NVUE does not keep the order of lines within one patch. ``nv config replace`` is not used: it would
take the accounts along, whose passwords the switch shows masked. Where other tools own a part
(``scope: merge``), there is no ``clear.nv``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import mark, scoped
from fabric.systems.cumulus.view import view

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign

#: Templates of ``config.nv`` in the order of its blocks.
FEATURES = (
    "hostname",
    "services",
    "arp",
    "interfaces",
    "gateways",
    "vrfs",
    "loopback",
    "vxlan",
    "policy",
    "bgp",
    "evpn",
    "vrf_bgp",
    "adaptive_routing",
    "roce",
    "qos_maps",
    "scheduler",
    "ecn",
    "pfc",
    "watchdog",
)
CLEAR = "clear"


@renderers.add("cumulus")
def render_cumulus(design: DeviceDesign) -> list[Artefact]:
    """Return ``config.nv`` and ``clear.nv`` of a switch."""
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"cumulus/{feature}.j2", design.name, values) for feature in FEATURES]
    text = "".join(f"{block.rstrip()}\n" for block in blocks if block.strip())
    folder = f"switches/{design.name}"
    config = Artefact(design.name, design.platform, "nv-set", f"{folder}/config.nv", text.encode())
    if design.scope == "merge":
        return [config, mark(design)]
    clear = render(f"cumulus/{CLEAR}.j2", design.name, values).encode()
    return [config, Artefact(design.name, design.platform, "nv-unset", f"{folder}/clear.nv", clear)]
