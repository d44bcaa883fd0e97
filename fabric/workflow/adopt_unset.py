"""What switches run that adopted files do not set: VRFs of tenants, and breakouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.audit.adoption.differences import BREAKOUT, VRF, Difference
from fabric.exchange.lanes import knows_port
from fabric.exchange.network import plant
from fabric.exchange.vrfs import joined, lost_vrfs, planned_vrfs
from fabric.observe.configuration.blocks import DEFAULT_VRF

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.exchange.plant import End
    from fabric.exchange.vrfs import FabricVrf
    from fabric.observe.configuration.lossless import Lossless
    from fabric.workflow.adopt_reading import Read
    from fabric.workflow.project import Project


class Tenancy:
    """VRFs of tenants that run, and those of the inventory."""

    def __init__(self, project: Project, read: Read) -> None:
        self._running, self._planned = joined(read.vrfs), {}
        if self._running or project.fabric.tenants is not None:
            self._planned = planned_vrfs(plant(project.fabric))
        self._now, self._then = _by_port(self._running), _by_port(self._planned)

    def lost(self) -> list[Finding]:
        """Return what the inventory does not have of the VRFs that run."""
        return list(lost_vrfs(self._running, self._planned))

    def of_port(self, name: str, port: str) -> tuple[dict[str, str], dict[str, str]]:
        """Return the VRF of a port that runs, and that of the inventory, as traits."""
        now, then = (vrfs.get((name, port), DEFAULT_VRF) for vrfs in (self._now, self._then))
        return ({}, {}) if now == then else ({VRF: now}, {VRF: then})


def _by_port(vrfs: Mapping[str, FabricVrf]) -> dict[End, str]:
    return {end: name for name, vrf in vrfs.items() for end in vrf.ports}


def other_breakouts(design: DeviceDesign, state: Lossless) -> list[Difference]:
    """Return the ports that run and that the switch has with other breakouts alone."""
    ports = [
        port
        for port, policy in state.ports.items()
        if port not in design.port_by_name and knows_port(design.sku, port, policy.speed_gbps)
    ]
    return [Difference(BREAKOUT, "this port", "none", tuple(ports))] if ports else []
