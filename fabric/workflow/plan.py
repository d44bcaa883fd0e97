"""plan: read every device, compare with the inventory, write a plan file."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric import __version__
from fabric.change.actor import user
from fabric.change.apply import Options
from fabric.change.approvals import needed
from fabric.change.model import Plan, Risk, read_plan
from fabric.change.order import WaveBy, waves
from fabric.change.origin import Origin
from fabric.change.planner import DeviceReading, DeviceVerdict, Target, make_plan
from fabric.core.files import write_whole
from fabric.core.units import S_PER_MIN
from fabric.intent.contents import inventory_hash
from fabric.platforms import platforms
from fabric.topology.tenants import vrf_name
from fabric.workflow.check import check, refuse, refuse_errors, yang_of
from fabric.workflow.devices import Selection, executor, fail_on, targets
from fabric.workflow.leaf_pings import describe_pings, leaf_pings, with_tenants
from fabric.workflow.revision import Repository
from fabric.workflow.rollout import describe_rollout, describe_stage, staged
from fabric.workflow.sonic_judge import SonicJudge
from fabric.workflow.tenant_moves import tenant_moves
from fabric.workflow.withdrawals import describe_withdrawals, withdrawals, withdrawn_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from fabric.change.model import DevicePlan
    from fabric.observe.snapshot import Running
    from fabric.workflow.project import Project
    from fabric.workflow.tenant_moves import TenantMoves

__all__ = ["Plan", "Risk", "Selection", "WaveBy", "describe", "plan", "read_plan", "write_plan"]


#: Begins the line of a device that no timer brings back.
NO_NET = "NO SAFETY NET"
#: Begins the line of a device whose change is never undone.
ONE_WAY = "ONE WAY"


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
    judge = SonicJudge(project.intent.skus, yang_of(yang_models))
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
    if plan_of_all is None:
        fail_on(errors)
    assert plan_of_all is not None
    whole = replace(plan_of_all, origin=origin)
    if whole.empty:
        return whole
    if rollout:
        progress("", "judging the states between waves")
        whole = staged(project, whole, running)
    joined = {name: moves.joined for name, moves in moves_of.items()}
    pings = leaf_pings(project, whole, connections_file, joined)
    withdrawn = withdrawals(project, whole, moves_of, connections_file)
    pings = replace(pings, withdrawn=withdrawn)
    return with_tenants(whole, pings) if rollout else replace(whole, leaf_pings=pings)


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


def describe(plan_file: Plan, verify_s: float = Options().verify_s) -> str:
    """Return a plan as a change report: each device by wave, risk and time, then the differences.

    Parameters
    ----------
    verify_s : float
        How long a wave may take to look healthy, in seconds, as ``apply --verify-s`` says.
    """
    if plan_file.empty:
        lines = [f"No changes. {len(plan_file.unchanged)} devices match the inventory."]
        return "\n".join([*lines, *_missing(plan_file)]) + "\n"
    lines = []
    for number, wave in enumerate(plan_file.waves, 1):
        lines.append(f"wave {number}{describe_stage(plan_file, number)}")
        for name in wave:
            device = plan_file.devices[name]
            lines.append(
                f"  {name} ({kind_of(device)}): {_count(device.changes, 'change')} "
                f"by {device.method}, risk: {device.risk.word}"
            )
            if device.no_net:
                lines.append(f"    {NO_NET}: {device.no_net}")
            if device.one_way:
                lines.append(f"    {ONE_WAY}: {device.one_way}")
            lines += [f"    {note}" for note in device.notes]
    lines += [str(plan_file.origin)] if plan_file.origin else []
    lines += [*_missing(plan_file), _summary(plan_file), _minutes(plan_file, verify_s)]
    lines += [describe_pings(plan_file.leaf_pings)] if plan_file.leaf_pings else []
    lines += describe_withdrawals([*withdrawn_of(plan_file)])
    lines += describe_rollout(plan_file)
    if wanted := needed(plan_file):
        lines.append(f"approvals needed: {wanted} (`rocefab apply --approvals`)")
    for wave in plan_file.waves:
        for name in wave:
            diff = plan_file.devices[name].diff.splitlines()
            lines += ["", name, *(f"    {line}" for line in diff)]
    return "\n".join(lines) + "\n"


def _missing(plan_file: Plan) -> list[str]:
    lines = [f"{_count(plan_file.missing, 'device')} NOT IN THE PLAN:"] if plan_file.missing else []
    for name, item in plan_file.missing.items():
        lines += [f"  {name}: {item.reason}", f"    {item.risk}"]
    return lines


def _minutes(plan_file: Plan, verify_s: float) -> str:
    """Return how long the waves may take: the work of updaters, and the time to look healthy."""
    work_s = sum(max(plan_file.devices[name].takes_s for name in wave) for wave in plan_file.waves)
    wait_s = verify_s * len(plan_file.waves)
    updater = f", after {work_s / S_PER_MIN:.1f} min of work on the devices" if work_s else ""
    return (
        f"at most {wait_s / S_PER_MIN:.1f} min until all waves look healthy "
        f"({verify_s:g} s for each){updater}"
    )


def kind_of(device: DevicePlan) -> str:
    """Return what a device is, and how far rocefab goes with it unless that is all the way."""
    if device.role == device.platform:
        return device.role
    grade = platforms[device.platform].grade
    said = "" if grade == "stable" else f", {grade}"
    return f"{device.platform} {device.role}{said}"


def _summary(plan_file: Plan) -> str:
    counts = [
        f"{number} {risk.word}"
        for risk in sorted(Risk, reverse=True)
        if (number := sum(device.risk is risk for device in plan_file.devices.values()))
    ]
    return (
        f"{_count(plan_file.devices, 'device')} to change in {_count(plan_file.waves, 'wave')} "
        f"({', '.join(counts)}), {len(plan_file.unchanged)} as planned already"
    )


def _count(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
