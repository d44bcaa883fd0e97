"""What a shell command consists of, once it is parsed.

The words and the grammar are those of IEEE Std 1003.1-2017, volume "Shell & Utilities", chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Literal characters."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$name``, ``${name}``, ``${name<operator>word}``; ``${#name}`` has the operator ``len``."""

    name: str
    quoted: bool
    operator: str = ""
    word: Word | None = None


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(source)``."""

    source: str
    quoted: bool


Part = Text | Parameter | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """Parts that stand together without white space."""

    parts: tuple[Part, ...]

    def plain(self) -> str | None:
        """Return the text when the word is one unquoted literal, else None."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Text) and not self.parts[0].quoted:
            return self.parts[0].text
        return None


@dataclass(frozen=True, slots=True)
class Redirection:
    """``fd operator target``; the target of a here-document is its body."""

    fd: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments and the words of one command."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their bodies, and what runs when none holds."""

    branches: tuple[tuple[Sequence_, Sequence_], ...]
    otherwise: Sequence_ | None


@dataclass(frozen=True, slots=True)
class For:
    """A loop over words; None stands for ``"$@"``."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence_


@dataclass(frozen=True, slots=True)
class While:
    """A loop that runs while (or until) its condition holds."""

    condition: Sequence_
    body: Sequence_
    until: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A word and the patterns that it is matched against."""

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Sequence_], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition."""

    name: str
    body: Command


@dataclass(frozen=True, slots=True)
class Group:
    """``{ ...; }`` or, with ``subshell``, ``( ... )``."""

    body: Sequence_
    subshell: bool


@dataclass(frozen=True, slots=True)
class Command:
    """One command with its redirections."""

    node: Simple | If | For | While | Case | Function | Group
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by ``|``."""

    commands: tuple[Command, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class AndOr:
    """Pipelines joined by ``&&`` and ``||``; the first joint is always ``;``."""

    items: tuple[tuple[str, Pipeline], ...]


@dataclass(frozen=True, slots=True)
class Sequence_:  # noqa: N801  (typing.Sequence has the plain name)
    """Lists joined by ``;`` or newline."""

    items: tuple[AndOr, ...]
