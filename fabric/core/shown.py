"""How messages write values, fields and choices."""

from __future__ import annotations

import difflib
import re
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Keys and indexes from the top of a document to a value.
Path = tuple[str | int, ...]
MAX_SHOWN = 40
#: Letters of a list that a message shows; our choice.
MOST_LETTERS = 200
_KINDS = {type(None): "nothing", list: "a list", tuple: "a list", dict: "a mapping"}
_PLAIN_FIELD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def printable(text: str) -> str:
    """Return the text on one line, with everything that cannot be printed escaped.

    An inventory value must not add a line or a terminal code to a message.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def quoted(text: str) -> str:
    """Return the text in quotes, on one line and of a readable length."""
    short = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
    return f"'{printable(short)}'"


def found(value: object) -> str:
    """Return a value as a reader knows it: ``text 'four'``, ``a list``, ``nothing``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"text {quoted(value)}"
    return _KINDS.get(type(value)) or quoted(str(value))


def bare(value: object) -> str:
    """Return a value without naming its kind: ``'four'``, ``4``, ``a list``."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return found(value)


def field_text(path: Sequence[str | int]) -> str:
    """Return a path as dotted text: ``fabric.units[1].hosts``.

    A key that is not a plain word stands in brackets: ``ports['Ethernet1/1']``.
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_FIELD.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{quoted(part)}]"
    return text


def listed(choices: Iterable[str], last: str = "or") -> str:
    """Return the choices as a sentence has them: ``a, b or c``."""
    *head, tail = choices
    return f"{', '.join(head)} {last} {tail}" if head else tail


def few(items: Sequence[str], most: int = MOST_LETTERS, separator: str = ", ") -> str:
    """Return items as a list; of a long one those that fit, whole, and how many more there are.

    Parameters
    ----------
    most : int
        Letters of the items that are written out, > 0. The first item is always whole.

    Examples
    --------
    >>> few(["leaf1/reading.sudoers", "leaf2/reading.sudoers", "leaf3/reading.sudoers"], most=50)
    'leaf1/reading.sudoers, leaf2/reading.sudoers and 1 more'
    """
    ends = accumulate((len(separator) + len(item) for item in items), initial=-len(separator))
    fitting = max(1, sum(end <= most for end in ends) - 1)
    more = len(items) - fitting
    return separator.join(items[:fitting]) + (f" and {more:,} more" if more > 0 else "")


def closest(word: str, choices: Sequence[str]) -> str | None:
    """Return the choice that the word is probably meant to be, or None."""
    folded = {_fold(choice): choice for choice in reversed(choices)}
    matches = difflib.get_close_matches(_fold(word), list(folded)[::-1], n=1, cutoff=0.7)
    return folded[matches[0]] if matches else None


def _fold(word: str) -> str:
    return word.lower().replace("-", "_").replace(" ", "_")
