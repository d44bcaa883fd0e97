"""Keeps results between runs, by the hash of everything that they were made from.

One SQLite file in a folder of the user. It may be deleted at any time; when it cannot be read or
written, all is made anew.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core import plugins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Results that are kept; a fabric of 131,072 NICs has 5,120 switches.
MOST_RESULTS = 100_000
_FILE = "results.sqlite"
_BATCH = 500  # below the limit of variables in a statement of every SQLite since 3.8 (999)


def user_folder() -> Path:
    """Return where results of a user are kept: XDG Base Directory Specification 0.8."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "rocefab"


class Store:
    """Results by key.

    Parameters
    ----------
    folder : Path or None
        Folder of the user; made when it is not there. None keeps nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._base, self._folder = None, folder
        if folder is not None:
            with suppress(OSError, sqlite3.Error):
                self._base = _opened(folder)

    def __reduce__(self) -> tuple[type[Store], tuple[Path | None]]:
        return Store, (self._folder,)

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._base is not None

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the results that are there, by key."""
        kept: dict[str, bytes] = {}
        names = list(keys)
        with suppress(sqlite3.Error, zlib.error):
            for start in range(0, len(names) if self._base else 0, _BATCH):
                kept |= self._some(names[start : start + _BATCH])
        return kept

    def _some(self, keys: list[str]) -> dict[str, bytes]:
        assert self._base is not None
        marks = ",".join("?" * len(keys))
        rows = self._base.execute(f"SELECT key, result FROM results WHERE key IN ({marks})", keys)  # noqa: S608 - marks alone
        return {key: zlib.decompress(result) for key, result in rows}

    def put(self, results: Mapping[str, bytes]) -> None:
        """Keep results; the oldest go when there are too many."""
        if self._base is None or not results:
            return
        rows = [(key, zlib.compress(result, 1)) for key, result in results.items()]
        with suppress(sqlite3.Error), self._base as base:
            base.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", rows)
            (count,) = base.execute("SELECT count(*) FROM results").fetchone()
            extra = max(0, count - MOST_RESULTS)
            oldest = "SELECT rowid FROM results ORDER BY rowid LIMIT ?"
            base.execute(f"DELETE FROM results WHERE rowid IN ({oldest})", [extra])  # noqa: S608


def _opened(folder: Path) -> sqlite3.Connection:
    """Open the file of results, which nobody else may read or write."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.stat()
    if state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise OSError(f"{folder} is writable by other users")
    file = folder / _FILE
    try:
        return _tables(file)
    except sqlite3.DatabaseError:  # damaged: made anew
        file.unlink()
        return _tables(file)


def _tables(file: Path) -> sqlite3.Connection:
    base = sqlite3.connect(file, timeout=5)
    base.execute("PRAGMA synchronous = OFF")  # what is lost is made anew
    base.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, result BLOB)")
    return base


@cache
def code_version() -> str:
    """Return the hash of all files that results depend on.

    Data files count by their content, all others by name, size and time.
    """
    package = Path(__file__).parents[1]
    others = [package.parent / "templates", *(Path(str(one)) for one in plugins.folders("."))]
    roots = [package, *(one for one in others if one.is_dir() and not one.is_relative_to(package))]
    whole = hashlib.sha256()
    for root in roots:
        for part in _files(root):
            whole.update(part)
    return whole.hexdigest()


def _files(folder: str | Path) -> Iterable[bytes]:
    """Yield what stands for each file below a folder, in the order of the names."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _files(entry.path)
        elif entry.name.endswith(".toml"):
            yield entry.path.encode() + b"\0" + Path(entry.path).read_bytes() + b"\n"
        else:
            state = entry.stat()
            yield f"{entry.path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode()
