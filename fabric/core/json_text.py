"""JSON that somebody else wrote, read within bounds; and writing JSON, a line for each value."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from itertools import islice
from json import JSONDecodeError
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: A limit that we chose: a plan has 9 levels, and what Junos prints about 15. Code that follows a
#: value inwards takes two frames of Python for a level, and there are 1,000.
MAX_DEPTH = 64
#: A limit that we chose: the first plan of a leaf with 64 ports has 12,800 values, that of 2,000
#: such switches 26 million. Files of most kinds are too small to have so many.
MOST_VALUES = 1 << 25
_CONTAINERS = frozenset({dict, list})
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET = re.compile(rf"{STRING}|[\[\]{{}}]", re.DOTALL)
#: What begins a value, or goes before the next one.
_VALUE = re.compile(rf"{STRING}|[,\[{{]", re.DOTALL)
#: What `int` refuses to read: sys.int_info.default_max_str_digits.
_LONG = re.compile(r"\d{4301}")


_NOT_UTF_8 = "not UTF-8 text"
#: ASCII that `json` writes as an escape and pydantic does not.
_DELETE = "\x7f"


class _NotFiniteError(ValueError):
    """A number is infinite, or none."""


class DoubledNameError(ValueError):
    """An object names a member more than once, so that it does not say which of them holds.

    Parameters
    ----------
    name : str
        The member.
    count : int
        How often it is there.
    """

    def __init__(self, name: str, count: int) -> None:
        super().__init__(f"{name[:80]!a} is there {count} times")
        self.name = name[:80]


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with each member once, as ``object_pairs_hook`` of `parse_json`.

    Raises
    ------
    DoubledNameError
        When it names one more than once; Python and pydantic take the last one without a word.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        name, count = Counter(name for name, _ in pairs).most_common(1)[0]
        raise DoubledNameError(name, count)
    return members


def parse_json(text: str | bytes, object_pairs_hook: Callable[..., Any] | None = None) -> Any:
    """Return what a JSON text says, whoever wrote it.

    Parameters
    ----------
    text : str or bytes
        Bytes are UTF-8.
    object_pairs_hook : callable, optional
        As of `json.loads`.

    Raises
    ------
    JSONDecodeError
        With line and column, when it is no JSON (RFC 8259: infinity and NaN are none), is nested
        deeper than `MAX_DEPTH`, has more than `MOST_VALUES` values or a number of more digits than
        Python reads.
    """
    if isinstance(text, bytes):
        text = _decoded(text)
    if len(text) > MOST_VALUES and _has_too_many_values(text):
        raise JSONDecodeError(f"more than {MOST_VALUES:,} values", text, 0)
    try:
        data = json.loads(
            text,
            object_pairs_hook=object_pairs_hook,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except _NotFiniteError as error:
        word = str(error)
        message = f"the number {word[:40]} is not finite"
        raise JSONDecodeError(message, text, text.find(word)) from None
    except RecursionError:
        raise _too_deep(text) from None
    except JSONDecodeError:
        raise
    except ValueError as error:
        long = _LONG.search(text)
        if long is None:
            raise
        message = "a number has more than 4,300 digits"
        raise JSONDecodeError(message, text, long.start()) from error
    if _is_too_deep(data):
        raise _too_deep(text)
    return data


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        raise JSONDecodeError(_NOT_UTF_8, before, len(before)) from None


def _has_too_many_values(text: str) -> bool:
    """Count values before there is an object for each; signs inside of texts are none."""
    if sum(map(text.count, ",[{")) <= MOST_VALUES:
        return False
    signs = (mark for mark in _VALUE.finditer(text) if mark[0][0] != '"')
    return next(islice(signs, MOST_VALUES, None), None) is not None


def _refuse_constant(word: str) -> float:
    raise _NotFiniteError(word)


def _finite(word: str) -> float:
    value = float(word)
    if not isfinite(value):
        raise _NotFiniteError(word)
    return value


def _is_too_deep(data: Any) -> bool:
    level = [data] if type(data) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            value
            for container in level
            for value in (container.values() if type(container) is dict else container)
            if type(value) in _CONTAINERS
        ]
    return bool(level)


def _too_deep(text: str) -> JSONDecodeError:
    """Return the error, with the place of the first bracket that is too deep."""
    level = place = 0
    for mark in _BRACKET.finditer(text):
        level += (mark[0] in "[{") - (mark[0] in "]}")
        place = mark.start()
        if level > MAX_DEPTH:
            break
    return JSONDecodeError(f"nested deeper than {MAX_DEPTH} levels", text, place)


def is_unfinished(error: JSONDecodeError) -> bool:
    """Tell whether a text ends before its JSON does."""
    return bool(error.msg != _NOT_UTF_8 and error.doc and not error.doc[error.pos :].strip())


def said(error: JSONDecodeError) -> str:
    """Return why a text is no JSON, as messages have it."""
    if is_unfinished(error):
        return "not JSON: the text ends before it is whole"
    return f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"


def indented(data: Any) -> str:
    r"""Return JSON as ``json.dumps(data, indent=1)`` writes it, several times faster.

    Floats are left out of that: they may have another form, of the same value.

    Examples
    --------
    >>> indented({"mtu": 9100})
    '{\n "mtu": 9100\n}'
    """
    from pydantic_core import PydanticSerializationError, to_json  # most commands write no JSON

    with suppress(PydanticSerializationError):  # half a surrogate, which a device may have said
        text = to_json(data, indent=1).decode()
        if text.isascii() and _DELETE not in text:
            return text
    return json.dumps(data, indent=1)
