"""diff: two inventory folders, or two git revisions of one."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.core.errors import FabricError, InputError, RenderError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_bytes
from fabric.exchange.jobs import read_jobs
from fabric.intent.contents import copy_inventory
from fabric.intent.documents import KINDS, MAIN_FILE, SITE_FOLDER, read_folder
from fabric.intent.site import is_site, load_beside
from fabric.report.diff.alone import applied
from fabric.report.diff.compare import Comparison
from fabric.report.diff.edits import edits
from fabric.report.diff.traced import Contents, Swap
from fabric.topology.site import Members
from fabric.workflow.effect import effect
from fabric.workflow.project import Project
from fabric.workflow.revision import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fabric.core.artefact import Artefact
    from fabric.report.diff.model import Diff
    from fabric.workflow.work import Work

    Progress = Callable[[str, str], None]

_TABLES = KINDS[2]


@dataclass(frozen=True)
class Source:
    """One side of a difference.

    Parameters
    ----------
    shown : str
        How messages name it: the folder, or revision and folder.
    """

    folder: Path
    shown: str
    work: Work
    _rendered: dict[str, list[Artefact]] = field(default_factory=dict, repr=False)

    @cached_property
    def designs(self) -> Project:
        """The inventory and what follows from it."""
        members = Members(load_beside(self.folder, self.shown))
        return Project(self.folder, self.work, members)

    def files(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        """Return the rendered files of some devices; no others are rendered.

        Raises
        ------
        InputError
            When the inventory asks for what a system cannot do.
        """
        project, chosen = self.designs, list(names)
        missing = [name for name in chosen if name not in self._rendered]
        switches = [name for name in missing if name in project.fabric.switch_row]
        hosts = [name for name in missing if name in project.fabric.host_row]
        try:
            self._rendered.update(project.switch_files(switches))
            self._rendered.update(project.host_files(hosts))
        except RenderError as error:
            fix = "`rocefab check` shows the place in the inventory"
            finding = Finding("REN001", Severity.ERROR, f"{self.shown}: {error}", fix)
            raise InputError("nothing was compared", [finding]) from error
        return {name: self._rendered[name] for name in chosen}

    def contents(self) -> Contents:
        """Return the files of the inventory."""
        folder = self.folder / _TABLES
        tables = {
            f"{_TABLES}/{path.relative_to(folder).as_posix()}": read_bytes(path, FileKind.OTHER)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".yaml"
        }
        return Contents(read_folder(self.folder, self.shown), self.shown, tables)


def diff(
    first: str,
    second: str,
    work: Work,
    progress: Progress = lambda *_: None,
    jobs: Path | None = None,
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

    Raises
    ------
    InputError
        When there is no such folder or revision, or one of the inventories is wrong.
    """
    running = read_jobs(jobs) if jobs else {}
    with ExitStack() as stack:
        before, after = _sources(first, second, work, stack)
        return between(before, after, running, progress)


def between(
    before: Source, after: Source, running: Mapping[str, tuple[str, ...]], progress: Progress
) -> Diff:
    """Return what differs between two sides.

    Parameters
    ----------
    running : mapping
        Hosts of each job that runs.

    Raises
    ------
    InputError
        When one of the inventories is wrong.
    """
    for source in (before, after):
        progress(source.shown, "designs")
        source.designs.devices  # noqa: B018 - errors of a side come before anything else
    listed = edits(before.contents(), after.contents())
    progress("", "files")
    return Comparison(before, after, listed, effect, _Variants(before), running).diff()


@dataclass(frozen=True)
class _Variants:
    """Makes inventories that differ from the first one in a single value."""

    source: Source

    def __call__(self, swap: Swap) -> Source | None:
        """Return the inventory with one edit made; None where that is not valid."""
        folder = self.source.folder
        if folder.resolve().parent.name == SITE_FOLDER:
            return None  # hosts depend on the other fabrics of their site
        document = self.source.contents().documents()[swap.file][1]
        data = applied(document.data, swap)
        with TemporaryDirectory(prefix="rocefab-") as place:
            copied = Path(place) / folder.resolve().name
            copy_inventory(folder, copied)
            (copied / swap.file).write_text(json.dumps(data), encoding="utf-8")
            variant = Source(copied, self.source.shown, self.source.work)
            try:
                variant.designs.devices  # noqa: B018 - read while the folder is there
                variant.files((*variant.designs.devices, *variant.designs.hosts)[:0])
            except FabricError:
                return None
        return variant


def _sources(first: str, second: str, work: Work, stack: ExitStack) -> tuple[Source, Source]:
    folder = _folder(second or ".")
    if Path(first).is_file():
        first = str(_folder(first))
    for path in (Path(first), folder):
        if is_site(path):
            _reject_site(path)
    if Path(first).is_dir() and second:  # a folder counts before a revision of its name
        return Source(Path(first), first, work), Source(folder, second, work)
    repository = Repository(folder)
    start, end = _revisions(first, repository)
    sides = [
        Source(stack.enter_context(repository.copied(commit, name)), _shown(name, folder), work)
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


def _reject_site(site: Path) -> None:
    message = "this is a site with several fabrics; they are compared one by one"
    fix = f"name one of the folders in {site / 'fabrics'}"
    raise InputError("nothing was compared", [Finding("INT032", Severity.ERROR, message, fix)])
