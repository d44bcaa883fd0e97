"""Bearer tokens (RFC 6750) and their scopes."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import open_regular
from fabric.intent.tenancy_model import TENANT_NAME
from fabric.serve.scopes import NOBODY, PERSONAL, READ, SCOPES, TENANT, Grant, granted
from fabric.workflow.approvals import NAME

if TYPE_CHECKING:
    from pathlib import Path

#: Shortest token: 128 bits in hexadecimal digits.
MIN_LENGTH = 32
_RANDOM = "use `openssl rand -hex 32`"
#: Words of a line with a name.
_WITH_NAME = 3


class Tokens:
    """Tokens by their SHA-256, so that neither memory nor timing shows them.

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
    """Return the grants of a file by the digests of the tokens; ``#`` starts a comment."""
    grants: dict[bytes, Grant] = {}
    findings = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        grant, message, fix = _grant(parts)
        if message:
            findings.append(_finding(path, number, message, fix))
        else:
            grants[_digest(parts[1])] = grant
    if not grants and not findings:
        findings.append(_finding(path, 0, "the token file has no token", "add `read TOKEN`"))
    if findings:
        raise InputError("the token file is wrong", findings)
    return grants


def _text(path: Path) -> str:
    with open_regular(path, FileKind.TOKENS) as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            message = f"the token file has mode {mode:04o}: others can read it"
            raise _wrong(path, 0, message, "run `chmod 0600` on it")
        return file.read(FileKind.TOKENS.most_bytes).decode("utf-8", "replace")


def _grant(parts: list[str]) -> tuple[Grant, str, str]:
    """Return what a line grants, what is wrong with it, and what to do."""
    words, token, name, *more = (*parts, "", "")[: max(len(parts), _WITH_NAME)]
    if words.startswith(TENANT):
        return _tenant_grant(parts, words.removeprefix(TENANT), token)
    scopes = granted(words, name)
    if more or not token or scopes is None or not NAME.fullmatch(name or "-"):
        message = "this line is not `SCOPES TOKEN` or `SCOPES TOKEN NAME`"
        fix = f"scopes are {', '.join(SCOPES)}, with commas between them"
    elif len(token) < MIN_LENGTH:
        message, fix = f"the token is shorter than {MIN_LENGTH} characters", _RANDOM
    elif scopes & PERSONAL and not name:
        message = "a scope of this line is of a person, and the line has no name"
        fix = "add the name of the person behind the token"
    else:
        return Grant(scopes, name, _digest(token).hex()), "", ""
    return NOBODY, message, fix


def _tenant_grant(parts: list[str], tenant: str, token: str) -> tuple[Grant, str, str]:
    """Return what a line ``tenant:NAME TOKEN`` grants."""
    if len(parts) != len(("tenant", "token")) or not re.fullmatch(TENANT_NAME, tenant):
        message = "this line is not `tenant:NAME TOKEN`"
        return NOBODY, message, "`rocefab show tenants` lists the names"
    if len(token) < MIN_LENGTH:
        return NOBODY, f"the token is shorter than {MIN_LENGTH} characters", _RANDOM
    return Grant(frozenset({READ}), "", _digest(token).hex(), tenant), "", ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _finding(path: Path, line: int, message: str, fix: str = "") -> Finding:
    return Finding("SRV002", Severity.ERROR, message, fix, position=Position(str(path), line))


def _wrong(path: Path, line: int, message: str, fix: str) -> InputError:
    return InputError("the token file is wrong", [_finding(path, line, message, fix)])
