"""The two forms of a Junos configuration, ``set`` lines and hierarchy, as words.

Sources of the form: Juniper, CLI User Guide, `show configuration` and `display set` (quotes, square
brackets around several values, ``inactive:``, comments); whole configurations of Juniper/jvd @
005ab344 data_center/aidc.
"""

from __future__ import annotations

import re
from functools import lru_cache

Words = tuple[str, ...]
#: What is done to a statement, and its words.
Line = tuple[str, Words]

#: How many lines are kept as words: a configuration is read several times, and most lines of a
#: switch are those of others too.
LINES_KEPT = 1 << 16
#: Verbs of configuration mode that a text may hold.
VERBS = ("set", "delete", "activate", "deactivate")
_PLAIN = re.compile(r"[A-Za-z0-9_./:*,+@%=<>$^~&|()!?-]+")
_SET_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"\[\]]+|[\[\]]')
_ESCAPE = re.compile(r"\\(.)")


class ConfigurationTextError(ValueError):
    """A text is no Junos configuration."""


@lru_cache(maxsize=1 << 14)
def quoted(word: str) -> str:
    """Return a word as both forms write it: in quotes where it holds more than plain characters."""
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquoted(token: str) -> str:
    """Return the word of a token."""
    return _ESCAPE.sub(r"\1", token[1:-1]) if token.startswith('"') else token


@lru_cache(maxsize=LINES_KEPT)
def line_text(line: Line) -> str:
    """Return a line as it is typed."""
    verb, words = line
    return f"{verb} {' '.join(map(quoted, words))}"


def read_set(text: str) -> list[Line]:
    """Return the lines of a text in ``set`` form, several values in brackets as several lines.

    Raises
    ------
    ConfigurationTextError
        When a line has no known verb, or its quotes or brackets do not close.
    """
    return [line for row in text.splitlines() for line in _read_row(row)]


@lru_cache(maxsize=LINES_KEPT)
def _read_row(row: str) -> tuple[Line, ...]:
    tokens = _set_tokens(row)
    if not tokens:
        return ()
    if tokens[0] not in VERBS or len(tokens) == 1:
        raise ConfigurationTextError(f"no statement: {row.strip()[:80]!r}")
    return tuple((tokens[0], words) for words in spread(tokens[1:], row))


def _set_tokens(row: str) -> list[str]:
    """Split a line; what is between the tokens must be space."""
    if '"' not in row and "[" not in row and "]" not in row:
        tokens = row.split()
        return [] if tokens and tokens[0].startswith("#") else tokens
    if row.lstrip().startswith("#"):
        return []
    if _SET_TOKEN.sub("", row).strip():
        raise ConfigurationTextError(f"quotes do not close: {row.strip()[:80]!r}")
    return _SET_TOKEN.findall(row)


def spread(tokens: list[str], row: str) -> list[Words]:
    """Return the words of a statement, once for each value between brackets."""
    if "[" not in row and "]" not in row:
        return [tuple(map(unquoted, tokens) if '"' in row else tokens)]
    if "[" not in tokens and "]" not in tokens:
        return [tuple(unquoted(token) for token in tokens)]
    first = tokens.index("[") if "[" in tokens else -1
    last = len(tokens) - 1
    inner = tokens[first + 1 : last]
    if first < 0 or tokens[last] != "]" or not inner or "[" in inner or "]" in inner:
        raise ConfigurationTextError(f"brackets do not close: {row.strip()[:80]!r}")
    head = tuple(unquoted(token) for token in tokens[:first])
    return [(*head, unquoted(token)) for token in inner]
