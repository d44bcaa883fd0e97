"""A plan as a change report: the summary first, like devices once, long differences cut."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fabric.change.apply import Options
from fabric.change.approvals import needed
from fabric.change.model import Risk
from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.units import S_PER_MIN
from fabric.platforms import platforms
from fabric.workflow.leaf_pings import describe_pings
from fabric.workflow.rollout import describe_rollout, describe_stage
from fabric.workflow.withdrawals import describe_withdrawals, withdrawn_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.change.model import DevicePlan, Plan

#: Begins the line of a device that no timer brings back.
NO_NET = "NO SAFETY NET"
#: Begins the line of a device whose change is never undone.
ONE_WAY = "ONE WAY"
#: Lines of a difference, and parts of the configuration, that are printed without --full.
_MOST_LINES, _MOST_PARTS = 60, 12
#: What differs between like devices: numbers, addresses, and names that end with them.
_NUMBERS = re.compile(r"[0-9A-Fa-f]*\d[0-9A-Fa-f:.]*")
#: Ends the first word of the path of a change.
_WORD_END = re.compile(r"[|/ .\[]")


def describe(plan: Plan, verify_s: float = Options().verify_s, *, full: bool = False) -> str:
    """Return a plan for people.

    Parameters
    ----------
    verify_s : float
        How long a wave may take to look healthy, in seconds, as ``apply --verify-s`` says.
    full : bool
        Whether the difference of each device is printed, in all its lines.
    """
    if plan.empty:
        same = len(plan.unchanged)
        match = noun(same, "matches", "match")
        lines = [f"No changes. {counted(same, 'device')} {match} the inventory."]
        return "\n".join([*lines, *_missing(plan)]) + "\n"
    lines = [_summary(plan), _minutes(plan, verify_s), _parts(plan)]
    for number, wave in enumerate(plan.waves, 1):
        lines.append(f"wave {number}{describe_stage(plan, number)}")
        lines += _wave([plan.devices[name] for name in wave])
    lines += [str(plan.origin)] if plan.origin else []
    lines += _missing(plan)
    lines += [describe_pings(plan.leaf_pings)] if plan.leaf_pings else []
    lines += describe_withdrawals([*withdrawn_of(plan)])
    lines += describe_rollout(plan)
    if wanted := needed(plan):
        lines.append(f"approvals needed: {wanted} (`rocefab apply --approvals`)")
    devices = [plan.devices[name] for wave in plan.waves for name in wave]
    lines += _in_full(devices) if full else _examples(devices)
    return "\n".join(lines) + "\n"


def _wave(devices: Iterable[DevicePlan]) -> Iterator[str]:
    """Yield what happens to the devices of a wave; those of one kind and risk are one line."""
    groups: dict[tuple[str, ...], list[DevicePlan]] = {}
    for device in devices:
        remarks = (device.no_net, device.one_way, *device.notes)
        key = (kind_of(device), device.method, device.risk.word, *remarks)
        groups.setdefault(key, []).append(device)
    for same in groups.values():
        first, names = same[0], hostlist.fold(one.device for one in same)
        numbers = sorted({len(one.changes) for one in same})
        many = counted(numbers[-1], "change")
        if len(numbers) > 1:
            many = f"{numbers[0]} to {numbers[-1]} changes each"
        yield f"  {names} ({kind_of(first)}): {many} by {first.method}, risk: {first.risk.word}"
        if first.no_net:
            yield f"    {NO_NET}: {first.no_net}"
        if first.one_way:
            yield f"    {ONE_WAY}: {first.one_way}"
        yield from (f"    {note}" for note in first.notes)


def _examples(devices: Iterable[DevicePlan]) -> Iterator[str]:
    """Yield the difference of the first of like devices, cut where it is long."""
    groups: dict[tuple[str, str], list[DevicePlan]] = {}
    for device in devices:
        groups.setdefault((device.platform, _NUMBERS.sub("#", device.diff)), []).append(device)
    for same in groups.values():
        names = hostlist.fold(one.device for one in same)
        yield ""
        yield (
            names
            if len(same) == 1
            else (
                f"{names}: {len(same)} devices that differ in names and numbers; {same[0].device}:"
            )
        )
        lines = same[0].diff.splitlines()
        more = len(lines) - _MOST_LINES
        yield from (f"    {line}" for line in lines[:_MOST_LINES])
        if more > 0:
            yield f"    ... {counted(more, 'more line', 'more lines')}; `--full` prints all"


def _in_full(devices: Iterable[DevicePlan]) -> Iterator[str]:
    for device in devices:
        yield from ("", device.device, *(f"    {line}" for line in device.diff.splitlines()))


def _parts(plan: Plan) -> str:
    """Return which parts of the configurations change, the largest first."""
    counts = Counter(
        _WORD_END.split(change.path, maxsplit=1)[0]
        for device in plan.devices.values()
        for change in device.changes
    )
    shown = [f"{part} {number:,}" for part, number in counts.most_common(_MOST_PARTS)]
    more = len(counts) - len(shown)
    others = f", {more} others" if more > 0 else ""
    return f"changes: {', '.join(shown)}{others}"


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
