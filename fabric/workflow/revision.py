"""Inventory folders of git revisions, copied out of the object store; nothing is checked out."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.core.errors import HistoryError, InputError, ProgramError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import printable
from fabric.intent.contents import inventory_files, is_part
from fabric.intent.documents import SITE_FOLDER
from fabric.programs.git import FILES, LINK, Git, opened, same

if TYPE_CHECKING:
    from collections.abc import Iterator


#: What to do in a clone that has a part of the history, as CI systems make them (git-fetch(1);
#: actions/checkout and GitLab name it so).
_WHOLE = (
    "this clone is shallow: fetch the whole history with `git fetch --unshallow`, or in CI with "
    "fetch-depth: 0 (GitHub) or GIT_DEPTH: 0 (GitLab)"
)


@dataclass(frozen=True)
class Repository:
    """The git repository that an inventory folder is in.

    Parameters
    ----------
    folder : Path
        The inventory folder; it need not exist in the working tree.
    """

    folder: Path

    def commit(self, revision: str) -> str:
        """Return the hash of the commit that a revision names.

        Raises
        ------
        InputError
            When there is no such revision, or no repository.
        """
        shown = printable(revision)
        with self._opened() as git:
            if git is None:
                message = (
                    f"{shown!r} is not a folder, and {self.folder} is outside a git repository"
                )
                raise _error(message, "specify two folders, or run it in a repository")
            commit = git.named(f"{revision}^{{commit}}") if revision else ""
            fix = _WHOLE if git.is_shallow else "check the name"
        if not commit:
            raise _error(f"{shown!r} is neither a folder nor a git revision", fix)
        return commit

    def state(self) -> str:
        """Return the commit that is checked out, with ``+changes`` where the inventory differs.

        Empty outside a repository, and where git cannot tell.

        Notes
        -----
        The bytes of files are compared, and those alone that `inventory_hash` counts. ``git
        status`` would run filters and monitors of the repository.
        """
        try:
            with self._opened() as git:
                commit = git.named("HEAD^{commit}") if git else ""
                if git is None or not commit:
                    return ""
                changes = "+changes" if _differs(git, commit, self.folder.resolve()) else ""
        except (InputError, OSError):
            return ""
        return f"{commit}{changes}"

    def fork(self, left: str, right: str) -> str:
        """Return the last commit that two commits have in common.

        Raises
        ------
        InputError
            When they have none.
        """
        commits = self.commit(left), self.commit(right)
        with self._opened() as git:
            done = git.ask("merge-base", *commits) if git else None
            fix = _WHOLE if git and git.is_shallow else "use A..B"
        if done is None or done.code:
            message = f"{printable(left)!r} and {printable(right)!r} have no common commit"
            raise _error(message, fix)
        return done.text.strip()

    def has_folder(self, commit: str) -> bool:
        """Tell whether a commit has the inventory folder."""
        with self._opened() as git:
            return git is not None and bool(git.tree(commit, self._inside(self.folder)))

    @contextmanager
    def copied(self, commit: str, shown: str) -> Iterator[Path]:
        """Give the inventory folder of a commit as a folder that is removed afterwards.

        The whole site is copied where the folder is a fabric of one.

        Raises
        ------
        InputError
            When the commit has no such folder.
        """
        root, inner = self._root()
        with TemporaryDirectory(prefix="rocefab-") as place:
            top = Path(place) / (root.name or "inventory")
            top.mkdir()
            folder = top / inner
            if not self._copy(commit, root, top) or not folder.is_dir():
                message = f"{shown} has no folder {self.folder}"
                raise _error(message, "name the folder of the inventory behind the revisions")
            yield folder

    def _root(self) -> tuple[Path, PurePosixPath]:
        """Return the folder to copy, and the inventory below it."""
        whole = _absolute(self.folder)
        if whole.parent.name == SITE_FOLDER:
            return whole.parents[1], PurePosixPath(SITE_FOLDER, whole.name)
        return whole, PurePosixPath()

    def _copy(self, commit: str, root: Path, top: Path) -> bool:
        """Write the files of a commit below a folder; tell whether the commit has them."""
        with self._opened() as git:
            tree = git.tree(commit, self._inside(root)) if git else ""
            if git is None or not tree:
                return False
            files = (row for row in git.rows(tree) if row.mode in (LINK, *FILES))
            # Links come last, so that nothing is written through one.
            rows = sorted(files, key=lambda row: (row.mode == LINK, row))
            try:
                for row, content in zip(rows, git.contents(rows), strict=True):
                    _write(top / row.name, content, is_link=row.mode == LINK)
            except (OSError, ValueError) as error:
                message = f"files of the commit cannot be written: {error}"
                raise _error(message, "repair it") from error
        return True

    def _inside(self, folder: Path) -> Path:
        """Return where a folder is; ``..`` counts from where links lead to, as in git -C."""
        start = self._start()
        inside = os.path.relpath(_absolute(folder), start)
        return Path(os.path.normpath(start.resolve() / inside))

    def _start(self) -> Path:
        """Return the nearest folder that exists."""
        whole = _absolute(self.folder)
        return next(one for one in (whole, *whole.parents) if one.is_dir())

    @contextmanager
    def _opened(self) -> Iterator[Git | None]:
        try:
            with opened(self._start()) as git:
                yield git
        except ProgramError as error:
            finding = _finding(str(error), error.fix or "install git, or specify two folders")
            raise HistoryError("nothing was compared", [finding]) from error


def _absolute(folder: Path) -> Path:
    return Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as named


def _differs(git: Git, commit: str, folder: Path) -> bool:
    """Tell whether files of an inventory, or of its site, are not those of a commit."""
    in_site = folder.parent.name == SITE_FOLDER
    base = folder.parent if in_site else folder
    tree = git.tree(commit, base)
    rows = {PurePosixPath(row.name): row for row in (git.rows(tree) if tree else ())}
    names = {name for name in rows if is_part(PurePosixPath(*name.parts[in_site:]))}
    for _, path in inventory_files(folder):
        # A link counts, and so does what it leads to.
        for place in (path.parent.resolve() / path.name, path.resolve()):
            inner = place.relative_to(base) if place.is_relative_to(base) else place
            names.add(PurePosixPath(inner))
    return not all(name in rows and same(rows[name], base / name) for name in names)


def _write(target: Path, content: bytes, *, is_link: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_link:
        target.symlink_to(content.decode(errors="surrogateescape"))
    else:
        target.write_bytes(content)


def _error(message: str, fix: str) -> InputError:
    return InputError("nothing was compared", [_finding(message, fix)])


def _finding(message: str, fix: str) -> Finding:
    return Finding("INT001", Severity.ERROR, message, fix)
