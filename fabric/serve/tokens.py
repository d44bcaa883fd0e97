"""Bearer tokens (RFC 6750) and their scopes."""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity

if TYPE_CHECKING:
    from pathlib import Path

#: What a token may do; ``write`` may read as well.
SCOPES = ("read", "write")
#: Shortest token: 128 bits in hexadecimal digits.
MIN_LENGTH = 32
_MAX_BYTES = 1 << 20


class Tokens:
    """Tokens by their SHA-256, so that neither memory nor timing shows them.

    Parameters
    ----------
    scopes : dict
        Scope by digest.
    """

    def __init__(self, scopes: dict[bytes, str]) -> None:
        self._scopes = scopes

    def scope(self, authorization: str) -> str | None:
        """Return the scope of an ``Authorization`` header; None for an unknown token."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return None
        return self._scopes.get(_digest(token.strip()))


def read_tokens(path: Path) -> Tokens:
    """Return the tokens of a file with lines ``scope token``; ``#`` starts a comment.

    Raises
    ------
    InputError
        When others may read the file, or a line is wrong; no message holds a token.
    """
    try:
        mode = path.stat().st_mode
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise _wrong(path, 0, f"the token file cannot be read: {error.strerror}", "") from error
    if not stat.S_ISREG(mode) or stat.S_IMODE(mode) & 0o077:
        message = f"the token file has mode {stat.S_IMODE(mode):04o}, so that others can read it"
        raise _wrong(path, 0, message, "run `chmod 0600` on it")
    scopes: dict[bytes, str] = {}
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != len(("scope", "token")) or words[0] not in SCOPES:
            findings.append(
                _finding(path, number, "this line is not `read TOKEN` or `write TOKEN`")
            )
        elif len(words[1]) < MIN_LENGTH:
            message = f"the token is shorter than {MIN_LENGTH} characters"
            findings.append(_finding(path, number, message, "use `openssl rand -hex 32`"))
        else:
            scopes[_digest(words[1])] = words[0]
    if not scopes and not findings:
        findings.append(_finding(path, 0, "the token file has no token", "add `read TOKEN`"))
    if findings:
        raise InputError("the token file is wrong", findings)
    return Tokens(scopes)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _finding(path: Path, line: int, message: str, fix: str = "") -> Finding:
    return Finding("SRV002", Severity.ERROR, message, fix, position=Position(str(path), line))


def _wrong(path: Path, line: int, message: str, fix: str) -> InputError:
    return InputError("the token file is wrong", [_finding(path, line, message, fix)])
