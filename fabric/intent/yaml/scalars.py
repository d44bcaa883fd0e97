"""What an unquoted YAML word means to us, and the words that mean different things to others.

YAML 1.1 reads ``no`` as false, ``0123`` as 83 and ``1:30`` as 90; YAML 1.2 reads ``1e3`` as a
number where YAML 1.1 reads text. We read only what all readers agree on, and reject the rest.

Notes
-----
Sources: YAML 1.1 type repository (yaml.org/type: bool, int, float, timestamp, null) and the core
schema of YAML 1.2.2, section 10.3.2.
"""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    "true": True, "false": False, "": None, "~": None, "null": None, "Null": None, "NULL": None,
}  # fmt: skip
_BOOLEAN_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false"})
_LONGEST_WORD = 5
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,18})")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_QUOTE = "put it in quotes"
_QUOTE_OR_DECIMAL = "use a plain decimal number, or quotes if it is text"
_TRAPS = (
    (re.compile(r"[-+]?0[0-9]+"), "is read as an octal number by some parsers", _QUOTE_OR_DECIMAL),
    (
        re.compile(r"[-+]?0[xXoObB][0-9a-fA-F_]+"),
        "is read as a hexadecimal, octal or binary number by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(r"[-+]?(?=[0-9.]*_)[0-9][0-9_]*(?:\.[0-9_]*)?"),
        "is read as a number with underscores by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(
            r"[-+]?(?:[1-9][0-9_]*(?::[0-5]?[0-9])+|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)"
        ),
        "is read as a base-60 number by some parsers",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
            r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*"
        ),
        "is read as a date by some parsers",
        _QUOTE,
    ),
    (
        re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)[eE][-+]?[0-9]+"),
        "is read as a number by some parsers and as text by others",
        _QUOTE_OR_DECIMAL,
    ),
    (
        re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"),
        "is not a finite number",
        _QUOTE_OR_DECIMAL,
    ),
    (re.compile(r"[-+]?[1-9][0-9]{19,}"), "is a number of more than 19 digits", _QUOTE),
)


class TrapError(ValueError):
    """An unquoted word that readers of YAML understand differently."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


def plain_value(text: str) -> Scalar:
    """Return the value of an unquoted scalar.

    Raises
    ------
    TrapError
        When YAML readers disagree about the word.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-.":
        if len(text) <= _LONGEST_WORD and text.lower() in _BOOLEAN_WORDS:
            message = "is read as a boolean by some parsers and as text by others"
            raise TrapError(message, "use true or false, or quotes if it is text")
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
    for pattern, message, fix in _TRAPS:
        if pattern.fullmatch(text):
            raise TrapError(message, fix)
    return text
