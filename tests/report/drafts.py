"""Plans of a device that runs the files of an inventory, without the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fabric.change.adapter import adapters
from fabric.workflow.effect import _Preview, _running

if TYPE_CHECKING:
    from fabric.change.adapter import Draft
    from fabric.devices.driver import Driver
    from fabric.workflow.project import Project


def draft(before: Project, after: Project, device: str) -> Draft:
    """Return what a plan changes on a switch from one inventory to another."""
    platform = after.devices[device].platform
    running = _running(device, platform, before.switch_artefacts[device])
    files = after.switch_artefacts[device]
    return adapters[platform].draft(running, files, cast("Driver", _Preview(running)))
