"""Servers of NTP and syslog that a configuration has, as addresses.

The books of lines say which lines these are. Servers with a name, and those in braces of Junos, are
not read.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.platforms.model import platforms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.book.book import Book


def servers_of(system: str, text: str) -> dict[str, list[str]]:
    """Return the servers of a configuration, by field of ``management``."""
    book, verb = books()[system], platforms[system].verb
    servers = {}
    for field in ("ntp_servers", "syslog_servers"):
        names = _beginnings(book, f"management.{field}")
        words = _rows(text, names) if book.has_tables else _lines(text, names, verb)
        servers[field] = [*dict.fromkeys(_addresses(words))]
    return servers


def _beginnings(book: Book, field: str) -> list[str]:
    """Return what stands before the first argument of lines of a field, the longest first."""
    rules = (rule for rule, ours in book.owned() if field in ours.fields)
    return sorted({words for rule in rules for words in rule.beginnings()}, key=len, reverse=True)


def _rows(text: str, names: Sequence[str]) -> Iterable[str]:
    tables = json.loads(text)
    return (key for name in names for key in tables.get(name.strip(), ()))


def _lines(text: str, beginnings: Sequence[str], verb: str) -> Iterable[str]:
    """Yield three words behind each beginning: it can end with that of a VRF."""
    names = "|".join(map(re.escape, beginnings))
    pattern = rf"^(?: |{verb})?(?:{names})(\S+)(?: (\S+))?(?: (\S+))?"
    return (word for words in re.findall(pattern, text, re.MULTILINE) for word in words)


def _addresses(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        with suppress(ValueError):
            yield str(ip_address(word))
