"""SFTP and SCP into the root file system of a stand-in, with the faults of its script.

Known: the asyncssh SFTP server (ronf/asyncssh, asyncssh/sftp.py) maps paths below ``chroot``;
links are refused here, since one could lead out of it. Assumed: as in the shell, only root
writes outside of `/tmp` and the home directory. A transfer is matched by faults as the command
``sftp put PATH`` or ``sftp get PATH``.
"""

from __future__ import annotations

import asyncio
import io
import os
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import asyncssh

if TYPE_CHECKING:
    from fabric.lab.faults import Fault
    from fabric.lab.ssh.system import SshSystem

_WRITING = asyncssh.FXF_WRITE | asyncssh.FXF_APPEND | asyncssh.FXF_CREAT | asyncssh.FXF_TRUNC


class LabSftp(asyncssh.SFTPServer):
    """One SFTP or SCP session."""

    def __init__(self, chan: asyncssh.SSHServerChannel[bytes], stand_in: SshSystem) -> None:
        super().__init__(chan, chroot=os.fsencode(stand_in.fs.top))
        self._stand_in = stand_in
        self._limits: dict[int, int] = {}
        self._swallowed: list[object] = []
        self._lines: dict[int, tuple[bytes, int]] = {}

    def map_path(self, path: bytes) -> bytes:
        """Map a path of the client to this machine; links that lead out are refused."""
        inside = os.fsdecode(path)
        try:
            return os.fsencode(self._stand_in.fs.local(inside, self._stand_in.fs.home))
        except PermissionError:
            raise asyncssh.SFTPPermissionDenied(f"{inside}: Permission denied") from None

    def realpath(self, path: bytes) -> bytes:
        """Return the canonical path; relative ones start in the home directory."""
        return self._stand_in.fs.name_of(os.fsdecode(path), self._stand_in.fs.home).encode()

    def _check_write(self, path: bytes) -> str:
        fs = self._stand_in.fs
        name = fs.name_of(os.fsdecode(path), fs.home)
        if not fs.may_write(name, root=self._stand_in.spec.username == "root"):
            raise asyncssh.SFTPPermissionDenied("Permission denied")
        return name

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        """Open a file, unless a fault or the missing right forbids it."""
        writing = bool(pflags & _WRITING)
        name = self._stand_in.fs.name_of(os.fsdecode(path), self._stand_in.fs.home)
        line = f"sftp {'put' if writing else 'get'} {name}"
        fault = self._stand_in.strike_session(line)
        if fault is not None and fault.kind not in ("cut_at_byte", "hang"):
            self._fail(fault)
        if writing:
            self._check_write(path)
        if fault is not None and fault.kind == "hang":
            self._swallowed.append(io.BytesIO())
            return self._swallowed[-1]
        handle = cast("BinaryIO", super().open(path, pflags, attrs))
        if fault is not None:
            self._limits[id(handle)] = fault.count
        part = self._stand_in.faults.strike(line, "accept_part") if writing else None
        if part is not None:
            self._lines[id(handle)] = (self.map_path(path), part.count)
        return handle

    def _fail(self, fault: Fault) -> None:
        if fault.kind == "refuse_line":
            raise asyncssh.SFTPFailure(fault.text or "Failure")
        self._stand_in.drop(self.connection)
        raise asyncssh.SFTPConnectionLost("Connection lost")

    def write(self, file_obj: object, offset: int, data: bytes) -> Any:
        """Write, or cut the session at the byte that a fault names, or never answer."""
        if file_obj in self._swallowed:
            return asyncio.Event().wait()
        limit = self._limits.get(id(file_obj))
        if limit is None:
            return cast("int", super().write(file_obj, offset, data))
        super().write(file_obj, offset, data[: max(0, limit - offset)])
        if offset + len(data) > limit:
            self._stand_in.drop(self.connection)
        return len(data)

    def read(self, file_obj: object, offset: int, size: int) -> bytes:
        """Read, or cut the session at the byte that a fault names."""
        limit = self._limits.get(id(file_obj))
        data = cast("bytes", super().read(file_obj, offset, size))
        if limit is not None and offset + len(data) > limit:
            self._stand_in.drop(self.connection)
            return data[: max(0, limit - offset)]
        return data

    def close(self, file_obj: object) -> None:
        """Close a file; a fault may keep only its first lines."""
        self._limits.pop(id(file_obj), None)
        part = self._lines.pop(id(file_obj), None)
        cast("BinaryIO", file_obj).close()
        if part is not None:
            with open(part[0], "rb+") as stream:  # noqa: PTH123  (bytes path)
                kept = b"".join(stream.readlines()[: part[1]])
                stream.seek(0)
                stream.truncate()
                stream.write(kept)

    def remove(self, path: bytes) -> None:
        """Remove a file."""
        self._check_write(path)
        super().remove(path)

    def mkdir(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Make a directory."""
        self._check_write(path)
        super().mkdir(path, attrs)

    def rmdir(self, path: bytes) -> None:
        """Remove a directory."""
        self._check_write(path)
        super().rmdir(path)

    def rename(self, oldpath: bytes, newpath: bytes) -> None:
        """Rename a file."""
        self._check_write(oldpath)
        self._check_write(newpath)
        super().rename(oldpath, newpath)

    def posix_rename(self, oldpath: bytes, newpath: bytes) -> None:
        """Rename a file over another one."""
        self._check_write(oldpath)
        self._check_write(newpath)
        super().posix_rename(oldpath, newpath)

    def setstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Change the mode or size of a file."""
        self._check_write(path)
        super().setstat(path, attrs)

    def symlink(self, oldpath: bytes, newpath: bytes) -> None:
        """Refuse: a link could lead out of the root file system."""
        raise asyncssh.SFTPPermissionDenied("Permission denied")

    def link(self, oldpath: bytes, newpath: bytes) -> None:
        """Refuse: a link could lead out of the root file system."""
        raise asyncssh.SFTPPermissionDenied("Permission denied")

    def format_user(self, uid: int | None) -> str:
        """Name no account of this machine."""
        return str(uid or 0)

    def format_group(self, gid: int | None) -> str:
        """Name no group of this machine."""
        return str(gid or 0)

    def lsetstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Change the mode of a file."""
        self.setstat(path, attrs)

    def statvfs(self, path: bytes) -> Any:
        """Refuse: the figures would be those of this machine."""
        raise asyncssh.SFTPOpUnsupported("statvfs")
