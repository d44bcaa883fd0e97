"""What all devices of a fabric are before a change, and what they become."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.audit.host_class import lossless_of_nics
from fabric.observe.configuration import WHOLE, readers
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.parsers import UnreadableError
from fabric.workflow.configurations import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.snapshot import Running
    from fabric.workflow.project import Project


@dataclass(frozen=True)
class Side:
    """What all devices are before or after a change.

    Parameters
    ----------
    texts : dict of str to str
        Configuration of each switch.
    nics : dict of str to dict
        Settings of the NICs of each host, by interface.
    """

    platforms: Mapping[str, str]
    texts: Mapping[str, str]
    nics: Mapping[str, Mapping[str, Any]]

    @cached_property
    def routing(self) -> dict[str, Configured]:
        """What the text of each switch says of routing; one that cannot be read is absent."""
        result = {}
        for name, text in self.texts.items():
            try:
                files = dict.fromkeys(WHOLE, text)
                result[name] = readers[self.platforms[name]](files)
            except (UnreadableError, KeyError):
                continue
        return result

    @cached_property
    def lossless(self) -> dict[str, Lossless]:
        """What each device says of the lossless class; one that cannot be read is absent."""
        result = {name: lossless_of_nics(name, nics) for name, nics in self.nics.items()}
        for name, text in self.texts.items():
            try:
                result[name] = lossless_readers[self.platforms[name]].read(text)
            except (UnreadableError, KeyError):
                continue
        return result


def sides(project: Project, running: Mapping[str, Running]) -> tuple[Side, Side]:
    """Return what the devices of a plan are, and what they become.

    Parameters
    ----------
    running : mapping of str to Running
        Running state of each device that was read; others are taken as planned.
    """
    planned = planned_side(project)
    before, old_nics = dict(planned.texts), dict(planned.nics)
    for name, state in running.items():
        if name in before:
            text = isinstance(state.config, str)
            before[name] = state.config if text else json.dumps(state.config, indent=1)
        elif name in old_nics:
            old_nics[name] = state.config["nics"]
    return Side(planned.platforms, before, old_nics), planned


def planned_side(project: Project) -> Side:
    """Return what the devices are by the inventory."""
    platforms = {name: design.platform for name, design in project.devices.items()}
    texts = {name: whole(files).text for name, files in project.switch_artefacts.items()}
    return Side(platforms, texts, {name: planned_nics(project, name) for name in project.hosts})


def planned_nics(project: Project, name: str) -> dict[str, Any]:
    """Return the settings of the NICs of a host by the inventory, by interface."""
    state = next(item for item in project.host_artefacts[name] if item.kind == "expected-state")
    nics: dict[str, Any] = json.loads(state.text)["nics"]
    return nics
