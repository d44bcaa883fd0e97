"""An inventory and everything that follows from it, computed when it is asked for."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.design.designs import Designs
from fabric.workflow.stages import HOST, SWITCH, Rows
from fabric.workflow.work import Work, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.topology.site import Members
    from fabric.validate.world import Model, World
    from fabric.workflow.stages import Stage

T = TypeVar("T")


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
        return self.each_switch(SWITCH)

    @cached_property
    def host_artefacts(self) -> dict[str, list[Artefact]]:
        """Rendered files of every host."""
        return self.each_host(HOST)

    def each_switch(
        self,
        stage: Stage[T],
        then: Callable[[T], Any] = same,
        names: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """Return what a stage makes of the design of every switch, or of some."""
        rows, ready = self.fabric.switch_row, vars(self).get("devices", {})
        chosen = rows if names is None else {name: rows[name] for name in names}
        design = Rows(self._switch_designer.design, tuple(ready.values()))
        return self.work.each(stage, chosen, design, then)

    def each_host(
        self,
        stage: Stage[T],
        then: Callable[[T], Any] = same,
        names: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """Return what a stage makes of the design of every host, or of some."""
        rows, ready = self.fabric.host_row, vars(self).get("hosts", {})
        chosen = rows if names is None else {name: rows[name] for name in names}
        design = Rows(self._host_designer.design, tuple(ready.values()))
        return self.work.each(stage, chosen, design, then)

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
