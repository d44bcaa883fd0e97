"""An inventory and everything that follows from it, computed when it is asked for."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.intent.site import load_beside, own_name
from fabric.workflow.members import Members
from fabric.workflow.stages import ARTEFACTS, rendered_host, rendered_switch
from fabric.workflow.work import Work

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.intent.inventory import Intent
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric
    from fabric.topology.site import Site
    from fabric.validate.world import Model, World


class Project:
    """The stages of one inventory folder.

    Parameters
    ----------
    folder : str or Path
        Inventory folder; loaded at once, the later stages when they are asked for.
    work : Work, optional
        How files are rendered and judged; in this process, and always anew, unless told otherwise.
    members : Members, optional
        The fabrics of its site, where they are loaded already.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """

    def __init__(
        self, folder: str | Path, work: Work | None = None, members: Members | None = None
    ) -> None:
        self._own = own_name(Path(folder))
        self._members = members or Members(load_beside(Path(folder), str(folder)))
        self.intent: Intent = self._members.intents[self._own]
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
        return self._members.fabric(self._own)

    @cached_property
    def site(self) -> Site | None:
        """The fabrics that this one stands beside; None where it stands alone."""
        return self._members.site(self._own)

    @property
    def model(self) -> Model:
        """The stages from intent to design, for rules."""
        from fabric.validate.world import Model

        stages = (self.intent, self.fabric, self.resolver, self.devices, self.hosts)
        return Model(*stages, self.site)

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

        elsewhere = self._members.neighbours_elsewhere(self._own)
        designer = HostDesigner(self.fabric, self.resolver, elsewhere)
        return {name: designer.design(row) for row, name in enumerate(self.fabric.hosts.names)}

    @cached_property
    def switch_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every switch."""
        return self.work.each("switch", rendered_switch, self.devices, ARTEFACTS)

    @cached_property
    def host_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every host."""
        return self.work.each("host", rendered_host, self.hosts, ARTEFACTS)

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
        from fabric.validate.world import World

        sonic = {name: json.loads(content) for name, content in self.sonic_files.items()}
        return World(self.model, sonic, self.intent.skus, is_rendered=True)
