"""Bearer tokens (RFC 6750) and their scopes."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

#: What a token may do; ``write`` may read as well.
SCOPES = ("read", "write")
#: Shortest token: 128 bits in hexadecimal digits.
MIN_LENGTH = 32
_NAME = re.compile(r"[!-~]{1,128}")
#: Words of a line with a name.
_WITH_NAME = 3


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token may do, and whose it is; empty for one without a name."""

    scope: str
    name: str = ""


class Tokens:
    """Tokens by their SHA-256, so that neither memory nor timing shows them.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        When others may read the file, or a line is wrong; no message holds a token.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _stamp(path)
        self._grants = _read(path)

    def refresh(self) -> bool:
        """Read the file again where it has changed; tell whether it has.

        Raises
        ------
        InputError
            As the constructor; the tokens before are still those that count.
        """
        seen = _stamp(self._path)
        if seen == self._seen:
            return False
        self._seen = seen
        self._grants = _read(self._path)
        return True

    def grant(self, authorization: str) -> Grant | None:
        """Return what an ``Authorization`` header may do; None for an unknown token."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return None
        return self._grants.get(_digest(token.strip()))


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes with the content of a file; empty where it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _read(path: Path) -> dict[bytes, Grant]:
    """Return grants by digest of a file of lines ``scope token [name]``; ``#`` starts a comment."""
    with open_regular(path, FileKind.TOKENS) as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            message = f"the token file has mode {mode:04o}: others can read it"
            raise _wrong(path, 0, message, "run `chmod 0600` on it")
        text = file.read(FileKind.TOKENS.most_bytes).decode("utf-8", "replace")
    grants: dict[bytes, Grant] = {}
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        scope, token, name, *more = (*words, "", "")[: max(len(words), _WITH_NAME)]
        if more or not token or scope not in SCOPES or not _NAME.fullmatch(name or "-"):
            message = "this line is not `read TOKEN`, `write TOKEN`, or one of these with a name"
            findings.append(_finding(path, number, message))
        elif len(token) < MIN_LENGTH:
            message = f"the token is shorter than {MIN_LENGTH} characters"
            findings.append(_finding(path, number, message, "use `openssl rand -hex 32`"))
        else:
            grants[_digest(token)] = Grant(scope, name)
    if not grants and not findings:
        findings.append(_finding(path, 0, "the token file has no token", "add `read TOKEN`"))
    if findings:
        raise InputError("the token file is wrong", findings)
    return grants


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _finding(path: Path, line: int, message: str, fix: str = "") -> Finding:
    return Finding("SRV002", Severity.ERROR, message, fix, position=Position(str(path), line))


def _wrong(path: Path, line: int, message: str, fix: str) -> InputError:
    return InputError("the token file is wrong", [_finding(path, line, message, fix)])
