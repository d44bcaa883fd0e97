"""Why devices of a plan change: edits of the inventory since the last run, and what lines say."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.change.journal import Journal
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import FabricError
from fabric.report.diff.compare import neighbours
from fabric.report.diff.edits import edits
from fabric.report.diff.figures import figures
from fabric.report.diff.protection import LESS_PROTECTION, pauses_first, weakening
from fabric.report.planned_causes import PlannedCauses
from fabric.workflow.diff_source import Source
from fabric.workflow.revision import Repository
from fabric.workflow.state import existing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from fabric.change.model import DevicePlan, Plan
    from fabric.report.diff.model import Setting
    from fabric.report.planned_causes import PlannedCause
    from fabric.workflow.project import Project

#: Causes that are printed without --full, and characters of a value: our choices.
_MOST_CAUSES, _MOST_CHARACTERS = 10, 60
#: Ends a revision whose inventory was not committed as it was read; see `Repository.state`.
_CHANGES = "+changes"


def causes_of(project: Project, plan: Plan) -> PlannedCauses:
    """Return what finds the causes of the changes of a plan.

    The inventory is compared with that of the last run that was done; where its revision is not
    known, what is not committed yet counts. Outside git, no edit is known.
    """
    folder = Path(project.intent.folder)
    with suppress(FabricError, OSError, ValueError):  # a repository or journal that is damaged
        for commit, since in _bases(folder, plan):
            with Repository(folder).copied(commit, since) as copied:
                before = Source(copied, since, project.work)
                after = Source(folder, project.intent.folder, project.work)
                between = edits(before.contents(), after.contents())
                others = _other_hosts(before, project) if between else ()
                earlier = before if between and _is_valid(before) else None
            if between:
                near = neighbours(project)
                return PlannedCauses(between, near, since, project, others, earlier)
    return PlannedCauses(designs=project)


def _other_hosts(before: Source, project: Project) -> Collection[str]:
    """Return the hosts whose files follow from other values than before; none if that is unknown.

    The values before may be no valid inventory for this release.
    """
    with suppress(FabricError):
        old = before.designs.host_sources()
        return {name for name, digest in project.host_sources().items() if old.get(name) != digest}
    return ()


def _is_valid(before: Source) -> bool:
    """Tell whether what devices ran follows from the values before; its stages are made."""
    with suppress(FabricError):
        return bool(before.designs.devices)
    return False


def _bases(folder: Path, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield commits that the devices may run, with words for each, the likeliest first."""
    state = existing(folder)
    if state and state.is_dir():
        journal = Journal(state)
        for record in reversed(journal.runs()):
            done = journal.standing(record, journal.events(record.id)) == "done"
            if record.kind == "apply" and done:
                commit = _revision(record.plan)
                if commit:
                    yield commit, f"run {record.id} ({commit[:12]})"
                break
    commit, changes, _ = (plan.origin.revision if plan.origin else "").partition(_CHANGES)
    if commit and changes:
        yield commit, f"revision {commit[:12]}"


def _revision(plan: str) -> str:
    """Return the commit of the inventory of a plan; empty where it has none."""
    origin = json.loads(plan).get("origin") or {}
    revision = str(origin.get("revision", ""))
    return "" if revision.endswith(_CHANGES) else revision


def describe_causes(
    devices: Iterable[DevicePlan], causes: PlannedCauses, *, full: bool
) -> Iterator[str]:
    """Yield the causes of the changes of devices, with counts and an example.

    Edits that take protection away come first: their risk while they are made may be none.
    """
    devices = tuple(devices)
    every = causes.of(devices)
    if not every:
        return
    edited = dict.fromkeys(edit for cause in every for edit in cause.edits)
    weaker = (*weakening(edited), *_pauses_first(causes, devices))
    yield from (f"{LESS_PROTECTION}: {words}" for words in weaker)
    since = f"values edited since {causes.since}, then " if causes.since else ""
    yield f"why devices change: {since}values behind the {'other ' if since else ''}changed lines:"
    for cause in every if full else every[:_MOST_CAUSES]:
        yield from _cause(cause)
    if not full and (left := every[_MOST_CAUSES:]):
        changes = sum(cause.changes for cause in left)
        yield f"  {len(left)} more with {counted(changes, 'setting')}; `--full` prints all"


def _pauses_first(causes: PlannedCauses, devices: Iterable[DevicePlan]) -> Iterator[str]:
    """Yield where PFC pauses before ECN marks, and did not by the inventory before the edits."""
    if causes.before and causes.designs:
        old, new = causes.before.designs, causes.designs
        both = {one.device for one in devices if one.device in old.devices.keys() & new.devices}
        yield from pauses_first(figures(old, new, both))


def _cause(cause: PlannedCause) -> Iterator[str]:
    names = f"{counted(len(cause.devices), 'device')} ({hostlist.in_short(cause.devices)})"
    what = f"{counted(cause.changes, 'setting')} of {names}"
    if cause.edits:
        yield from (f"  {edit}" for edit in cause.edits)
        yield f"    {what}"
    else:
        yield f"  {cause.topic}: {what}"
    yield f"      {cause.example_device}  {_shown(cause.example)}"


def _shown(setting: Setting) -> str:
    """Return a setting and how it changes, short enough for a line."""
    path, before, after = setting.path.rstrip("|"), setting.before, setting.after
    if before is not None and after is not None:
        return f"{path}: {_cut(before)} -> {_cut(after)}"
    sign, value = ("+", after) if before is None else ("-", before)
    is_line = value is None or value.endswith(path.rpartition(": ")[2])
    return f"{sign} {path}" if is_line and "|" not in path else f"{sign} {path} = {_cut(value)}"


def _cut(value: str | None) -> str:
    text = value or ""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
