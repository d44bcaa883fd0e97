"""Junos: the statements of ours, once as ``set`` lines and once as hierarchy.

Accounts, NETCONF and the management port are not rendered: what stands on the switch is kept when a
change is applied. Every line is put before the grammar of what Juniper's own configurations hold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.core.errors import RenderError
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import marked, scoped
from fabric.systems.junos.platforms.grammar import StatementError, statements
from fabric.systems.junos.platforms.text import ConfigurationTextError, read_set
from fabric.systems.junos.platforms.tree import nested, placed
from fabric.systems.junos.view import view

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.systems.junos.platforms.tree import Placed

#: Templates in the order in which Junos shows its hierarchy.
FEATURES = (
    "hostname",
    "arp",
    "syslog",
    "ntp",
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
    """Return ``junos.set`` and ``junos.conf`` of a Junos switch."""
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"junos/{feature}.j2", design.name, values) for feature in FEATURES]
    result = checked("\n".join(blocks), design.name)
    folder = f"switches/{design.name}"
    both = (
        ("set", "junos.set", "\n".join([*result, ""])),
        ("hierarchy", "junos.conf", nested(result.values())),
    )
    return [
        Artefact(
            design.name,
            design.platform,
            kind,
            f"{folder}/{name}",
            marked(design, content, "#").encode(),
        )
        for kind, name, content in both
    ]


def checked(text: str, device: str) -> dict[str, Placed]:
    """Return the lines of a text; the grammar knows each, and none stands twice.

    Raises
    ------
    RenderError
        Naming the line.
    """
    by_name: dict[str, Placed] = {}
    for row in filter(None, text.splitlines()):
        if row in by_name:
            raise RenderError(f"{device}: junos.set: {row!r} appears twice")
        try:
            by_name[row] = _statement(row)
        except (ConfigurationTextError, StatementError) as error:
            raise RenderError(f"{device}: junos.set: {row!r}: {error}") from error
    return by_name


@lru_cache(maxsize=1 << 14)
def _statement(row: str) -> Placed:
    """Return the statement of a line; those of ports repeat from switch to switch."""
    ((_, words),) = read_set(row)
    (values,) = statements(words)
    return placed(values)
