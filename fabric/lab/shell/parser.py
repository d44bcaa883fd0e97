"""The grammar of the shell: tokens to commands.

Known: IEEE Std 1003.1-2017, volume "Shell & Utilities", section 2.10.
"""

from __future__ import annotations

import re

from fabric.lab.shell.ast import (
    AndOr,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Redirection,
    Sequence_,
    Simple,
    Text,
    While,
    Word,
)
from fabric.lab.shell.lexer import IncompleteError, Lexer, ShellSyntaxError, Token

_REDIRECTIONS = ("<", ">", ">>", "<<", "<<-", ">&", "<&", "&>")
_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_UNSUPPORTED = frozenset({"[[", "((", "select", "coproc", "function", "time"})


def parse(text: str) -> Sequence_:
    """Parse a shell text.

    Raises
    ------
    ShellSyntaxError
        When the text is not a command; ``IncompleteError`` when more lines could make it one.
    """
    return _Parser(Lexer(text).tokens()).program()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _plain(self) -> str | None:
        return self._token.word.plain() if self._token.word else None

    def _unexpected(self) -> ShellSyntaxError:
        if self._token.kind == "end":
            return IncompleteError("syntax error: unexpected end of file")
        name = self._plain() or self._token.kind
        return ShellSyntaxError(f"syntax error near unexpected token `{name}'")

    def _take(self, plain: str) -> None:
        if self._plain() != plain:
            raise self._unexpected()
        self._at += 1

    def _operator(self, kind: str) -> None:
        if self._token.kind != kind:
            raise self._unexpected()
        self._at += 1

    def _newlines(self) -> None:
        while self._token.kind == "newline":
            self._at += 1

    def program(self) -> Sequence_:
        sequence = self._sequence(allow_empty=True)
        if self._token.kind != "end":
            raise self._unexpected()
        return sequence

    def _sequence(self, *, allow_empty: bool = False) -> Sequence_:
        items: list[AndOr] = []
        self._newlines()
        while self._token.kind not in ("end", ")", ";;") and self._plain() not in _CLOSERS:
            items.append(self._and_or())
            if self._token.kind not in (";", "newline"):
                break
            self._at += 1
            self._newlines()
        if not items and not allow_empty:
            raise self._unexpected()
        return Sequence_(tuple(items))

    def _and_or(self) -> AndOr:
        items = [(";", self._pipeline())]
        while self._token.kind in ("&&", "||"):
            joint = self._token.kind
            self._at += 1
            self._newlines()
            items.append((joint, self._pipeline()))
        return AndOr(tuple(items))

    def _pipeline(self) -> Pipeline:
        negated = self._plain() == "!"
        self._at += 1 if negated else 0
        commands = [self._command()]
        while self._token.kind == "|":
            self._at += 1
            self._newlines()
            commands.append(self._command())
        return Pipeline(tuple(commands), negated)

    def _command(self) -> Command:
        plain = self._plain()
        if plain in _UNSUPPORTED:
            message = f"`{plain}' is not supported"
            raise ShellSyntaxError(message)
        if plain in _CLOSERS:
            raise self._unexpected()
        node: If | For | While | Case | Group | Function
        if self._token.kind == "(":
            self._at += 1
            node = Group(self._sequence(), subshell=True)
            self._operator(")")
        elif plain == "{":
            self._at += 1
            node = Group(self._sequence(), subshell=False)
            self._take("}")
        elif plain == "if":
            node = self._if()
        elif plain == "for":
            node = self._for()
        elif plain in ("while", "until"):
            node = self._while(until=plain == "until")
        elif plain == "case":
            node = self._case()
        elif plain and self._is_function():
            self._at += 3
            self._newlines()
            node = Function(plain, self._command())
        else:
            return self._simple()
        return Command(node, self._redirections())

    def _is_function(self) -> bool:
        kinds = [token.kind for token in self._tokens[self._at + 1 : self._at + 3]]
        return kinds == ["(", ")"]

    def _redirections(self) -> tuple[Redirection, ...]:
        found: list[Redirection] = []
        while self._token.kind in _REDIRECTIONS:
            found += self._redirection()
        return tuple(found)

    def _redirection(self) -> list[Redirection]:
        token = self._token
        self._at += 1
        if self._token.word is None:
            raise self._unexpected()
        target = self._token.word
        self._at += 1
        if token.kind in ("<<", "<<-"):
            return [Redirection(0, "<<", token.body or Word(()))]
        if token.kind == "&>":
            return [Redirection(1, ">", target), Redirection(2, ">&", Word((Text("1", False),)))]
        default = 0 if token.kind.startswith("<") else 1
        return [Redirection(default if token.fd is None else token.fd, token.kind, target)]

    def _simple(self) -> Command:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            if self._token.kind in _REDIRECTIONS:
                redirections += self._redirection()
            elif self._token.word is not None:
                word = self._token.word
                self._at += 1
                match = self._assignment(word) if not words else None
                if match:
                    assignments.append(match)
                else:
                    words.append(word)
            else:
                break
        if not (assignments or words or redirections):
            raise self._unexpected()
        return Command(Simple(tuple(assignments), tuple(words)), tuple(redirections))

    @staticmethod
    def _assignment(word: Word) -> tuple[str, Word] | None:
        first = word.parts[0] if word.parts else None
        if not isinstance(first, Text) or first.quoted:
            return None
        match = _ASSIGNMENT.match(first.text)
        if not match:
            return None
        rest = Text(first.text[match.end() :], quoted=False)
        return match.group(1), Word((rest, *word.parts[1:]))

    def _if(self) -> If:
        branches = []
        otherwise = None
        self._take("if")
        while True:
            condition = self._sequence()
            self._take("then")
            branches.append((condition, self._sequence()))
            if self._plain() != "elif":
                break
            self._at += 1
        if self._plain() == "else":
            self._at += 1
            otherwise = self._sequence()
        self._take("fi")
        return If(tuple(branches), otherwise)

    def _for(self) -> For:
        self._take("for")
        name = self._plain()
        if not name or not _ASSIGNMENT.match(name + "="):
            raise self._unexpected()
        self._at += 1
        words: tuple[Word, ...] | None = None
        self._newlines()
        if self._plain() == "in":
            self._at += 1
            collected: list[Word] = []
            while self._token.word is not None:
                collected.append(self._token.word)
                self._at += 1
            words = tuple(collected)
        if self._token.kind == ";":
            self._at += 1
        return For(name, words, self._do())

    def _do(self) -> Sequence_:
        self._newlines()
        self._take("do")
        body = self._sequence()
        self._take("done")
        return body

    def _while(self, *, until: bool) -> While:
        self._at += 1
        condition = self._sequence()
        return While(condition, self._do(), until)

    def _case(self) -> Case:
        self._take("case")
        if self._token.word is None:
            raise self._unexpected()
        word = self._token.word
        self._at += 1
        self._newlines()
        self._take("in")
        self._newlines()
        branches = []
        while self._plain() != "esac":
            if self._token.kind == "(":
                self._at += 1
            patterns = [self._pattern()]
            while self._token.kind == "|":
                self._at += 1
                patterns.append(self._pattern())
            self._operator(")")
            branches.append((tuple(patterns), self._sequence(allow_empty=True)))
            if self._token.kind == ";;":
                self._at += 1
            self._newlines()
        self._take("esac")
        return Case(word, tuple(branches))

    def _pattern(self) -> Word:
        if self._token.word is None:
            raise self._unexpected()
        word = self._token.word
        self._at += 1
        return word
