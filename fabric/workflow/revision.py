"""Inventory folders of git revisions, copied out of the object store; nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.intent.documents import SITE_FOLDER
from fabric.intent.scalars import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMEOUT_S = 60
_LINK, _FILES = "120000", ("100644", "100755")


class _Row(NamedTuple):
    """A file of a tree, and the name of its content."""

    is_link: bool
    name: str
    content: str


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
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        done = self._run(*words)
        if done.returncode or not revision:
            inside = self._run("rev-parse", "--is-inside-work-tree").returncode == 0
            shown = printable(revision)
            if inside:
                raise _error(f"{shown!r} is neither a folder nor a git revision", "check the name")
            message = f"{shown!r} is not a folder, and {self.folder} is outside a git repository"
            raise _error(message, "specify two folders, or run it in a repository")
        return done.stdout.decode().strip()

    def state(self) -> str:
        """Return the commit that is checked out, with ``+changes`` where the folder differs.

        Empty outside a repository, and where there is no git.
        """
        try:
            commit = self.commit("HEAD")
        except InputError:
            return ""
        changed = self._run("status", "--porcelain", "--", ".").stdout.strip()
        return f"{commit}+changes" if changed else commit

    def fork(self, left: str, right: str) -> str:
        """Return the last commit that two commits have in common.

        Raises
        ------
        InputError
            When they have none.
        """
        done = self._run("merge-base", self.commit(left), self.commit(right))
        if done.returncode:
            message = f"{printable(left)!r} and {printable(right)!r} have no common commit"
            raise _error(message, "fetch the whole history, or use A..B")
        return done.stdout.decode().strip()

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
        whole = Path(os.path.abspath(self.folder))  # noqa: PTH100 - links stay as named
        if whole.parent.name == SITE_FOLDER:
            return whole.parents[1], PurePosixPath(SITE_FOLDER, whole.name)
        return whole, PurePosixPath()

    def _copy(self, commit: str, root: Path, top: Path) -> bool:
        """Write the files of a commit below a folder; tell whether the commit has them."""
        start = self._start()
        inner = os.path.relpath(root, start)
        path = f"{commit}:./{'' if inner == '.' else inner}"
        tree = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", path)
        if tree.returncode:
            return False
        rows = self._rows(tree.stdout.decode().strip())
        contents = self._contents([row.content for row in rows])
        try:
            for row, content in zip(rows, contents, strict=True):
                _write(top / row.name, content, is_link=row.is_link)
        except (OSError, ValueError) as error:
            raise _error(f"files of the commit cannot be written: {error}", "repair it") from error
        return True

    def _rows(self, tree: str) -> list[_Row]:
        """Return the files of a tree; links come last, so that nothing is written through one."""
        out = self._run("ls-tree", "-r", "-z", "--full-tree", tree).stdout
        rows = []
        for line in filter(None, out.decode(errors="surrogateescape").split("\0")):
            words, _, name = line.partition("\t")
            mode, _, content = words.split()
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise _error(f"the commit names a file {printable(name)!r}", "repair it")
            if mode in (*_FILES, _LINK):
                rows.append(_Row(mode == _LINK, name, content))
        return sorted(rows)

    def _contents(self, objects: list[str]) -> Iterator[bytes]:
        """Yield the content of objects, in their order."""
        asked = "".join(f"{name}\n" for name in objects).encode()
        out = self._run("cat-file", "--batch", given=asked).stdout
        at = 0
        for _ in objects:
            end = out.find(b"\n", at)
            words = out[at:end].split()
            if len(words) != len(("name", "type", "size")):
                raise _error("the repository lacks files of a commit", "fetch them, then try again")
            size = int(words[2])
            yield out[end + 1 : end + 1 + size]
            at = end + size + 2

    def _start(self) -> Path:
        """Return the nearest folder that exists."""
        whole = Path(os.path.abspath(self.folder))  # noqa: PTH100 - links stay as named
        return next(one for one in (whole, *whole.parents) if one.is_dir())

    def _run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = ["git", "--no-pager", "-C", str(self._start()), *words]
        try:
            return subprocess.run(  # noqa: S603 - a list of words, no shell
                command, input=given, capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _error(
                f"git cannot be run: {error}", "install git, or name two folders"
            ) from error


def _write(target: Path, content: bytes, *, is_link: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_link:
        target.symlink_to(content.decode(errors="surrogateescape"))
    else:
        target.write_bytes(content)


def _error(message: str, fix: str) -> InputError:
    finding = Finding("INT001", Severity.ERROR, message, fix, position=Position(""))
    return InputError("nothing was compared", [finding])
