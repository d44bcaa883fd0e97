"""plan: read every device, compare with the inventory, write a plan file."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric import __version__
from fabric.change.actor import user
from fabric.change.model import Plan, Risk, read_plan
from fabric.change.order import WaveBy, waves
from fabric.change.origin import Origin
from fabric.change.planner import DeviceReading, DeviceVerdict, Target, make_plan
from fabric.core.counts import counted
from fabric.core.errors import NotPlannedError
from fabric.core.files import write_whole
from fabric.intent.contents import inventory_hash
from fabric.topology.tenants import vrf_name
from fabric.workflow.carrying import with_shut_ports
from fabric.workflow.check import check, refuse, refuse_errors, yang_of
from fabric.workflow.devices import Selection, executor, fail_on, targets
from fabric.workflow.leaf_pings import leaf_pings, with_tenants
from fabric.workflow.plan_causes import causes_of
from fabric.workflow.revision import Repository
from fabric.workflow.rollout import staged
from fabric.workflow.sides import sides
from fabric.workflow.sonic_judge import SonicJudge
from fabric.workflow.tenant_moves import tenant_moves, with_revoked
from fabric.workflow.withdrawals import withdrawals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.snapshot import Running
    from fabric.workflow.project import Project
    from fabric.workflow.tenant_moves import TenantMoves

__all__ = ["Plan", "Risk", "Selection", "WaveBy", "plan", "read_plan", "write_plan"]


def plan(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    by: WaveBy,
    progress: Callable[[str, str], None],
    yang_models: Path | None = None,
    *,
    rollout: bool = False,
    allow_missing: bool = False,
) -> Plan:
    """Return the plan that brings every selected device to the inventory.

    Parameters
    ----------
    yang_models : Path, optional
        Folder of YANG models for what SONiC switches are to become.
    rollout : bool
        Whether waves follow the inventory's ``rollout``, and states between them are judged.
    allow_missing : bool
        Whether the others are planned when some devices cannot be read.

    Raises
    ------
    InputError
        When the inventory does not pass its check, or there is no model in ``yang_models``.
    DeviceError
        When a device could not be read, or may not become what is planned; further ones are in
        its notes.
    """
    intent = project.intent
    judge = SonicJudge(intent.skus, yang_of(yang_models), intent.defects)
    origin = origin_of(Path(project.intent.folder), project.intent.fabric.rollout.approvals)
    running: dict[str, Running] = {}
    moves_of: dict[str, TenantMoves] = {}
    tenants = {vrf_name(item.value): item.value.name for item in project.intent.tenants}

    def keep_and_judge(target: Target, reading: DeviceReading) -> DeviceVerdict:
        running[target.connection.device] = reading.running
        moves = tenant_moves(project.devices, reading.running, tenants)
        moves_of[target.connection.device] = moves
        verdict = judge(target, reading)
        refusals = (*verdict.refusals, *moves.refusals)
        notes = (*moves.notes, *verdict.notes)
        return replace(verdict, refusals=refusals, notes=notes, one_way=moves.one_way)

    if selection.only:
        refuse(project, check(project))  # of the others nothing is rendered
    else:
        refuse_errors(project)
    by_name = targets(project, connections_file, selection)
    order = [[name for name in wave if name in by_name] for wave in waves(project.fabric, by)]
    with executor(len(by_name), selection.parallel) as pool:
        name = project.intent.fabric.name
        plan_of_all, errors = make_plan(
            name, order, by_name, pool, progress, keep_and_judge, allow_missing=allow_missing
        )
    judge.tell(progress)
    unread = sum(not isinstance(error, NotPlannedError) for error in errors)
    if unread:
        progress("", f"{len(by_name) - unread} of {counted(len(by_name), 'device')} were read")
    if plan_of_all is None:
        some = 0 < unread == len(errors) < len(by_name)
        fail_on(errors, "`rocefab plan --allow-missing` plans the others" if some else "")
    assert plan_of_all is not None
    whole = with_revoked(project.devices, replace(plan_of_all, origin=origin), moves_of)
    whole = with_shut_ports(whole, project.devices, running)
    if whole.empty:
        return whole
    whole = replace(whole, why=causes_of(project, whole))
    progress("", "judging the states between waves")
    if rollout:
        whole = staged(project, whole, running)
    joined = {name: moves.joined for name, moves in moves_of.items()}
    pings = leaf_pings(project, whole, connections_file, joined)
    withdrawn = withdrawals(project, whole, moves_of, connections_file)
    pings = replace(pings, withdrawn=withdrawn)
    if rollout:
        return with_tenants(whole, pings)
    return _judged(project, replace(whole, leaf_pings=pings), running)


def _judged(project: Project, plan: Plan, running: Mapping[str, Running]) -> Plan:
    """Return a plan without a roll-out with what is wrong, and which sessions wait, in between."""
    if len(plan.waves) == 1:
        return plan
    from fabric.workflow.mixed import hazards  # the proof takes long to import
    from fabric.workflow.mixed_sessions import MixedSessions

    before, after = sides(project, running)
    problems = tuple(hazards(project, plan.waves, before, after, in_waves=False))
    sessions = MixedSessions.of(project, plan.waves, before, after)
    return replace(plan, hazards=problems, devices=sessions.demanded(plan.devices))


def origin_of(folder: Path, approvals: int = 0) -> Origin:
    """Return what a plan for an inventory folder is made of, at this time, and by whom."""
    whole = folder.resolve()
    revision = Repository(whole).state()
    made_s = time.time()
    return Origin(
        str(whole), inventory_hash(whole), revision, __version__, made_s, user(), approvals
    )


def write_plan(path: Path, text: str) -> None:
    """Write a plan file, complete or not at all."""
    write_whole(path, text.encode())
