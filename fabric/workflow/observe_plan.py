"""What the inventory says of the devices that are observed, as figures for monitoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.exchange.network import plant
from fabric.intent.classes import lossless_classes
from fabric.report.exposition_plan import planned

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.report.exposition import Figure
    from fabric.workflow.project import Project


def plan_figures(project: Project, devices: Collection[str]) -> dict[str, list[Figure]]:
    """Return roles, places, cables, speeds and lossless classes of devices.

    Parameters
    ----------
    devices : collection of str
        Devices that are observed.
    """
    switches, resolver = project.fabric.switches, project.resolver
    policies = {
        name: resolver.switch(name, switches.role(row)) for row, name in enumerate(switches.names)
    } | {name: resolver.host(name) for name in project.fabric.hosts.names}
    classes = {name: lossless_classes(policies[name]) for name in devices}
    return planned(plant(project.fabric), classes)
