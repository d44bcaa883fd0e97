"""A plan as a change report: the summary first, like devices once, long differences cut."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from fabric.change.apply import Options
from fabric.change.approvals import needed
from fabric.change.model import ONE_WAY, Risk, worst_of
from fabric.change.rollout import stop
from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.likeness import like_groups
from fabric.core.units import S_PER_MIN
from fabric.platforms import platforms
from fabric.report.like_differences import differences
from fabric.report.moved_sections import settings_of
from fabric.workflow.leaf_pings import describe_pings
from fabric.workflow.plan_causes import describe_causes
from fabric.workflow.rollout import describe_losses, describe_rollout, describe_stage
from fabric.workflow.withdrawals import describe_withdrawals, withdrawn_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from fabric.change.model import DevicePlan, Plan

#: Begins the line of a device that no timer brings back.
NO_NET = "NO SAFETY NET"
#: Parts of the configuration that are printed.
_MOST_PARTS = 12
#: Ends the first word of the path of a change.
_WORD_END = re.compile(r"[|/ .\[]")
#: Part of a host, beside its NICs.
_FILES = "files"
#: File of a plan in commands, where it has none yet: that of the documentation.
_FILE = "plan.json"


def describe(
    plan: Plan,
    verify_s: float = Options().verify_s,
    *,
    full: bool = False,
    file: Path | None = None,
) -> str:
    """Return a plan for people.

    Parameters
    ----------
    verify_s : float
        How long a wave may take to look healthy, in seconds, as ``apply --verify-s`` says.
    full : bool
        Whether the difference of each device is printed, in all its lines.
    file : Path, optional
        The file of the plan, for commands that take it.
    """
    if plan.empty:
        same = len(plan.unchanged)
        match = noun(same, "matches", "match")
        lines = [f"No changes. {counted(same, 'device')} {match} the inventory."]
        return "\n".join([*lines, *_missing(plan)]) + "\n"
    lines = [_summary(plan), *_risk_cause(plan), _minutes(plan, verify_s), _parts(plan)]
    lines += describe_causes(plan.why, full=full) if plan.why else []
    for number, wave in enumerate(plan.waves, 1):
        lines.append(f"wave {number}{describe_stage(plan, number)}")
        lines += _wave([plan.devices[name] for name in wave])
        lines += _later([plan.devices[name] for name in wave])
    lines += [str(plan.origin)] if plan.origin else []
    lines += _missing(plan)
    lines += [pinged] if (pinged := describe_pings(plan)) else []
    lines += describe_withdrawals([*withdrawn_of(plan)])
    lines += describe_rollout(plan)
    lines += describe_losses(plan.hazards)
    lines += _without_loss(plan, file)
    if wanted := needed(plan):
        lines.append(f"approvals needed: {wanted} (`rocefab apply --approvals`)")
    devices = [plan.devices[name] for wave in plan.waves for name in wave]
    lines += _differences(devices, full=full)
    return "\n".join(lines) + "\n"


def _without_loss(plan: Plan, file: Path | None) -> Iterator[str]:
    """Yield what to run where packets are lost between the waves of a plan without a roll-out."""
    if plan.hazards:
        name = shlex.quote(str(file or _FILE))
        folder = f" {shlex.quote(plan.origin.inventory)}" if plan.origin else ""
        written = "" if file else f", which this plan with `--out {name}` writes"
        yield f"{stop(f'apply {name} --commit')}{written}; or look for waves without loss:"
        again = f"rocefab plan{folder} --rollout --out {name}"
        yield f"  `{again}`, with the other options of this plan"


def _wave(devices: Iterable[DevicePlan]) -> Iterator[str]:
    """Yield what happens to the devices of a wave; those of one kind and risk are one line."""
    for same in like_groups(devices, _handling):
        first, names = same[0], hostlist.in_short(one.device for one in same)
        many = _many(same)
        yield f"  {names} ({kind_of(first)}): {many} by {first.method}, risk: {first.risk.word}"
        if first.no_net:
            yield f"    {NO_NET}: {first.no_net}"
        if first.one_way:
            yield f"    {ONE_WAY}: {first.one_way}"
        yield from (f"    {note}" for note in first.notes)


def _many(devices: Sequence[DevicePlan]) -> str:
    """Return how many settings of each device change, and how many lines where these are more."""
    numbers = sorted({len(settings_of(one.changes)) for one in devices})
    lines = sorted({len(one.changes) for one in devices})
    more = f" ({_range(lines, 'line')})" if lines[-1] > numbers[-1] else ""
    return f"{_range(numbers, 'setting')}{more}{' each' if numbers[1:] or lines[1:] else ''}"


def _range(numbers: Sequence[int], what: str) -> str:
    """Return ``3 to 5 settings`` for ascending numbers, or ``5 settings`` for one."""
    first = f"{numbers[0]:,} to " if numbers[1:] else ""
    return f"{first}{counted(numbers[-1], what)}"


def _later(devices: Sequence[DevicePlan]) -> Iterator[str]:
    """Yield how many sessions of the devices of a wave come up later, and with which waves."""
    waiting = [device for device in devices if device.later]
    turns = sorted({turn for device in waiting for turn in device.later.values()})
    if turns:
        number = sum(len(device.later) for device in waiting)
        sessions, come = counted(number, "session"), noun(number, "comes", "come")
        names = [device.device for device in waiting]
        to = f"s {turns[0]} to {turns[-1]}" if turns[1:] else f" {turns[0]}"
        yield f"  {sessions} of {hostlist.in_short(names)} {come} up with wave{to}"


def _handling(device: DevicePlan) -> tuple[str, ...]:
    """Return what devices of one line of a wave have in common."""
    remarks = (device.no_net, device.one_way, *device.notes)
    return (kind_of(device), device.method, device.risk.word, *remarks)


def _differences(devices: Iterable[DevicePlan], *, full: bool) -> Iterator[str]:
    for one in differences(devices, full=full):
        yield from ("", one.title, *(f"    {line}" for line in one.lines))


def _parts(plan: Plan) -> str:
    """Return which parts of the configurations change, the largest first."""
    counts = Counter(
        _part(change.path)
        for device in plan.devices.values()
        for change in settings_of(device.changes)
    )
    shown = [f"{part} {number:,}" for part, number in counts.most_common(_MOST_PARTS)]
    more = len(counts) - len(shown)
    others = f", {counted(more, 'other')}" if more > 0 else ""
    return f"settings: {', '.join(shown)}{others}"


def _part(path: str) -> str:
    """Return the first word of the path of a change; the path of a file begins with none."""
    return _FILES if path.startswith("/") else _WORD_END.split(path, maxsplit=1)[0]


def _missing(plan: Plan) -> list[str]:
    lines = []
    if plan.missing:
        lines.append(f"{counted(len(plan.missing), 'device')} NOT IN THE PLAN:")
    for name, item in plan.missing.items():
        lines += [f"  {name}: {item.reason}", f"    {item.risk}"]
    return lines


def _minutes(plan: Plan, verify_s: float) -> str:
    """Return how long the waves may take: the work of updaters, and the time to look healthy."""
    work_s = sum(max(plan.devices[name].takes_s for name in wave) for wave in plan.waves)
    wait_s = verify_s * len(plan.waves)
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


def _risk_cause(plan: Plan) -> Iterator[str]:
    """Yield which change gives a device the highest risk of the plan, where one is at risk."""
    device = max(plan.devices.values(), key=lambda device: device.risk)
    risk, cause = worst_of(device.changes, device.method)
    if cause:
        yield f"highest risk: {risk.word}, such as {device.device}: {cause}"


def _summary(plan: Plan) -> str:
    counts = [
        f"{number} {risk.word}"
        for risk in sorted(Risk, reverse=True)
        if (number := sum(device.risk is risk for device in plan.devices.values()))
    ]
    devices, waves = counted(len(plan.devices), "device"), counted(len(plan.waves), "wave")
    return (
        f"{devices} to change in {waves} ({', '.join(counts)}), "
        f"{len(plan.unchanged)} as planned already"
    )
