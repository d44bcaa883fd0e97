"""Words, operators and here-documents of a shell text.

Known: IEEE Std 1003.1-2017, volume "Shell & Utilities", sections 2.2 and 2.3. Not supported, and
refused as a syntax error: back-quotes, arithmetic ``$((...))``, ``[[``, process substitution,
``&`` (background jobs) and arrays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.lab.shell.ast import Parameter, Part, Substitution, Text, Word

_OPERATORS = ("<<-", "&&", "||", ";;", "<<", ">>", ">&", "<&", "&>", "<", ">", "|", ";", "(", ")")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXPANSION = re.compile(r"(:?[-=?+]|%%?|##?)")


class ShellSyntaxError(Exception):
    """The text is not a command that this shell understands."""


class IncompleteError(ShellSyntaxError):
    """More lines are needed before the text is a command."""


@dataclass(slots=True)
class Token:
    """An operator (``kind`` is the operator itself), a ``word``, a ``newline`` or the ``end``."""

    kind: str
    word: Word | None = None
    fd: int | None = None
    body: Word | None = None  # of a here-document


class Lexer:
    """Cut a shell text into tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._documents: list[tuple[Token, str, bool, bool]] = []

    def tokens(self) -> list[Token]:
        """Return all tokens, the last of kind ``end``."""
        found: list[Token] = []
        while True:
            token = self._next()
            found.append(token)
            if token.kind in ("<<", "<<-"):
                found.append(self._delimiter(token))
            if token.kind == "end":
                if self._documents:
                    message = "here-document without its end"
                    raise IncompleteError(message)
                return found

    def _peek(self, count: int = 1) -> str:
        return self.text[self.at : self.at + count]

    def _next(self) -> Token:
        self._skip_blanks()
        char = self._peek()
        if not char:
            return Token("end")
        if char == "\n":
            self.at += 1
            self._read_documents()
            return Token("newline")
        digits = re.compile(r"([0-9])(?=[<>])").match(self.text, self.at)
        if digits:
            self.at += 1
            token = self._operator()
            token.fd = int(digits.group(1))
            return token
        if char in "&|;<>()":
            return self._operator()
        return Token("word", self._word())

    def _skip_blanks(self) -> None:
        while True:
            if self._peek() in (" ", "\t", "\r") and self._peek():
                self.at += 1
            elif self._peek(2) == "\\\n":
                self.at += 2
            elif self._peek() == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _operator(self) -> Token:
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                self.at += len(operator)
                if operator in ("<", ">") and self._peek() == "(":
                    message = "process substitution is not supported"
                    raise ShellSyntaxError(message)
                return Token(operator)
        message = f"syntax error near unexpected token `{self._peek()}'"
        raise ShellSyntaxError(message)

    def _delimiter(self, operator: Token) -> Token:
        self._skip_blanks()
        word = self._word()
        quoted = any(getattr(part, "quoted", False) for part in word.parts)
        text = "".join(part.text for part in word.parts if isinstance(part, Text))
        self._documents.append((operator, text, quoted, operator.kind == "<<-"))
        return Token("word", word)

    def _read_documents(self) -> None:
        for token, delimiter, quoted, strip in self._documents:
            lines: list[str] = []
            while True:
                end = self.text.find("\n", self.at)
                line = self.text[self.at :] if end < 0 else self.text[self.at : end]
                if strip:
                    line = line.lstrip("\t")
                finished = line == delimiter
                if end < 0 and not finished:
                    message = "here-document without its end"
                    raise IncompleteError(message)
                self.at = len(self.text) if end < 0 else end + 1
                if finished:
                    break
                lines.append(line + "\n")
            body = "".join(lines)
            token.body = Word((Text(body, quoted=True),)) if quoted else Lexer(body).document_body()
        self._documents = []

    def document_body(self) -> Word:
        """Return the text as the body of a here-document: only ``$`` and backslash are special."""
        return Word(tuple(self._quoted(end="")))

    def _word(self) -> Word:
        parts: list[Part] = []
        plain = ""
        while (char := self._peek()) and char not in " \t\r\n&|;<>()":
            if char in "'\"$\\`":
                if plain:
                    parts.append(Text(plain, quoted=False))
                    plain = ""
                parts += self._special(char)
            else:
                plain += char
                self.at += 1
        if plain:
            parts.append(Text(plain, quoted=False))
        return Word(tuple(parts))

    def _special(self, char: str) -> list[Part]:
        if char == "'":
            return [self._single()]
        if char == '"':
            self.at += 1
            return [Text("", quoted=True), *self._quoted(end='"')]
        if char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            return [] if following == "\n" else [Text(following, quoted=True)]
        if char == "`":
            message = "back-quotes are not supported"
            raise ShellSyntaxError(message)
        return [self._dollar(quoted=False)]

    def _single(self) -> Text:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            message = "unexpected EOF while looking for matching `''"
            raise IncompleteError(message)
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return Text(text, quoted=True)

    def _quoted(self, end: str) -> list[Part]:
        parts: list[Part] = []
        text = ""
        while True:
            char = self._peek()
            if not char and end:
                message = "unexpected EOF while looking for matching `\"'"
                raise IncompleteError(message)
            if char == end:
                self.at += len(end)
                parts.append(Text(text, quoted=end != "}"))
                return parts
            if char == "`":
                message = "back-quotes are not supported"
                raise ShellSyntaxError(message)
            if end == "}" and char in "'\"":  # quotes inside ${name:-word}
                parts.append(Text(text, quoted=False))
                text = ""
                if char == "'":
                    parts.append(self._single())
                else:
                    self.at += 1
                continue
            if char == "$":
                parts += [Text(text, quoted=end != "}"), self._dollar(quoted=True)]
                text = ""
                continue
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in ("$", "`", "\\", end, "\n"):
                following = self.text[self.at + 1 : self.at + 2]
                text += "" if following == "\n" else following
                self.at += 2 if following else 1
                continue
            text += char
            self.at += 1

    def _dollar(self, *, quoted: bool) -> Part:
        self.at += 1
        if self._peek(2) == "((":
            message = "arithmetic expansion is not supported"
            raise ShellSyntaxError(message)
        if self._peek() == "(":
            return Substitution(self._balanced(), quoted)
        if self._peek() == "{":
            return self._braces(quoted=quoted)
        name = _NAME.match(self.text, self.at)
        if name:
            self.at = name.end()
            return Parameter(name.group(), quoted)
        if self._peek() and self._peek() in "@*#?$0123456789":
            self.at += 1
            return Parameter(self.text[self.at - 1], quoted)
        if self._peek() == "'" and not quoted:
            message = "$'...' is not supported"
            raise ShellSyntaxError(message)
        return Text("$", quoted)

    def _balanced(self) -> str:
        """Return the text between the round brackets at the present place, and step over it."""
        start, depth = self.at + 1, 0
        while self.at < len(self.text):
            char = self._peek()
            if char == "'":
                self._single()
                continue
            if char == "\\":
                self.at += 1
            elif char == '"':
                self.at += 1
                self._quoted(end='"')
                continue
            elif char in "()":
                depth += 1 if char == "(" else -1
            self.at += 1
            if depth == 0:
                return self.text[start : self.at - 1]
        message = "unexpected EOF while looking for matching `)'"
        raise IncompleteError(message)

    def _braces(self, *, quoted: bool) -> Parameter:
        self.at += 1
        length = self._peek() == "#" and self._peek(2) not in ("#}", "#")
        self.at += 1 if length else 0
        name = _NAME.match(self.text, self.at) or re.compile(r"[@*#?$]|[0-9]+").match(
            self.text, self.at
        )
        if not name:
            message = "bad substitution"
            raise ShellSyntaxError(message)
        self.at = name.end()
        if self._peek() == "}":
            self.at += 1
            return Parameter(name.group(), quoted, "len" if length else "")
        operator = _EXPANSION.match(self.text, self.at)
        if not operator or length:
            message = "bad substitution"
            raise ShellSyntaxError(message)
        self.at = operator.end()
        inner = Lexer(self.text)
        inner.at = self.at
        word = Word(tuple(inner._quoted(end="}")))
        self.at = inner.at
        return Parameter(name.group(), quoted, operator.group(), word)
