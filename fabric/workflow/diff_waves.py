"""What a difference does to lossless traffic between the waves of a roll-out."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from fabric.change.rollout import stop
from fabric.change.stages import Stages
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.report.diff.figures import sessions_differ
from fabric.report.diff.model import Consequence
from fabric.report.diff.risks import DiffRisk
from fabric.workflow.carrying import idle_ports
from fabric.workflow.mixed import lossless_hazards
from fabric.workflow.mixed_sessions import MixedSessions
from fabric.workflow.sides import planned_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.report.diff.model import Device
    from fabric.workflow.diff_source import Source
    from fabric.workflow.project import Project
    from fabric.workflow.sides import Side

_WHAT_TO_DO = f"{stop()}; for a plan with --rollout add --traffic-stopped"


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
    yield from _cut(before, after, stages, orders[0])
    fewest = min((lossless_hazards(project, waves, old, new) for waves in orders), key=len)
    if fewest:
        what = f"a roll-out can lose packets of the lossless class {fewest[0]}"
        yield Consequence(DiffRisk.BRIEF_LOSS.value, f"{what}; {_WHAT_TO_DO}")


def _cut(
    before: Source, after: Source, stages: Stages, waves: Sequence[Sequence[str]]
) -> Iterator[Consequence]:
    """Yield that leaves have no path between two waves, as the sessions are down."""
    olds, news = before.designs.devices, after.designs.devices
    both = (name for name in olds if name in news)
    if not any(sessions_differ(olds[name].bgp, news[name].bgp) for name in both):
        return  # files are not read for nothing
    sessions = MixedSessions.of(after.designs, waves, _side(before), _side(after))
    cuts = [(stages.pairs_cut(sessions.cut_after(turn)), turn) for turn in sessions.turns]
    hit = [turn for (_, lost), turn in cuts if lost]
    if hit:
        pairs, lost = max((pair for pair, _ in cuts), key=itemgetter(1))
        of = f"{lost:,} of {counted(pairs, 'pair')} of leaves"
        when = f"waves {hit[0]} to {hit[-1]}" if hit[1:] else f"wave {hit[0]}"
        what = f"a roll-out cuts {of} after {when}, while BGP sessions are down"
        yield Consequence(DiffRisk.SESSIONS_END.value, f"{what}; {_WHAT_TO_DO}")


def _side(source: Source) -> Side:
    project: Project = source.designs
    vars(project)["switch_artefacts"] = source.files(project.devices)
    vars(project)["host_artefacts"] = source.files(project.hosts)
    return planned_side(project)
