"""The way in for every file that a user names: regular files alone, and none without limit.

A pipe waits for a writer, a device may have no end, and to open one can do something. What is no
regular file is refused before it is opened, behind a link as well.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from codecs import BOM_UTF8
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, BinaryIO

from fabric.core.errors import FileError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json, said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
#: What is read at a time of a file that grows, or whose size its file system does not say.
_PIECE = 1 << 20
_CONFIGURATIONS = {FileKind.CONFIGURATION, FileKind.RENDERED, FileKind.SONIC_CONFIG}
#: No float has more than 308 digits (IEEE 754). In a key or a certificate 101 digits follow each
#: other, without a letter, once in 10**20 files.
_LONG_NUMBER = re.compile("[0-9]{101}")
_GONE = (FileNotFoundError, NotADirectoryError)
_NOT_FILES = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def open_regular(
    path: Path, kind: FileKind, *, follow: bool = True, any_size: bool = False
) -> BinaryIO:
    """Open a file for reading.

    Parameters
    ----------
    follow : bool
        Whether it may be a link, to a regular file.
    any_size : bool
        Whether the caller reads a part of it alone.

    Raises
    ------
    FileError
        When it cannot be opened, is no regular file, or is larger than its kind may be.
    """
    most_bytes = sys.maxsize if any_size else kind.most_bytes
    try:
        _check(path, kind, path.stat(follow_symlinks=follow), most_bytes)
        handle = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
        file = os.fdopen(handle, "rb")
        try:
            _check(path, kind, os.fstat(handle), most_bytes)
        except FileError:
            file.close()
            raise
    except (OSError, ValueError) as error:
        raise _unreadable(path, kind, error) from error
    return file


def check_regular(path: Path, kind: FileKind) -> None:
    """Refuse a file that a library will open by itself; one that is missing is left to it.

    Raises
    ------
    FileError
        As `open_regular`.
    """
    try:
        open_regular(path, kind).close()
    except FileError as error:
        if error.fault != "missing":
            raise


def read_bytes(path: Path, kind: FileKind, *, follow: bool = True) -> bytes:
    """Return the content of a file.

    Raises
    ------
    FileError
        As `open_regular`, and when it cannot be read.
    """
    with open_regular(path, kind, follow=follow) as file:
        try:
            content = file.read(os.fstat(file.fileno()).st_size + 1) or b""
            while len(content) <= kind.most_bytes and (piece := file.read(_PIECE)):
                content += piece
        except OSError as error:
            raise _unreadable(path, kind, error) from error
    if len(content) > kind.most_bytes:
        raise _too_large(path, kind)
    return content


def read_text(path: Path, kind: FileKind, *, follow: bool = True) -> str:
    """Return the text of a file in UTF-8, without a byte order mark, lines ended by a line feed.

    Raises
    ------
    FileError
        As `read_bytes`, when it is no such text, and as `check_numbers` for a configuration.
    """
    content = read_bytes(path, kind, follow=follow).removeprefix(BOM_UTF8)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = len(before) - before.rfind(b"\n")
        raise wrong(path, kind, "not UTF-8 text", before.count(b"\n") + 1, column) from error
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if kind in _CONFIGURATIONS:
        check_numbers(path, kind, text)
    return text


def check_numbers(path: Path, kind: FileKind, text: str) -> None:
    """Refuse a configuration with a number that no float holds.

    Raises
    ------
    FileError
        With the place of the number.
    """
    long = _LONG_NUMBER.search(text)
    if long:
        line = text.count("\n", 0, long.start()) + 1
        column = long.start() - text.rfind("\n", 0, long.start())
        raise wrong(path, kind, "a number has more than 100 digits", line, column)


def read_json(
    path: Path,
    kind: FileKind,
    *,
    follow: bool = True,
    object_pairs_hook: Callable[..., Any] | None = None,
) -> Any:
    """Return what a JSON file holds; ``object_pairs_hook`` is that of `json.loads`.

    Raises
    ------
    FileError
        As `read_text`, and when it is no JSON, or not within the bounds of `parse_json`.
    """
    try:
        return parse_json(read_text(path, kind, follow=follow), object_pairs_hook)
    except JSONDecodeError as error:
        raise not_json(path, kind, error) from error


def not_json(path: Path, kind: FileKind, error: JSONDecodeError) -> FileError:
    """Return the error of a file that is no JSON, or not within the bounds of `parse_json`."""
    return wrong(path, kind, said(error), error.lineno, error.colno)


def wrong(path: Path, kind: FileKind, reason: str, line: int = 0, column: int = 1) -> FileError:
    """Return the error of a file that is not what its kind must be."""
    return _error(path, kind, "content", reason, place=Position(str(path), line, column))


def _check(path: Path, kind: FileKind, status: os.stat_result, most_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = next((name for test, name in _NOT_FILES if test(status.st_mode)), "a device")
        raise _error(path, kind, "special", f"not a regular file but {what}")
    if status.st_size > most_bytes:
        raise _too_large(path, kind)


def _too_large(path: Path, kind: FileKind) -> FileError:
    reason = f"the file is larger than {kind.size}"
    return _error(path, kind, "large", reason, "name the right file, or a part of it")


def _unreadable(path: Path, kind: FileKind, error: Exception) -> FileError:
    reason = getattr(error, "strerror", None) or str(error)
    fault = "missing" if isinstance(error, _GONE) else "unreadable"
    return _error(path, kind, fault, f"cannot be read: {reason[:1].lower()}{reason[1:]}")


def _error(
    path: Path,
    kind: FileKind,
    fault: str,
    reason: str,
    fix: str = "",
    place: Position | None = None,
) -> FileError:
    where = place or Position(str(path))
    finding = Finding(kind.rule, Severity.ERROR, reason, fix or kind.fix, position=where)
    return FileError(finding, fault)
