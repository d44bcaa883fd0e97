"""What a line of shell runs as root: the commands behind ``sudo -n``, and sudoers that allow them.

A driver marks each command that needs root with ``sudo -n`` and nothing else in its lines runs as
root, so that the list of what an account must be allowed is read from the lines themselves. Form of
the file: sudoers(5) of sudo 1.9.13, "Command matching" and "Wildcards".
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: Stands in a command for an address that the device itself fills in.
PCI_ADDRESS = "0000:00:00.0"
_PCI = re.compile(r'"\$\(basename (?:"\$\(readlink -f [^()"]*\)"|"\$[a-z]+")\)"')
_SUDO = re.compile(r"\bsudo -n (?!-l )")
_WORD = re.compile(r"""\s*((?:'[^']*'|"[^"]*"|[^\s;|&()<>'"])+)(?![<>])""")
#: A class matches one character, where ``*`` would match blanks and further words as well.
_HEX = "[0-9a-f]"
_PCI_CLASSES = rf"{_HEX * 4}\:{_HEX * 2}\:{_HEX * 2}.[0-7]"
_ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
#: Packages of Debian 12; pciutils of Fedora has its programs in sbin.
_PLACES = {
    **dict.fromkeys(("dcb", "dmidecode", "ethtool", "lldpcli", "sysctl"), ("/usr/sbin",)),
    **dict.fromkeys(("lspci", "setpci"), ("/usr/bin", "/usr/sbin")),
}


def account_name(text: str) -> str:
    """Return a name of a user as useradd(8) takes it.

    Raises
    ------
    ValueError
        When it is not.
    """
    if not _ACCOUNT.fullmatch(text):
        raise ValueError(f"{text[:40]!a} is not the name of an account")
    return text


def privileged(line: str) -> list[str]:
    """Return the commands of a line of shell that run as root, as sudo compares them.

    The words of a command are joined by one blank; a PCI address that the shell fills in is
    `PCI_ADDRESS`.
    """
    text = _PCI.sub(PCI_ADDRESS, line)
    return [" ".join(_words(text, match.end())) for match in _SUDO.finditer(text)]


def _words(text: str, position: int) -> Iterator[str]:
    while match := _WORD.match(text, position):
        yield from shlex.split(match[1])
        position = match.end()


def sudoers(
    account: str,
    commands: Iterable[str],
    places: Mapping[str, tuple[str, ...]],
    *,
    any_words: bool = False,
) -> list[str]:
    """Return lines of sudoers that allow an account these commands without a password.

    Parameters
    ----------
    account : str
        Whose rights they are.
    commands : iterable of str
        As of `privileged`.
    places : mapping
        Folders of programs that are not where Debian has them.
    any_words : bool
        Whether a program without words may be run with any, or with none.

    Raises
    ------
    ValueError
        When the account is not a plain name.
    """
    account_name(account)
    none = "" if any_words else ' ""'
    entries = [entry for one in sorted(set(commands)) for entry in _entries(one, places, none)]
    return [f"{account} ALL=(root) NOPASSWD: {entry}" for entry in dict.fromkeys(entries)]


def _entries(command: str, places: Mapping[str, tuple[str, ...]], none: str) -> Iterator[str]:
    program, _, arguments = command.partition(" ")
    words = f" {_escaped(arguments)}" if arguments else none
    for folder in {**_PLACES, **places}.get(program, ("/usr/bin",)):
        yield f"{folder}/{program}{words}"


def _escaped(text: str) -> str:
    """Return arguments that match themselves alone, but for PCI addresses."""
    words = re.sub(r"[*?\[\],:=]", r"\\\g<0>", text.replace("\\", r"\\\\"))
    return words.replace(PCI_ADDRESS.replace(":", r"\:"), _PCI_CLASSES)
