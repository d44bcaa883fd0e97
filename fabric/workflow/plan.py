"""plan: read every device, compare with the inventory, write a plan file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.model import Plan, Risk, read_plan
from fabric.change.order import WaveBy, waves
from fabric.change.planner import make_plan
from fabric.platforms import platforms
from fabric.workflow.check import refuse_errors
from fabric.workflow.devices import Selection, executor, fail_on, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Sized
    from pathlib import Path

    from fabric.change.model import DevicePlan
    from fabric.workflow.project import Project

__all__ = ["Plan", "Risk", "Selection", "WaveBy", "describe", "plan", "read_plan"]


#: Begins the line of a device that no timer brings back.
NO_NET = "NO SAFETY NET"


def plan(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    by: WaveBy,
    progress: Callable[[str, str], None],
) -> Plan:
    """Return the plan that brings every selected device to the inventory.

    Raises
    ------
    InputError
        When the inventory does not pass its check.
    DeviceError
        When a device could not be read; further ones are in its notes.
    """
    refuse_errors(project)
    wanted = targets(project, connections_file, selection)
    order = [[name for name in wave if name in wanted] for wave in waves(project.fabric, by)]
    with executor(len(wanted)) as pool:
        made, errors = make_plan(project.intent.fabric.name, order, wanted, pool, progress)
    fail_on(errors)
    assert made is not None
    return made


def describe(made: Plan, *, diffs: bool = True) -> str:
    """Return a plan for reading: waves, risks, and the difference of each device."""
    if made.empty:
        return f"No changes: {len(made.unchanged)} devices run as the inventory says.\n"
    lines = []
    for number, wave in enumerate(made.waves, 1):
        lines.append(f"wave {number}")
        for name in wave:
            device = made.devices[name]
            lines.append(
                f"  {name} ({_kind(device)}): {_count(device.changes, 'change')} "
                f"by {device.method}, risk: {device.risk.word}"
            )
            if device.no_net:
                lines.append(f"    {NO_NET}: {device.no_net}")
            if diffs:
                lines += [f"    {line}" for line in device.diff.splitlines()]
    lines.append(_summary(made))
    return "\n".join(lines) + "\n"


def _kind(device: DevicePlan) -> str:
    """Return what a device is, and how far rocefab goes with it unless that is all the way."""
    if device.role == device.platform:
        return device.role
    grade = platforms[device.platform].grade
    said = "" if grade == "stable" else f", {grade}"
    return f"{device.platform} {device.role}{said}"


def _summary(made: Plan) -> str:
    counts = [
        f"{number} {risk.word}"
        for risk in sorted(Risk, reverse=True)
        if (number := sum(device.risk is risk for device in made.devices.values()))
    ]
    return (
        f"{_count(made.devices, 'device')} to change in {_count(made.waves, 'wave')} "
        f"({', '.join(counts)}), {len(made.unchanged)} as planned already"
    )


def _count(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
