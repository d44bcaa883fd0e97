"""The root file system of a stand-in: a temporary directory that nothing may leave.

Known: `/tmp`, `/var/tmp`, `/dev/shm` and the home directory are writable for everybody, the rest
needs root (Filesystem Hierarchy Standard). Assumed: there are no file owners, so reading is never
refused and a mode is only kept and shown.

Files of the kernel (sysfs) that do more than keep bytes get a hook: see :meth:`RootFs.watch`.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import tempfile
import threading
import weakref
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WRITABLE_BY_ALL = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  (paths inside the stand-in)


class RootFs:
    """Files below one temporary directory, addressed by absolute POSIX paths.

    Parameters
    ----------
    home : str
        Home directory of the account; made at once and writable without root.
    """

    def __init__(self, home: str) -> None:
        self.top = Path(tempfile.mkdtemp(prefix="rocefab-lab-")).resolve()
        self._remove = weakref.finalize(self, shutil.rmtree, self.top, ignore_errors=True)
        self.home = home
        self._hooks: dict[str, Callable[[str], str]] = {}
        self._computed: dict[str, Callable[[], str]] = {}
        self._deferred: list[Callable[[], None]] = []
        self._pending = False
        self._filling = threading.RLock()
        for path in (*WRITABLE_BY_ALL, home):
            self.mkdir(path)

    def close(self) -> None:
        """Delete the directory, after what a thread writes there now; what waits is not written."""
        with self._filling:
            self._deferred = []
            self._remove()

    def watch(self, path: str, hook: Callable[[str], str]) -> None:
        """Let ``hook`` turn the text that is written to ``path`` into what a read gives.

        A hook refuses a text by raising ``OSError``.
        """
        self._hooks[path] = hook

    def computed(self, path: str, text: Callable[[], str]) -> None:
        """Make a file of the kernel whose text is made when it is read."""
        self._computed[path] = text
        self.put(path, "")

    def defer(self, action: Callable[[], None]) -> None:
        """Run ``action``, which writes many files, before somebody looks at the next file."""
        self._deferred.append(action)
        self._pending = True

    def _fill(self) -> None:
        with self._filling:
            actions, self._deferred = self._deferred, []
            for action in actions:
                action()
            if actions:
                self._pending = False

    def local(self, path: str, cwd: str = "/") -> Path:
        """Return where ``path`` is on this machine, always inside the root directory.

        Raises
        ------
        PermissionError
            When a symbolic link leads out of the root directory.
        """
        if self._pending:
            self._fill()
        inside = posixpath.normpath(posixpath.join("/", cwd, path)).lstrip("/")
        resolved = Path(os.path.realpath(self.top / inside))
        if resolved != self.top and self.top not in resolved.parents:
            raise PermissionError(13, "Permission denied", path)
        return resolved

    def name_of(self, path: str, cwd: str = "/") -> str:
        """Return the absolute path inside the stand-in, without following links."""
        return posixpath.normpath(posixpath.join("/", cwd, path)).replace("//", "/")

    def may_write(self, path: str, *, root: bool) -> bool:
        """Tell whether the account may create or change ``path``."""
        name = self.name_of(path)
        places = (*WRITABLE_BY_ALL, self.home, "/dev/null")
        return root or any(name == place or name.startswith(place + "/") for place in places)

    def exists(self, path: str) -> bool:
        """Tell whether ``path`` exists."""
        return self.local(path).exists()

    def is_dir(self, path: str) -> bool:
        """Tell whether ``path`` is a directory."""
        return self.local(path).is_dir()

    def read(self, path: str) -> str:
        """Return the text of a file; bytes that are not UTF-8 survive a round trip."""
        name = self.name_of(path)
        if name == "/dev/null":
            return ""
        if name in self._computed:
            return self._computed[name]()
        return self.local(path).read_bytes().decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str, *, append: bool = False) -> None:
        """Write the text of a file; its directory must exist."""
        name = self.name_of(path)
        if name == "/dev/null":
            return
        hook = self._hooks.get(name)
        target = self.local(path)
        if hook is not None and not text:
            return  # opening a file of the kernel does not truncate it
        if hook is not None:
            text, append = hook(text), False
        with target.open("ab" if append else "wb") as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))

    def put(self, path: str, text: str) -> None:
        """Write a file and make the directories above it; for setting a stand-in up."""
        self.mkdir(posixpath.dirname(path))
        self.local(path).write_bytes(text.encode("utf-8", "surrogateescape"))

    def mkdir(self, path: str) -> None:
        """Make a directory and those above it."""
        self.local(path).mkdir(parents=True, exist_ok=True)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link to an absolute path of the stand-in."""
        self.mkdir(posixpath.dirname(path))
        relative = posixpath.relpath(target, posixpath.dirname(path))
        (self.top / path.lstrip("/")).symlink_to(relative)

    def listing(self, path: str) -> list[str]:
        """Return the names in a directory, sorted."""
        return sorted(entry.name for entry in self.local(path).iterdir())

    def glob(self, pattern: str, cwd: str) -> list[str]:
        """Expand a shell pattern; empty when nothing matches."""
        paths = ["/" if pattern.startswith("/") else ""]
        for part in (part for part in pattern.split("/") if part):
            following: list[str] = []
            for prefix in paths:
                folder = self.local(prefix or ".", cwd)
                if not any(sign in part for sign in "*?["):
                    names = [part] if os.path.lexists(folder / part) else []
                elif folder.is_dir():
                    names = [
                        entry.name
                        for entry in sorted(folder.iterdir(), key=lambda item: item.name)
                        if fnmatchcase(entry.name, part)
                        and (part.startswith(".") or not entry.name.startswith("."))
                    ]
                else:
                    names = []
                following += [posixpath.join(prefix, name) for name in names]
            paths = following
        return paths
