"""What a difference does to the lossless class between the waves of a roll-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.rollout import STOP
from fabric.change.stages import Stages
from fabric.core.errors import InputError
from fabric.report.diff.model import Consequence
from fabric.report.diff.risks import DiffRisk
from fabric.workflow.carrying import idle_ports
from fabric.workflow.mixed import lossless_hazards
from fabric.workflow.sides import planned_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.report.diff.model import Device
    from fabric.workflow.diff_source import Source
    from fabric.workflow.project import Project
    from fabric.workflow.sides import Side


def between_waves(
    before: Source, after: Source, devices: Sequence[Device]
) -> Iterator[Consequence]:
    """Yield what is lost while some devices have new files and others the old ones.

    Switches change before hosts, or after them where fewer states are wrong then, as in a plan.
    """
    changed = [device.name for device in devices if device.state != "removed"]
    project = after.designs
    old, new = _side(before), _side(after)
    idle = idle_ports(project, old, new, in_service=False)
    stages = Stages(project.fabric, project.intent.fabric.rollout, idle=idle)
    try:
        orders = [
            [stage.names for stage in stages.of(changed, hosts_first=hosts_first)]
            for hosts_first in (False, True)
        ]
    except InputError:  # a canary that does not exist: `plan` rejects it
        return
    fewest = min((lossless_hazards(project, waves, old, new) for waves in orders), key=len)
    if fewest:
        rest = "for a plan with --rollout add --traffic-stopped"
        what = f"a roll-out can lose packets of the lossless class {fewest[0]}"
        yield Consequence(DiffRisk.BRIEF_LOSS.value, f"{what}; {STOP}; {rest}")


def _side(source: Source) -> Side:
    project: Project = source.designs
    vars(project)["switch_artefacts"] = source.files(project.devices)
    vars(project)["host_artefacts"] = source.files(project.hosts)
    return planned_side(project)
