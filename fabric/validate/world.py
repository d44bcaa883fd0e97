"""What rules look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.findings import Position
    from fabric.design.model import DeviceDesign, HostDesign, QosProfile
    from fabric.intent.inventory import Intent
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric

ConfigDb = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Place:
    """Where an inventory value stands: dotted field path, and position if it is written."""

    field: str
    position: Position | None


@dataclass(frozen=True)
class Model:
    """The stages of one inventory, from intent to design."""

    intent: Intent
    fabric: Fabric
    resolver: PolicyResolver
    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]

    def policy_place(self, policy_field: str, device: str, port: str = "") -> Place:
        """Return where a dotted field of the lossless policy of a device or port was set.

        A value that stands nowhere is a default; then the place is that of ``lossless``.
        """
        if device in self.hosts:
            origin = self.resolver.host_origin(policy_field, device)
        else:
            role = self.devices[device].role
            origin = self.resolver.switch_origin(policy_field, device, role, port)
        return Place(origin.field, origin.position or self.intent.position("lossless"))

    def profile_place(self, policy_field: str, device: DeviceDesign, profile: QosProfile) -> Place:
        """Return where a policy field of one of the profiles of a switch was set."""
        port = next((port.name for port in device.ports if port.qos is profile), "")
        return self.policy_place(policy_field, device.name, port if profile.index else "")

    def place(self, *path: str | int) -> Place:
        """Return the place of a field of ``fabric.yaml``."""
        dotted = ".".join(str(part) for part in ("fabric", *path))
        return Place(dotted, self.intent.position(*path))


@dataclass(frozen=True)
class World:
    """What there is to judge: a whole model, single SONiC configurations, or both.

    Parameters
    ----------
    model : Model or None
        The stages of an inventory.
    sonic : mapping
        CONFIG_DB by device: rendered here, or read from a file or a switch.
    """

    model: Model | None = None
    sonic: Mapping[str, ConfigDb] = field(default_factory=dict)
