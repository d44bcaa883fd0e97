"""git, asked for what a history holds; nothing that a repository configures is read or run."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import FileError, ProgramError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular
from fabric.programs.borrowed import ask, borrow
from fabric.programs.checkout import Checkout, checkout_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.programs.run import Ended

#: Kinds of entries of a tree that are files (git-fast-import(1), filemodify).
LINK, FILES = "120000", ("100644", "100755")
_READ = 1 << 16


class Row(NamedTuple):
    """An entry of a tree: its kind, its place below the tree, and the name of its content."""

    mode: str
    name: str
    content: str


@dataclass(frozen=True)
class Git:
    """A repository that is open for questions.

    Parameters
    ----------
    checkout : Checkout
        Whose history it is.
    place : Path
        The folder that git works in.
    """

    checkout: Checkout
    place: Path

    @property
    def is_shallow(self) -> bool:
        """Whether commits are missing: a clone of a part of the history (git-clone(1))."""
        return (self.checkout.shared / "shallow").is_file()

    def ask(self, *words: str, given: bytes = b"") -> Ended:
        """Run a command of git on the objects and references of the repository.

        Raises
        ------
        ProgramError
            When it cannot be run, takes too long or prints too much.
        """
        return ask(self.place, words, given)

    def named(self, text: str) -> str:
        """Return the hash of the object that a text names; empty where there is none."""
        done = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", text)
        return "" if done.code else done.text.strip()

    def tree(self, commit: str, folder: Path) -> str:
        """Return the hash of a folder in a commit; empty where the commit does not have it."""
        inner = Path(os.path.relpath(folder, self.checkout.top))
        if ".." in inner.parts:
            return ""
        return self.named(f"{commit}:{'' if inner == Path() else inner.as_posix()}")

    def rows(self, tree: str) -> list[Row]:
        """Return the entries of a tree and of all trees below it.

        Raises
        ------
        ProgramError
            When the tree is not there, or names a file outside of itself.
        """
        done = self.ask("ls-tree", "-r", "-z", "--full-tree", tree)
        if done.code:
            raise _lacking()
        rows = []
        for line in filter(None, done.out.decode(errors="surrogateescape").split("\0")):
            words, _, name = line.partition("\t")
            mode, _, content = words.split()
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise ProgramError("git", f"has a file {name!a} in the commit", "repair it")
            rows.append(Row(mode, name, content))
        return rows

    def contents(self, rows: Sequence[Row]) -> Iterator[bytes]:
        """Yield the content of entries, in their order.

        Raises
        ------
        ProgramError
            When the repository does not have one of them.
        """
        asked = "".join(f"{row.content}\n" for row in rows).encode()
        out = self.ask("cat-file", "--batch", given=asked).out
        at = 0
        for _ in rows:
            end = out.find(b"\n", at)
            words = out[at:end].split()
            if len(words) != len(("name", "type", "size")):
                raise _lacking()
            size = int(words[2])
            yield out[end + 1 : end + 1 + size]
            at = end + size + 2


@contextmanager
def opened(folder: Path) -> Iterator[Git | None]:
    """Give the repository that a folder is in; None where it is in none.

    Raises
    ------
    ProgramError
        When git cannot be run, or the repository cannot be read.
    """
    checkout = checkout_of(folder)
    if checkout is None:
        yield None
        return
    with TemporaryDirectory(prefix="rocefab-git-") as scratch:
        yield Git(checkout, borrow(checkout, Path(scratch)))


def same(row: Row, path: Path) -> bool:
    """Tell whether a file has the bytes of an entry; no filter of git changes them before."""
    try:
        if path.is_symlink():
            target = os.fsencode(path.readlink())
            return row.mode == LINK and _hash(row, len(target), [target]) == row.content
        if row.mode not in FILES:
            return False
        with open_regular(path, FileKind.OTHER, any_size=True) as file:
            size = os.fstat(file.fileno()).st_size
            parts = iter(lambda: file.read(_READ), b"")
            return _hash(row, size, parts) == row.content
    except (OSError, FileError):
        return False


def _hash(row: Row, size: int, parts: Iterator[bytes] | Sequence[bytes]) -> str:
    """Return the name that git gives to a content: the hash of ``blob SIZE NUL content``.

    Notes
    -----
    Pro Git, section 10.2 (Git Objects), and gitformat-pack(5) for the two lengths of names.
    """
    is_short = len(row.content) == 2 * hashlib.sha1(usedforsecurity=False).digest_size
    digest = hashlib.sha1(usedforsecurity=False) if is_short else hashlib.sha256()
    digest.update(b"blob %d\0" % size)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _lacking() -> ProgramError:
    reason = "does not have all files of the commit here, and nothing is fetched"
    return ProgramError("git", reason, "make the clone whole: git fetch --refetch --no-filter")
