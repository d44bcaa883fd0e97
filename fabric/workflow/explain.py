"""explain: which inventory value, rule and source a line of the output comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.report import explain as report
from fabric.topology.naming import hint

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.workflow.project import Project


def explain(project: Project, device: str, text: str) -> list[report.Answer]:
    """Return what is known of the lines that hold ``text``; of every kind of line without one.

    Raises
    ------
    InputError
        When there is no such device, or no line holds the text.
    """
    return report.explain(project, device, device_artefacts(project, device), text)


def device_artefacts(project: Project, device: str) -> list[Artefact]:
    """Return what is rendered for a device.

    Raises
    ------
    InputError
        When there is no such device.
    """
    if device in project.devices:
        return project.switch_artefacts[device]
    if device in project.hosts:
        return project.host_artefacts[device]
    names = [*project.devices, *project.hosts]
    fix = hint("switch or host", device, names)
    raise report.nothing_to_explain(f"device {device!r} does not exist", fix)
