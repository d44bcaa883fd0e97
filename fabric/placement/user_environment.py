"""Reading an environment that a user has written: ``NAME=value`` lines, as in ``nccl.conf``."""

from __future__ import annotations

import re

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.placement.environment import UserValue

MAX_BYTES = 256 * 1024
_LINE = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_QUOTES = ("'", '"')


def read_environment(raw: bytes, shown_as: str) -> dict[str, UserValue]:
    """Return the variables of a file, each with its line.

    Lines are ``NAME=value``, perhaps after ``export``; one pair of quotes around a value is taken
    off, nothing in it is expanded. ``#`` begins a comment line.

    Raises
    ------
    InputError
        With every line that is not of this form, or names a variable again.
    """
    if len(raw) > MAX_BYTES:
        raise _refused([
            _finding(shown_as, 1, "the file is larger than 256 KiB", "use a smaller file")
        ])
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        at = raw[: error.start].count(b"\n") + 1
        raise _refused([_finding(shown_as, at, "the line is not valid UTF-8", "")]) from None
    found: dict[str, UserValue] = {}
    findings: list[Finding] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(" \t\r")
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if not match or not stripped.isprintable():
            what = f"{stripped[:40]!a} is not a variable assignment"
            findings.append(_finding(shown_as, number, what, "use the form NAME=value"))
        elif match[1] in found:
            what = f"{match[1]} is set twice"
            findings.append(_finding(shown_as, number, what, "remove one of the lines"))
        else:
            found[match[1]] = UserValue(_unquoted(match[2]), Position(shown_as, number))
    if findings:
        raise _refused(findings)
    return found


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES
    return text[1:-1] if quoted else text


def _finding(file: str, line: int, message: str, fix: str) -> Finding:
    return Finding("PLC006", Severity.ERROR, message, fix, position=Position(file, line))


def _refused(findings: list[Finding]) -> InputError:
    return InputError("the environment cannot be read", findings)
