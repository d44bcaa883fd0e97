"""Passwords by reference: a file names a secret, and the environment of the operator finds it.

A connections file may come with a repository of somebody else. So it says ``SOURCE:NAME``: the
variable and the folder follow from the name, and the command is one that the operator sets.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import DeviceError, FileError, ProgramError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular
from fabric.programs.environment import operator_environment
from fabric.programs.run import run

if TYPE_CHECKING:
    from collections.abc import Callable

#: The variable of ``env:leaf`` is this and ``LEAF``.
PREFIX = "ROCEFAB_SECRET_"
FOLDER_VARIABLE = "ROCEFAB_SECRETS_FOLDER"
COMMAND_VARIABLE = "ROCEFAB_SECRETS_COMMAND"
#: Service under which a keyring has our secrets.
SERVICE = "rocefab"
#: Seconds for a command; our choice: a store that asks a person for a touch or a code takes some.
_COMMAND_S = 60.0
#: Our choice, over the 256 characters that systems take at most (passwd(5), Arista EOS manual).
_MOST_CHARACTERS = 1024
#: Segments that lead nowhere else: no ``..``, no option, no word of a shell.
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)*", re.ASCII)
_PLACE = "{name}"


class Reference(NamedTuple):
    """A secret that a file names: where to ask, and for what."""

    source: str
    name: str

    def __str__(self) -> str:
        return f"{self.source}:{self.name}"


class _MissingError(Exception):
    """There is no such secret, or none that can be used."""


def reference(text: str) -> Reference:
    """Return what a text refers to.

    Raises
    ------
    ValueError
        When it is no reference; the message does not quote it, since it may be a password.
    """
    source, colon, name = text.partition(":")
    if not colon or source not in _SOURCES or not _NAME.fullmatch(name):
        raise ValueError(
            f"not a reference; write {', '.join(_SOURCES)} and a name, such as env:leaf, and "
            "keep the password out of this file"
        )
    return Reference(source, name)


def missing(wanted: Reference) -> str:
    """Return why a source cannot be asked here; empty where it can. No command is run."""
    try:
        _SOURCES[wanted.source].check(wanted.name)
    except _MissingError as error:
        return str(error)
    return ""


def reveal(wanted: Reference, device: str) -> str:
    """Return a secret, asked for now and kept nowhere.

    Raises
    ------
    DeviceError
        When there is none; the message holds no secret.
    """
    try:
        return _line(_SOURCES[wanted.source].ask(wanted.name))
    except _MissingError as error:
        raise DeviceError(device, f"no password from {wanted}: {error}") from None


def _line(text: str) -> str:
    line = text.removesuffix("\n").removesuffix("\r")
    if not line or len(line) > _MOST_CHARACTERS or not line.isprintable():
        raise _MissingError(f"it is not one line of 1 to {_MOST_CHARACTERS:,} printable characters")
    return line


def _variable(name: str) -> str:
    variable = PREFIX + re.sub(r"\W", "_", name).upper()
    if not os.environ.get(variable):
        raise _MissingError(f"set {variable}")
    return variable


def _from_variable(name: str) -> str:
    return os.environ[_variable(name)]


def _path(name: str) -> Path:
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if not folder:
        raise _MissingError(f"set {FOLDER_VARIABLE} to the folder of the file {name}")
    path = Path(folder) / name
    if not path.is_file():
        raise _MissingError(f"there is no file {path}")
    return path


def _from_file(name: str) -> str:
    path = _path(name)
    try:
        with open_regular(path, FileKind.SECRET) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise _MissingError(
                    f"{path} has mode {mode:04o}: others can read it; run `chmod 0600` on it"
                )
            return file.read(FileKind.SECRET.most_bytes).decode("utf-8", "replace")
    except FileError as error:
        raise _MissingError(str(error)) from None


def _has_keyring(_: str) -> None:
    try:
        import keyring  # noqa: F401 - whether it is there
    except ImportError:
        raise _MissingError("run `pip install 'rocefab[keyring]'`") from None


def _from_keyring(name: str) -> str:
    _has_keyring(name)
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(SERVICE, name)
    except KeyringError as error:
        raise _MissingError(f"the keyring does not answer: {type(error).__name__}") from None
    if text is None:
        raise _MissingError(f"run `keyring set {SERVICE} {name}`")
    return text


def _words(name: str) -> list[str]:
    try:
        words = shlex.split(os.environ.get(COMMAND_VARIABLE, ""))
    except ValueError:
        words = []
    if not words:
        raise _MissingError(
            f"set {COMMAND_VARIABLE}, such as 'pass show rocefab/{_PLACE}' or "
            f"'vault kv get -field=password secret/{_PLACE}'"
        )
    whole = [word.replace(_PLACE, name) for word in words]
    return whole if whole != words else [*words, name]


def _from_command(name: str) -> str:
    words = _words(name)
    try:
        ended = run(words, _COMMAND_S, variables=operator_environment())
    except ProgramError as error:
        raise _MissingError(str(error)) from None
    if ended.code:
        raise _MissingError(f"{words[0]} ended with {ended.code}")
    return ended.text


class _Source(NamedTuple):
    """How it is seen that a source can be asked, and how it is asked."""

    check: Callable[[str], object]
    ask: Callable[[str], str]


_SOURCES = {
    "env": _Source(_variable, _from_variable),
    "file": _Source(_path, _from_file),
    "keyring": _Source(_has_keyring, _from_keyring),
    "command": _Source(_words, _from_command),
}
