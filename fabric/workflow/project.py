"""An inventory and everything that follows from it, computed when it is asked for."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.design.designs import Designs
from fabric.validate.places import Places
from fabric.workflow.checked_cache import checked_from_bytes, checked_to_bytes
from fabric.workflow.stages import Checking, Keep, Rendering, Stage, SwitchRendering, rendered_host
from fabric.workflow.work import Work, digests, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.topology.site import Members
    from fabric.validate.world import Model, World
    from fabric.workflow.stages import Checked


class Project(Designs):
    """The stages of one inventory folder, from intent to rendered files.

    Parameters
    ----------
    folder : str or Path
        Inventory folder; loaded at once, the later stages when they are asked for.
    work : Work, optional
        How files are rendered and judged; default: in this process, without a cache.
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
        super().__init__(folder, members)
        self.work = work or Work()

    @property
    def model(self) -> Model:
        """The stages from intent to design, for rules."""
        from fabric.validate.world import model_of

        return model_of(self)

    @cached_property
    def switch_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every switch."""
        return self.switch_files(self.devices)

    @cached_property
    def host_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every host."""
        return self.host_files(self.hosts)

    def switch_files(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        """Return the rendered files of some switches."""
        rendering = SwitchRendering(self.devices.of_row, self._places)
        rows = {name: self.devices.rows[name] for name in names}
        return self.work.each(Stage("switch", "switches", rendering), rows)

    def host_files(
        self, names: Iterable[str], then: Callable[[list[Artefact]], Any] = same
    ) -> dict[str, Any]:
        """Return the rendered files of some hosts, or what is made of them."""
        rendering = Rendering(self.hosts.of_row, rendered_host)
        rows = {name: self.hosts.rows[name] for name in names}
        return self.work.each(Stage("host", "hosts", rendering), rows, then)

    def host_sources(self) -> dict[str, str]:
        """Return a digest of what the files of each host follow from, the code included."""
        return digests("host", self.hosts.rows, self.host_inputs.of)

    def checking(self, *, renders: bool) -> Stage[Checked]:
        """Return the stage in which the rules see every switch, and its files where it renders."""
        keep = Keep(self.switch_inputs.of, checked_to_bytes, checked_from_bytes)
        make = Checking(self.devices.of_row, self._places, renders)
        return Stage("checked switch", "switches", make, keep=keep if renders else None)

    @property
    def _places(self) -> Places:
        return Places(self.intent, self.fabric, self.resolver)

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
        from fabric.systems.sonic.config_db import configs_of
        from fabric.validate.world import World

        sonic = {name: json.loads(content) for name, content in self.sonic_files.items()}
        return World(self.model, configs_of(sonic, is_rendered=True), self.intent.skus)
