"""What sudo allows: the files of ``/etc/sudoers.d``, where a stand-in has any.

Known: sudoers(5) of sudo 1.9.13. A command without words may be run with any, one with ``""`` with
none; else the words, with one blank between them, must match as a pattern of fnmatch(3), in which
``*`` matches blanks as well. Of all forms of a line only ``ACCOUNT ALL=(root) NOPASSWD: COMMAND``
is known here; a file with another one allows nothing, as sudo ignores a file that it cannot parse.
Assumed: a stand-in without such files allows everything, as default images do.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.lab.shell.rootfs import RootFs

FOLDER = "/etc/sudoers.d"
_LINE = re.compile(r"(\S+) ALL=\(root\) NOPASSWD: /\S*/([^/\s]+)(?: (.+))?")
_BRACKETED = re.compile(r"(\\.)|(\[[^\]]*\])|(.)")


def allows(fs: RootFs, user: str, words: list[str]) -> bool:
    """Tell whether an account may run a command as root."""
    if not fs.exists(FOLDER):
        return True
    texts = [fs.read(f"{FOLDER}/{name}") for name in fs.listing(FOLDER)]
    rules = [rule for text in texts for rule in _rules(text) if rule[0] == user]
    program, arguments = words[0].rpartition("/")[2], " ".join(words[1:])
    return any(
        name == program and (pattern is None or fnmatchcase(arguments, pattern))
        for _, name, pattern in rules
    )


def _rules(text: str) -> list[tuple[str, str, str | None]]:
    """Return account, program and pattern of each line; nothing when one is of another form."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    matched = [_LINE.fullmatch(line) for line in lines]
    if not all(matched):
        return []
    return [
        (match[1], match[2], _pattern(match[3]) if match[3] else None) for match in matched if match
    ]


def _pattern(text: str) -> str:
    """Return a pattern of Python, which has no backslash: ``[*]`` is a plain ``*``."""
    if text == '""':
        return ""
    unescaped = re.sub(r"\\([,:=\\])", r"\1", text)
    return _BRACKETED.sub(lambda m: _plain(m[1][1:]) if m[1] else m[0], unescaped)


def _plain(sign: str) -> str:
    return f"[{sign}]" if sign in "*?[" else sign
