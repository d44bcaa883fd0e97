"""Who committed: ``display configuration commit list verbose``, the last one first.

Known: blocks of ``CommitId:``, ``Label:``, ``User:`` and ``User-Intf:`` that begin with a number
(http://a10.tagan.ru/huawei/netengine8000f1a/command/8090/Commit(CFGOM).html, the example of
``commit description``); CloudEngine has the command (WheaterW/INTA-project @ 9308062d).
"""

from __future__ import annotations

import re

from fabric.observe.authors import MOST_ENTRIES, Entry, histories

_BLOCK = re.compile(r"\d{1,4}\) CommitId: ")
_FIELD = re.compile(
    r"\b(User|User-Intf|TimeStamp): +([^\n]{1,80}?)(?=\s{2,}|\s[\w-]+: |\s*$)", re.MULTILINE
)


@histories.add("vrp8")
def commits(text: str) -> list[Entry]:
    """Return the commits of an answer, the newest first."""
    entries = []
    for block in _BLOCK.split(text)[1 : MOST_ENTRIES + 1]:
        fields = dict(_FIELD.findall(block[:1000]))
        if user := fields.get("User"):
            by, at = fields.get("User-Intf", ""), fields.get("TimeStamp", "")
            entries.append(Entry(user.strip(), by.strip(), at.strip()))
    return entries
