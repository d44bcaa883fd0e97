"""Marks of a pager in what was saved from a terminal: lines are cut there, or end blocks."""

from __future__ import annotations

import re

from fabric.observe.unreadable import UnreadableError

#: ``--More--`` (EOS, NX-OS, SONiC), ``---- More ----`` (VRP, Comware), ``<--- More --->`` (ASA),
#: ``---(more 33%)---`` (Junos), behind what a terminal erases.
_MORE = re.compile(
    r"^(?:[ \t\x08\r]|\x1b\[[\d;?]*[A-Za-z])*(?:<?-{2,5} ?more ?-{2,5}>?|-{2,5} ?\(more\b)",
    re.MULTILINE | re.IGNORECASE,
)


def refuse_pager(text: str) -> None:
    """Refuse a text with a line of a pager in it.

    Raises
    ------
    UnreadableError
        When there is one.
    """
    match = _MORE.search(text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        raise UnreadableError(f"a capture with a pager, as line {line} shows: save it without one")
