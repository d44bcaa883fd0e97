"""Servers of NTP and syslog that a configuration has, as addresses.

Known are the lines that our templates write, with their sources in the books of lines. Servers with
a name, and those in braces of Junos, are not read.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Rows of CONFIG_DB, by field of ``management``.
_TABLES = {"ntp_servers": "NTP_SERVER", "syslog_servers": "SYSLOG_SERVER"}
#: Beginnings of lines before the address, by field of ``management``.
_LINES = {
    "ntp_servers": re.compile(
        r"^ ?(?:(?:set system )?ntp server|ntp unicast-server(?: ipv6)?"
        r"|ntp-service (?:ipv6 )?unicast-server|nv set (?:service|system) ntp(?: \S+)? server)"
        r" (\S+)",
        re.MULTILINE,
    ),
    "syslog_servers": re.compile(
        r"^ ?(?:logging (?:host|server)|set system syslog host|info-center loghost(?: ipv6)?"
        r"|nv set (?:service|system) syslog(?: \S+)? server) (\S+)",
        re.MULTILINE,
    ),
}


def servers_of(text: str) -> dict[str, list[str]]:
    """Return the servers of a configuration, by field of ``management``."""
    if text.lstrip().startswith("{"):
        tables = json.loads(text)
        rows = {field: [*tables.get(table, {})] for field, table in _TABLES.items()}
    else:
        rows = {field: line.findall(text) for field, line in _LINES.items()}
    return {field: [*dict.fromkeys(_addresses(words))] for field, words in rows.items()}


def _addresses(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        with suppress(ValueError):
            yield str(ip_address(word))
