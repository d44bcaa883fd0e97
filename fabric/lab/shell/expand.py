"""Expansion of words: parameters, command substitution, field splitting and path names.

Known: IEEE Std 1003.1-2017, volume "Shell & Utilities", section 2.6. Assumed: IFS is always
blank, tab and newline.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabric.lab.shell.state import ShellExit
from fabric.lab.shell.syntax import Parameter, Substitution, Text

if TYPE_CHECKING:
    from fabric.lab.shell.state import ShellState
    from fabric.lab.shell.syntax import Part

_GLOB = re.compile(r"[*?\[]")
_ESCAPED = str.maketrans({"*": "[*]", "?": "[?]", "[": "[[]"})


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


async def expand_fields(shell: ShellState, word: tuple[Part, ...]) -> list[str]:
    """Expand a word into fields, as for the words of a command."""
    fields = _Fields()
    for position, part in enumerate(word):
        if isinstance(part, Text):
            text = part.text
            if position == 0 and not part.quoted and re.match(r"~(/|$)", text):
                text = shell.fs.home + text[1:]
            fields.add(text, quoted=part.quoted)
        elif isinstance(part, Parameter) and part.name == "@" and not part.operator:
            for number, argument in enumerate(shell.arguments()):
                if number:
                    fields.cut()
                if part.quoted:
                    fields.add(argument, quoted=True)
                else:
                    fields.split(argument)
        else:
            value = await _value(shell, part)
            if part.quoted:
                fields.add(value, quoted=True)
            else:
                fields.split(value)
    fields.cut()
    return _drop_empty_at(word, [name for field in fields.done for name in _paths(shell, *field)])


def _drop_empty_at(word: tuple[Part, ...], found: list[str]) -> list[str]:
    """``"$@"`` without arguments is no field at all, although quotes make an empty field."""
    only_at = all(
        (isinstance(part, Parameter) and part.name == "@")
        or (isinstance(part, Text) and part.quoted and not part.text)
        for part in word
    )
    has_at = any(isinstance(part, Parameter) and part.name == "@" for part in word)
    return [] if only_at and has_at and found == [""] else found


def _paths(shell: ShellState, text: str, pattern: str) -> list[str]:
    if not _GLOB.search(re.sub(r"\[[*?\[]\]", "", pattern)):
        return [text]
    return shell.fs.glob(pattern, shell.cwd) or [text]


async def expand_text(shell: ShellState, word: tuple[Part, ...]) -> str:
    """Expand a word into one text, as for assignments, here-documents and redirections."""
    text = ""
    for position, part in enumerate(word):
        if isinstance(part, Text):
            tilde = position == 0 and not part.quoted and re.match(r"~(/|$)", part.text)
            text += shell.fs.home + part.text[1:] if tilde else part.text
        else:
            text += await _value(shell, part)
    return text


async def expand_pattern(shell: ShellState, word: tuple[Part, ...]) -> str:
    """Expand a word into a pattern, with its quoted characters taken literally."""
    pattern = ""
    for part in word:
        if isinstance(part, Text):
            pattern += part.text.translate(_ESCAPED) if part.quoted else part.text
        else:
            value = await _value(shell, part)
            pattern += value.translate(_ESCAPED) if part.quoted else value
    return pattern


async def _value(shell: ShellState, part: Parameter | Substitution) -> str:
    if isinstance(part, Substitution):
        return await shell.substitute(part.statements)
    value = " ".join(shell.arguments()) if part.name in ("@", "*") else shell.get(part.name)
    if part.operator == "len":
        return str(len(value or ""))
    if part.operator:
        return await _operate(shell, part, value)
    if value is None:
        if "u" in shell.options:
            raise ShellExit(1, f"{part.name}: unbound variable")
        return ""
    return value


async def _operate(shell: ShellState, part: Parameter, value: str | None) -> str:
    if part.operator[0] in "%#":
        return _trim(value or "", await expand_pattern(shell, part.word), part.operator)
    missing = value is None or (part.operator[0] == ":" and not value)
    kind = part.operator[-1]
    if kind == "+":
        return "" if missing else await expand_text(shell, part.word)
    if not missing:
        return value or ""
    text = await expand_text(shell, part.word)
    if kind == "?":
        raise ShellExit(1, f"{part.name}: {text or 'parameter null or not set'}")
    if kind == "=":
        shell.variables[part.name] = text
    return text


def _trim(value: str, pattern: str, operator: str) -> str:
    front = operator[0] == "#"
    lengths = range(len(value) + 1)
    for length in reversed(lengths) if len(operator) == 2 else lengths:  # noqa: PLR2004  (## %%)
        piece = value[:length] if front else value[len(value) - length :]
        if fnmatchcase(piece, pattern):
            return value[length:] if front else value[: len(value) - length]
    return value
