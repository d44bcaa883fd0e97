"""Inventory folders of git revisions, copied out of the object store; nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.intent.documents import SITE_FOLDER
from fabric.intent.scalars import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMEOUT_S = 60
_LINK, _FILES = "120000", ("100644", "100755")


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
        words = ("ls-tree", "-r", "-z", "--full-tree", tree.stdout.decode().strip())
        done = self._run(*words)
        entries = [
            line.decode(errors="surrogateescape") for line in done.stdout.split(b"\0") if line
        ]
        rows = [(*entry.partition("\t")[0].split(), entry.partition("\t")[2]) for entry in entries]
        files = [row for row in rows if row[0] in (*_FILES, _LINK)]
        contents = self._contents([row[2] for row in files])
        for (mode, _, _, name), content in zip(files, contents, strict=True):
            target = top / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if mode == _LINK:
                target.symlink_to(content.decode(errors="surrogateescape"))
            else:
                target.write_bytes(content)
        return True

    def _contents(self, objects: list[str]) -> Iterator[bytes]:
        """Yield the content of objects, in their order."""
        asked = "".join(f"{name}\n" for name in objects).encode()
        out = self._run("cat-file", "--batch", given=asked).stdout
        at = 0
        for _ in objects:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
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


def _error(message: str, fix: str) -> InputError:
    finding = Finding("INT001", Severity.ERROR, message, fix, position=Position(""))
    return InputError("nothing was compared", [finding])
