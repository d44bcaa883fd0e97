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
from fabric.systems.junos.platforms.stanzas import hierarchy_alike
from fabric.systems.junos.platforms.text import ConfigurationTextError, read_set
from fabric.systems.junos.platforms.tree import nested, placed
from fabric.systems.junos.view import view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import DeviceDesign
    from fabric.systems.junos.platforms.tree import Placed

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
    """Return ``junos.set`` and ``junos.conf`` of a Junos switch."""
    design = scoped(design)
    values = {"view": view(design), "device": design}
    blocks = [render(f"junos/{feature}.j2", design.name, values) for feature in FEATURES]
    rows = [row for row in "\n".join(blocks).splitlines() if row]
    flat = f"switches/{design.name}/junos.set"
    both = (
        ("set", flat, "\n".join([*rows, ""]), ""),
        ("hierarchy", f"switches/{design.name}/junos.conf", hierarchy(rows, design.name), flat),
    )
    return [
        Artefact(
            design.name,
            design.platform,
            kind,
            path,
            marked(design, content, "#").encode(),
            same_as=same_as,
        )
        for kind, path, content, same_as in both
    ]


def hierarchy(rows: Iterable[str], device: str) -> str:
    """Return ``set`` lines in hierarchical form; the grammar knows each, and none stands twice.

    Raises
    ------
    RenderError
        Naming the line.
    """
    stanzas: dict[str, list[str]] = {}
    for row in rows:
        stanzas.setdefault(row.split(" ", 2)[:2][-1], []).append(row)
    return "".join(
        hierarchy_alike("\n".join(stanza)) or nested(_checked(stanza, device))
        for stanza in stanzas.values()
    )


def _checked(rows: Iterable[str], device: str) -> Iterable[Placed]:
    by_row: dict[str, Placed] = {}
    for row in rows:
        if row in by_row:
            raise RenderError(f"{device}: junos.set: {row!r} appears twice")
        try:
            by_row[row] = _statement(row)
        except (ConfigurationTextError, StatementError) as error:
            raise RenderError(f"{device}: junos.set: {row!r}: {error}") from error
    return by_row.values()


@lru_cache(maxsize=1 << 14)
def _statement(row: str) -> Placed:
    """Return the statement of a line; those of ports repeat from switch to switch."""
    ((_, words),) = read_set(row)
    (values,) = statements(words)
    return placed(values)
