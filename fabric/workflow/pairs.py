"""Options of the form ``NAME=VALUE``."""

from __future__ import annotations

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import printable


def pairs(words: tuple[str, ...], option: str) -> dict[str, str]:
    """Return what an option that may be repeated names, by name; commas separate pairs too.

    Raises
    ------
    InputError
        When a word is not of the form ``NAME=VALUE``.
    """
    values = {}
    for word in (part for text in words for part in text.split(",")):
        key, equals, value = word.partition("=")
        if not (key.strip() and equals and value.strip()):
            message = f"{printable(word)[:60]!r} is not valid"
            finding = Finding("EXC014", Severity.ERROR, message, f"use {option} NAME=VALUE")
            raise InputError("invalid option", [finding])
        values[key.strip()] = value.strip()
    return values
