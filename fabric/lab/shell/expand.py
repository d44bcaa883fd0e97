"""Expansion of words: parameters, command substitution, field splitting and path names.

Known: IEEE Std 1003.1-2017, volume "Shell & Utilities", section 2.6. Assumed: IFS is always
blank, tab and newline.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

from fabric.lab.shell.ast import Parameter, Substitution, Text, Word
from fabric.lab.shell.state import ShellExit

if TYPE_CHECKING:
    from fabric.lab.shell.rootfs import RootFs

_GLOB = re.compile(r"[*?\[]")
_ESCAPED = str.maketrans({"*": "[*]", "?": "[?]", "[": "[[]"})


class Scope(Protocol):
    """What expansion needs from the shell that runs it."""

    fs: RootFs
    cwd: str
    options: set[str]

    def get(self, name: str) -> str | None:
        """Return a variable or special parameter."""

    def set(self, name: str, value: str) -> None:
        """Set a variable."""

    def arguments(self) -> list[str]:
        """Return the positional parameters."""

    async def substitute(self, source: str) -> str:
        """Run ``$(source)`` and return what it printed, without the last newlines."""


class _Fields:
    """Fields under construction, each with the pattern that it is to the file system."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self._text: str | None = None
        self._pattern = ""

    def add(self, text: str, *, quoted: bool) -> None:
        self._text = (self._text or "") + text
        self._pattern += text.translate(_ESCAPED) if quoted else text

    def cut(self) -> None:
        if self._text is not None:
            self.done.append((self._text, self._pattern))
        self._text, self._pattern = None, ""

    def split(self, text: str) -> None:
        for position, piece in enumerate(re.split(r"[ \t\n]+", text)):
            if position:
                self.cut()
            if piece:
                self.add(piece, quoted=False)


async def expand_fields(scope: Scope, word: Word) -> list[str]:
    """Expand a word into fields, as for the words of a command."""
    fields = _Fields()
    for position, part in enumerate(word.parts):
        if isinstance(part, Text):
            text = part.text
            if position == 0 and not part.quoted and re.match(r"~(/|$)", text):
                text = scope.fs.home + text[1:]
            fields.add(text, quoted=part.quoted)
        elif isinstance(part, Parameter) and part.name == "@" and not part.operator:
            for number, argument in enumerate(scope.arguments()):
                if number:
                    fields.cut()
                if part.quoted:
                    fields.add(argument, quoted=True)
                else:
                    fields.split(argument)
        else:
            value = await _value(scope, part)
            if part.quoted:
                fields.add(value, quoted=True)
            else:
                fields.split(value)
    fields.cut()
    return _drop_empty_at(word, [name for field in fields.done for name in _paths(scope, *field)])


def _drop_empty_at(word: Word, found: list[str]) -> list[str]:
    """``"$@"`` without arguments is no field at all, although quotes make an empty field."""
    only_at = all(
        (isinstance(part, Parameter) and part.name == "@")
        or (isinstance(part, Text) and part.quoted and not part.text)
        for part in word.parts
    )
    has_at = any(isinstance(part, Parameter) and part.name == "@" for part in word.parts)
    return [] if only_at and has_at and found == [""] else found


def _paths(scope: Scope, text: str, pattern: str) -> list[str]:
    if not _GLOB.search(re.sub(r"\[[*?\[]\]", "", pattern)):
        return [text]
    return scope.fs.glob(pattern, scope.cwd) or [text]


async def expand_text(scope: Scope, word: Word) -> str:
    """Expand a word into one text, as for assignments, here-documents and redirections."""
    text = ""
    for position, part in enumerate(word.parts):
        if isinstance(part, Text):
            tilde = position == 0 and not part.quoted and re.match(r"~(/|$)", part.text)
            text += scope.fs.home + part.text[1:] if tilde else part.text
        else:
            text += await _value(scope, part)
    return text


async def expand_pattern(scope: Scope, word: Word) -> str:
    """Expand a word into a pattern, with its quoted characters taken literally."""
    pattern = ""
    for part in word.parts:
        if isinstance(part, Text):
            pattern += part.text.translate(_ESCAPED) if part.quoted else part.text
        else:
            value = await _value(scope, part)
            pattern += value.translate(_ESCAPED) if part.quoted else value
    return pattern


async def _value(scope: Scope, part: Parameter | Substitution) -> str:
    if isinstance(part, Substitution):
        return await scope.substitute(part.source)
    value = " ".join(scope.arguments()) if part.name in ("@", "*") else scope.get(part.name)
    if part.operator == "len":
        return str(len(value or ""))
    if part.operator and part.word is not None:
        return await _operate(scope, part, value)
    if value is None:
        if "u" in scope.options:
            raise ShellExit(1, f"{part.name}: unbound variable")
        return ""
    return value


async def _operate(scope: Scope, part: Parameter, value: str | None) -> str:
    assert part.word is not None
    if part.operator[0] in "%#":
        return _trim(value or "", await expand_pattern(scope, part.word), part.operator)
    missing = value is None or (part.operator[0] == ":" and not value)
    kind = part.operator[-1]
    if kind == "+":
        return "" if missing else await expand_text(scope, part.word)
    if not missing:
        return value or ""
    text = await expand_text(scope, part.word)
    if kind == "?":
        raise ShellExit(1, f"{part.name}: {text or 'parameter null or not set'}")
    if kind == "=":
        scope.set(part.name, text)
    return text


def _trim(value: str, pattern: str, operator: str) -> str:
    front = operator[0] == "#"
    lengths = range(len(value) + 1)
    for length in reversed(lengths) if len(operator) == 2 else lengths:  # noqa: PLR2004  (## %%)
        piece = value[:length] if front else value[len(value) - length :]
        if fnmatchcase(piece, pattern):
            return value[length:] if front else value[: len(value) - length]
    return value
