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
from fabric.report.diff.protection import LESS_PROTECTION
from fabric.report.planned_causes import CauseFinder
from fabric.workflow.diff_source import Source
from fabric.workflow.revision import Repository
from fabric.workflow.state import existing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabric.change.causes import PlannedCause, PlannedCauses
    from fabric.change.model import Plan
    from fabric.workflow.project import Project

#: Causes that are printed without --full; our choice.
_MOST_CAUSES = 10
#: Ends a revision whose inventory was not committed as it was read; see `Repository.state`.
_CHANGES = "+changes"


def causes_of(project: Project, plan: Plan) -> PlannedCauses:
    """Return why the devices of a plan change, for its file and all reports of it."""
    return _finder(project, plan).of(plan.devices.values())


def _finder(project: Project, plan: Plan) -> CauseFinder:
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
                return CauseFinder(project, between, near, since, others, earlier)
    return CauseFinder(project)


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


def describe_causes(why: PlannedCauses, *, full: bool) -> Iterator[str]:
    """Yield the causes of the changes of a plan, with counts and an example.

    Edits that take protection away come first: their risk while they are made may be none.
    """
    if not why.causes:
        return
    yield from (f"{LESS_PROTECTION}: {words}" for words in why.less_protection)
    since = f"values edited since {why.since}, then " if why.since else ""
    yield f"why devices change: {since}values behind the {'other ' if since else ''}changed lines:"
    for cause in why.causes if full else why.causes[:_MOST_CAUSES]:
        yield from _cause(cause)
    if not full and (left := why.causes[_MOST_CAUSES:]):
        changes = sum(cause.changes for cause in left)
        yield f"  {len(left)} more with {counted(changes, 'setting')}; `--full` prints all"


def _cause(cause: PlannedCause) -> Iterator[str]:
    names = f"{counted(len(cause.devices), 'device')} ({hostlist.in_short(cause.devices)})"
    what = f"{counted(cause.changes, 'setting')} of {names}"
    if cause.edits:
        yield from (f"  {edit}" for edit in cause.edits)
        yield f"    {what}"
    else:
        yield f"  {cause.topic}: {what}"
    yield f"      {cause.example_device}  {cause.example}"
