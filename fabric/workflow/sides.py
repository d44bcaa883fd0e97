"""What all devices of a fabric are before a change, and what they become."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.audit.host_class import lossless_of_nics
from fabric.observe.configuration import configured
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.parsers import UnreadableError
from fabric.workflow.configurations import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.model import DevicePlan
    from fabric.core.artefact import Artefact
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
    running : dict of str to Running
        What was read of devices; the texts of switches are those.
    """

    platforms: Mapping[str, str]
    texts: Mapping[str, str]
    nics: Mapping[str, Mapping[str, Any]]
    running: Mapping[str, Running] = field(default_factory=dict)

    @cached_property
    def routing(self) -> dict[str, Configured]:
        """What the text of each switch says of routing; one that cannot be read is absent."""
        said = {
            name: self.running[name].configured
            if name in self.running
            else configured(self.platforms[name], text)
            for name, text in self.texts.items()
        }
        return {name: one for name, one in said.items() if one}

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

    def with_running(self, running: Mapping[str, Running]) -> Side:
        """Return the same with what some devices run; others than it has do not count."""
        texts, nics = dict(self.texts), dict(self.nics)
        systems = {name: state.platform for name, state in running.items() if name in texts}
        for name, state in running.items():
            if name in texts:
                texts[name] = state.text
            elif name in nics:
                nics[name] = state.config["nics"]
        platforms = {**self.platforms, **systems}
        return Side(platforms, texts, nics, {**self.running, **running})


def sides(project: Project, running: Mapping[str, Running]) -> tuple[Side, Side]:
    """Return what the devices of a plan are, and what they become.

    Parameters
    ----------
    running : mapping of str to Running
        Running state of each device that was read; others are taken as planned.
    """
    planned = planned_side(project)
    return planned.with_running(running), planned


def planned_side(project: Project) -> Side:
    """Return what the devices are by the inventory."""
    return _side(project, {**project.switch_artefacts, **project.host_artefacts})


def side_with(project: Project, plans: Mapping[str, DevicePlan]) -> Side:
    """Return what the devices are by their plans, and those without one by the inventory."""
    files = {name: plan.artefacts for name, plan in plans.items()}
    switches = project.switch_files(name for name in project.devices if name not in files)
    hosts = project.host_files(name for name in project.hosts if name not in files)
    side = _side(project, {**files, **switches, **hosts})
    systems = {name: plan.platform for name, plan in plans.items() if name in project.devices}
    return replace(side, platforms={**side.platforms, **systems})


def _side(project: Project, files: Mapping[str, Sequence[Artefact]]) -> Side:
    platforms = {name: design.platform for name, design in project.devices.items()}
    texts = {name: whole(files[name]).text for name in platforms}
    return Side(platforms, texts, {name: nics_of(files[name]) for name in project.hosts})


def planned_nics(project: Project, name: str) -> dict[str, Any]:
    """Return the settings of the NICs of a host by the inventory, by interface."""
    return nics_of(project.host_artefacts[name])


def nics_of(files: Sequence[Artefact]) -> dict[str, Any]:
    """Return the settings of the NICs of a host by its files, by interface."""
    state = next(item for item in files if item.kind == "expected-state")
    nics: dict[str, Any] = json.loads(state.text)["nics"]
    return nics
