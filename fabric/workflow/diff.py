"""diff: two inventory folders, or two git revisions of one."""

from __future__ import annotations

import json
import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import printable
from fabric.exchange.jobs import read_jobs, strange_hosts
from fabric.intent.contents import copy_inventory
from fabric.intent.documents import MAIN_FILE, SITE_FOLDER
from fabric.intent.site import is_site
from fabric.report.diff.applied import applied
from fabric.report.diff.compare import Comparison
from fabric.report.diff.edits import edits
from fabric.report.diff.new import added, removed, repaired
from fabric.workflow.diff_judged import judged, judged_alone, judged_repaired
from fabric.workflow.diff_source import Source
from fabric.workflow.diff_waves import between_waves
from fabric.workflow.effect import effect
from fabric.workflow.revision import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.report.diff.model import Diff, Judged
    from fabric.report.diff.traced import Swap
    from fabric.workflow.work import Work

    Progress = Callable[[str, str], None]
    Judge = Callable[[Source, Source, Progress], Judged]


def diff(
    first: str,
    second: str,
    work: Work,
    progress: Progress = lambda *_: None,
    jobs: Path | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Diff:
    """Return what differs between two inventories.

    Parameters
    ----------
    first : str
        An inventory folder; or ``REV``, compared with the working tree; ``REV..REV``;
        ``REV...REV``, which begins where both were the same.
    second : str
        An inventory folder: the other side, or the one that is looked at in the revisions.
    jobs : Path, optional
        List of the jobs that run.
    note : callable
        Takes what the user should know besides the difference.

    Raises
    ------
    InputError
        When there is no such folder or revision, or the second inventory is wrong.
    """
    running = read_jobs(jobs) if jobs else {}
    with ExitStack() as stack:
        before, after = _sources(first, second, work, stack)
        if isinstance(before, Source) and isinstance(after, Source):
            if jobs:
                _name_strange(jobs, running, (before, after), note)
            return between(before, after, running, progress, judge=judged)
        return _alone(before, after, progress)


def _name_strange(
    file: Path,
    running: Mapping[str, tuple[str, ...]],
    sides: tuple[Source, Source],
    note: Callable[[str], None],
) -> None:
    known = {host for side in sides for host in side.designs.fabric.host_row}
    if strange := strange_hosts(running, known, file):
        hosts = counted(len(strange), "host")
        note(f"warning: {file}: {hosts} of jobs not in the inventory, such as {strange[0][:40]!a}")


@dataclass(frozen=True)
class _Absent:
    """A revision without the inventory folder."""

    shown: str


def _alone(before: Source | _Absent, after: Source | _Absent, progress: Progress) -> Diff:
    """Return the difference where a revision does not have the folder yet, or no more.

    Raises
    ------
    InputError
        When the inventory is wrong, or neither has it.
    """
    if isinstance(after, Source):
        progress(after.shown, "designs")
        return added(after, before.shown, judged_alone(after, progress))
    if isinstance(before, Source):
        progress(before.shown, "designs")
        return removed(before, after.shown)
    revision, _, folder = before.shown.partition(":")
    message = f"{revision} has no folder {folder}, and neither has {after.shown.partition(':')[0]}"
    fix = "name the folder of the inventory behind the revisions"
    raise InputError("nothing was compared", [Finding("INT001", Severity.ERROR, message, fix)])


def between(
    before: Source,
    after: Source,
    running: Mapping[str, tuple[str, ...]],
    progress: Progress,
    judge: Judge | None = None,
) -> Diff:
    """Return what differs between two sides.

    Parameters
    ----------
    running : mapping
        Hosts of each job that runs.
    judge : callable, optional
        Asks rules and proof about both sides, where anything differs.

    Raises
    ------
    InputError
        When the second inventory is wrong.
    """
    progress(after.shown, "designs")
    after.designs.devices  # noqa: B018 - errors of a side come before anything else
    progress(before.shown, "designs")
    try:
        before.designs.devices  # noqa: B018
    except InputError as error:
        return _repaired(before, after, error, progress)
    listed = edits(before.contents(), after.contents())
    apart = _names_apart(before, after)
    verdict = judge(before, after, progress) if judge and (listed or apart) else None
    progress("", "files")
    try:
        before.files(apart)
    except InputError as error:  # a system rejects the design
        return _repaired(before, after, error, progress)
    waves = partial(between_waves, before, after)
    variants = _Variants(before)
    judge_risk = partial(effect, after.designs.devices)
    return Comparison(before, after, listed, judge_risk, variants, running, verdict, waves).diff()


def _names_apart(before: Source, after: Source) -> list[str]:
    """Return the devices of the first side whose design is another one on the second."""
    old, new = ({**one.designs.devices, **one.designs.hosts} for one in (before, after))
    return [name for name in old if old[name] != new.get(name)]


def _repaired(before: Source, after: Source, error: InputError, progress: Progress) -> Diff:
    """Return what is known of a change that repairs an inventory."""
    try:
        listed = edits(before.contents(), after.contents())
    except InputError:
        listed = None
    verdict = judged_repaired(after, error, progress)
    return repaired(after, before.shown, verdict, listed)


@dataclass(frozen=True)
class _Variants:
    """Makes inventories that differ from the first one in some values."""

    source: Source

    def __call__(self, swaps: Sequence[Swap]) -> Source | None:
        """Return the inventory with some edits made; None where that is not valid."""
        folder = self.source.folder
        if folder.resolve().parent.name == SITE_FOLDER:
            return None  # hosts depend on the other fabrics of their site
        with TemporaryDirectory(prefix="rocefab-") as place:
            copied = Path(place) / folder.resolve().name
            copy_inventory(folder, copied)
            self._write(swaps, copied)
            variant = Source(copied, self.source.shown, self.source.work)
            try:
                variant.designs.devices  # noqa: B018 - read while the folder is there
                variant.files((*variant.designs.devices, *variant.designs.hosts)[:0])
            except FabricError:
                return None
        return variant

    def _write(self, swaps: Sequence[Swap], folder: Path) -> None:
        """Write the files that the edits are in."""
        documents = self.source.contents().documents()
        for file in dict.fromkeys(swap.file for swap in swaps):
            own = [swap for swap in swaps if swap.file == file]
            data = applied(documents[file][1].data, own)
            (folder / file).write_text(json.dumps(data), encoding="utf-8")


def _sources(
    first: str, second: str, work: Work, stack: ExitStack
) -> tuple[Source | _Absent, Source | _Absent]:
    folder = _folder(second or ".")
    if Path(first).is_file():
        first = str(_folder(first))
    for path in (Path(first), folder):
        if is_site(path):
            _reject_site(path)
    if Path(first).is_dir() and second:  # a folder counts before a revision of its name
        return Source(Path(first), first, work), Source(folder, second, work)
    repository = Repository(folder)
    try:
        start, end = _revisions(first, repository)
    except InputError as error:
        raise (_one_side(first) if Path(first).is_dir() else error) from error
    sides = [
        Source(stack.enter_context(repository.copied(commit, name)), _shown(name, folder), work)
        if repository.has_folder(commit)
        else _Absent(_shown(name, folder))
        for commit, name in (start, end)
        if commit
    ]
    return sides[0], (sides[1] if end[0] else Source(folder, str(folder), work))


def _folder(text: str) -> Path:
    """Return the folder of an inventory, also where its main file is named."""
    path = Path(text)
    return path.parent if path.name == MAIN_FILE and path.is_file() else path


def _revisions(text: str, repository: Repository) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return hash and name of both sides; no hash for the working tree."""
    for dots in ("...", ".."):
        left, found, right = text.partition(dots)
        if found:
            names = left or "HEAD", right or "HEAD"
            start = repository.fork(*names) if dots == "..." else repository.commit(names[0])
            return (start, names[0]), (repository.commit(names[1]), names[1])
    return (repository.commit(text), text), ("", "")


def _shown(revision: str, folder: Path) -> str:
    return f"{revision}:{folder.as_posix()}"


def _one_side(folder: str) -> InputError:
    """Return that a folder stands alone: there is no revision of its name either."""
    shown = printable(folder)
    message = f"the folder {shown!r} has nothing to be compared with"
    fix = (
        "name a second folder behind it, or in a git repository a revision before it: "
        f"`rocefab diff main {shlex.quote(shown)}`"
    )
    return InputError("nothing was compared", [Finding("INT001", Severity.ERROR, message, fix)])


def _reject_site(site: Path) -> None:
    message = "this is a site with several fabrics; they are compared one by one"
    fix = f"name one of the folders in {site / 'fabrics'}"
    raise InputError("nothing was compared", [Finding("INT032", Severity.ERROR, message, fix)])
