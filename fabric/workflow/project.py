"""An inventory and everything that follows from it, computed when it is asked for."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.intent.inventory import load
from fabric.workflow.stages import ARTEFACTS, rendered_host, rendered_switch
from fabric.workflow.work import Work

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
    work : Work, optional
        How files are rendered and judged; in this process, and always anew, unless told otherwise.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """

    def __init__(self, folder: str | Path, work: Work | None = None) -> None:
        self.intent: Intent = load(Path(folder), str(folder))
        self.work = work or Work()

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
        return self.work.each("switch", rendered_switch, self.devices, ARTEFACTS)

    @cached_property
    def host_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every host."""
        return self.work.each("host", rendered_host, self.hosts, ARTEFACTS)

    def rendered(self) -> tuple[int, int]:
        """Return how many devices were rendered now, and how many there are files of."""
        made = self.work.made["switch"] + self.work.made["host"]
        return made, made + self.work.kept["switch"] + self.work.kept["host"]

    @cached_property
    def sonic_files(self) -> dict[str, bytes]:
        """Rendered CONFIG_DB of every SONiC switch."""
        return {
            name: item.content
            for name, items in self.switch_artefacts.items()
            for item in items
            if item.kind == "config_db"
        }

    @cached_property
    def world(self) -> World:
        """What the rules look at."""
        from fabric.validate.world import Model, World

        model = Model(self.intent, self.fabric, self.resolver, self.devices, self.hosts)
        sonic = {name: json.loads(content) for name, content in self.sonic_files.items()}
        return World(model, sonic, self.intent.skus)
