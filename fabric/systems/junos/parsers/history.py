"""Who committed: the answer to ``get-commit-information``.

Known: the operation and ``commit-history`` with ``user``, ``client``, ``date-time`` and ``log``
(https://www.juniper.net/documentation/us/en/software/junos/junos-xml-protocol/topics/task/
junos-xml-protocol-configuration-committing-with-message.html); the last commit comes first
(https://juniper.net/documentation/en_US/junos13.1/topics/reference/command-summary/
show-system-commit.html).
"""

from __future__ import annotations

import re
from xml.sax.saxutils import unescape

from fabric.observe.authors import MOST_ENTRIES, Entry, histories

_COMMIT = re.compile(r"<commit-history\b[^>]*>([^\0]{0,4000}?)</commit-history>")
_FIELD = re.compile(r"<(user|client|date-time|log)\b[^>]*>([^<]{0,500})</\1>")


@histories.add("junos")
def commits(text: str) -> list[Entry]:
    """Return the commits of an answer, the newest first; one without a user is passed over."""
    entries = []
    for number, commit in enumerate(_COMMIT.finditer(text)):
        if number >= MOST_ENTRIES:
            break
        fields = {name: unescape(value).strip() for name, value in _FIELD.findall(commit[1])}
        if user := fields.get("user"):
            at, by = fields.get("date-time", ""), fields.get("client", "")
            entries.append(Entry(user, by, at, fields.get("log", "")))
    return entries
