"""An inventory and everything that follows from it, computed when it is asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.intent.inventory import load

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.intent.inventory import Intent
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric
    from fabric.validate.world import World


class Project:
    """The stages of one inventory folder.

    Parameters
    ----------
    folder : str or Path
        Inventory folder; loaded at once, the later stages when they are asked for.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """

    def __init__(self, folder: str | Path) -> None:
        self.intent: Intent = load(Path(folder), str(folder))

    def over(self, fabric: Fabric) -> Project:
        """Return the project with another network in place of that of its inventory."""
        other = object.__new__(Project)
        stages = {
            name for name, value in vars(Project).items() if isinstance(value, cached_property)
        }
        given = {name: value for name, value in vars(self).items() if name not in stages}
        other.__dict__.update(given, resolver=self.resolver, fabric=fabric)
        return other

    @cached_property
    def fabric(self) -> Fabric:
        """The realised network."""
        from fabric.topology import realise

        return realise(self.intent)

    @cached_property
    def resolver(self) -> PolicyResolver:
        """Policies by device and port."""
        from fabric.intent.resolve import PolicyResolver

        return PolicyResolver(self.intent)

    @cached_property
    def devices(self) -> dict[str, DeviceDesign]:
        """Design of every switch."""
        from fabric.design.switch import SwitchDesigner

        designer = SwitchDesigner(self.fabric, self.resolver)
        return {name: designer.design(row) for row, name in enumerate(self.fabric.switches.names)}

    @cached_property
    def hosts(self) -> dict[str, HostDesign]:
        """Design of every host."""
        from fabric.design.host import HostDesigner

        designer = HostDesigner(self.fabric, self.resolver)
        return {name: designer.design(row) for row, name in enumerate(self.fabric.hosts.names)}

    @cached_property
    def switch_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every switch."""
        from fabric.render import render_device

        return {name: render_device(design) for name, design in self.devices.items()}

    @cached_property
    def host_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every host."""
        from fabric.render import render_host

        return {name: render_host(design) for name, design in self.hosts.items()}

    @cached_property
    def world(self) -> World:
        """What the rules look at."""
        import json

        from fabric.validate.world import Model, World

        model = Model(self.intent, self.fabric, self.resolver, self.devices, self.hosts)
        sonic = {
            name: json.loads(item.content)
            for name, items in self.switch_artefacts.items()
            for item in items
            if item.kind == "config_db"
        }
        return World(model, sonic, self.intent.skus)
